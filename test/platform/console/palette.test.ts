import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pdfOf } from '../../support/documents.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';

const p = await testPlatform({ after });
const near = await p.firm('Near Law');
const far = await p.firm('Far Law');

interface Hit {
  readonly Object: string;
  readonly Label: string;
  readonly Detail: string | null;
  readonly CaseNumber: string | null;
  readonly FoundBy: string;
  readonly Snippet?: string;
  readonly PageNumber?: number;
}

async function found(caller: Caller, text: string): Promise<readonly Hit[]> {
  const answer = await caller.post('/api/palette/search?Output=Json', { Text: text });
  assert.equal(answer.status, 200, answer.text);
  const { FoundCollection: collection } = answer.json() as unknown as { FoundCollection: { FoundItem?: Hit | Hit[] } };
  return [collection.FoundItem ?? []].flat();
}

async function saved(route: string, values: object): Promise<Record<string, unknown>> {
  const answer: TestAnswer = await p.admin.post(`/api/${route}/save?Output=Json`, values);
  assert.equal(answer.status, 200, answer.text);
  return answer.json();
}

/** Creates a case of a firm, with its borrower and property. */
async function addCase(number: string, organizationId: number, borrower: readonly [string, string]): Promise<void> {
  const [FirstName, LastName] = borrower;
  const property = await saved('property', {
    Address: `${number.length} Quillon Terrace`,
    City: 'Umberly',
    State: 'OH',
  });
  const loan = await saved('loan', {
    Loan: `9010${number.slice(-3)}`,
    Agency: 'INVESTOR',
    PropertyID: property['PropertyID'],
    Borrowers: [{ FirstName, LastName, BorrowerType: 'Primary', Sequence: 1 }],
  });
  await saved('foreclosure', {
    Foreclosure: number,
    Status: 'Open',
    LoanID: loan['LoanID'],
    OrganizationID: organizationId,
  });
}

describe('palette/search', () => {
  before(async () => {
    await addCase('PAL-26-00101', near.organizationId, ['Marisol', 'Delgado']);
    await addCase('PAL-26-00102', far.organizationId, ['Hector', 'Delgado']);
    await addCase('PAL-26-00103', far.organizationId, ['Angela', 'Whitfield']);
  });

  it('WEB-01 finds a case by its borrower, its address, the end of its loan number, and its own number', async () => {
    for (const text of ['delg maris', '00101', '9010101', 'PAL-26-00101']) {
      const [first] = await found(p.admin, text);
      assert.equal(first?.CaseNumber, 'PAL-26-00101', text);
      assert.equal(first.Label, 'Delgado, Marisol');
      assert.match(first.Detail ?? '', /Quillon Terrace, Umberly OH/);
    }
    assert.equal(
      (await found(p.admin, 'quillon umberly')).filter(({ Object: name }) => name === 'Foreclosure').length,
      3,
    );
  });

  it('WEB-01 finds a case by a name that is misspelled, and says so', async () => {
    for (const text of ['Delgdao Marisol', 'Delgaod', 'Degado', 'Dalgado', 'Dellgado Marisl']) {
      const hits = await found(p.admin, text);
      assert.ok(
        hits.some(({ CaseNumber: number, FoundBy: by }) => number === 'PAL-26-00101' && by === 'Spelling'),
        `${text}: ${JSON.stringify(hits)}`,
      );
    }
    const [first] = await found(p.admin, 'Whitfeild');
    assert.equal(first?.CaseNumber, 'PAL-26-00103');
  });

  it('WEB-01 a firm finds only its own cases and borrowers, however they are spelled', async () => {
    for (const text of ['delgado', 'delgdao', 'quillon', '9010']) {
      const hits = await found(near.caller, text);
      assert.ok(hits.length > 0, text);
      assert.deepEqual([...new Set(hits.map(({ CaseNumber: number }) => number))], ['PAL-26-00101'], text);
    }
    assert.deepEqual(await found(near.caller, 'Whitfeild'), []);
    assert.deepEqual(await found(near.caller, 'Whitfield'), []);
  });

  it('WEB-01 takes hostile text for text, and short text for nothing', async () => {
    for (const text of ["'); drop table contact; --", '%_\\', '<script>', '((((', '&|!:*', '*'])
      assert.deepEqual(
        (await found(p.admin, text)).filter(({ FoundBy: by }) => by === 'Spelling'),
        [],
        text,
      );
    assert.deepEqual(await found(p.admin, 'd'), []);
  });

  it('WEB-01 DOC-13 finds documents by what is in them, with the piece of text and the page', async () => {
    const answer = await p.admin.post('/api/attachment/save?Output=Json', {
      FileName: 'scan.pdf',
      Content: (await pdfOf('nothing', 'a stipulation about <i>peppercorn</i> rent')).toString('base64'),
    });
    await p.admin.post('/api/attachment/readtext', {});
    for (const text of ['peppercorns', 'peppercorn rent', 'pepperc']) {
      const [hit] = (await found(p.admin, text)).filter(({ FoundBy: by }) => by === 'Text');
      assert.deepEqual([hit?.Object, hit?.Label, hit?.PageNumber], ['Attachment', 'scan.pdf', 2], text);
      assert.match(hit?.Snippet ?? '', /stipulation about &lt;i&gt;<mark>peppercorn<\/mark>&lt;\/i&gt;/);
    }
    assert.deepEqual(await found(near.caller, 'peppercorn'), []);
    await p.user('palette clerk', 'Staff');
    const session = await testSession(p, 'palette clerk');
    const shown = await session.post('/palette', { Text: 'peppercorn' });
    assert.match(shown.text, /<div role="group" aria-label="Documents">/);
    assert.match(shown.text, new RegExp(`href="/documents/${answer.json()['AttachmentID']}#page=2"`));
    assert.match(shown.text, /about &lt;i&gt;<mark>peppercorn<\/mark>&lt;\/i&gt; rent/);
    const page = await session.get('/search?Text=peppercorn');
    assert.match(page.text, /In documents[\s\S]*<mark>peppercorn<\/mark>[\s\S]*Page 2/);
  });
});
