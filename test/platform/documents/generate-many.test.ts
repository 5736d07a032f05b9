import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { FILE_OBJECT } from '../../../src/contracts/file-object.ts';
import { client, type Row } from '../../support/client.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';

const CASES = 40;

const p = await testPlatform({ after });
const admin = client(p);
const staff = client(p, (await p.user('clerk', 'Staff')).caller);
const caseIds: number[] = [];
for (let n = 0; n < CASES; n++)
  caseIds.push(Number((await admin.save('foreclosure', { Foreclosure: `L-${10 + n}` }))['ForeclosureID']));
await admin.expectOk('casesummary/refresh');
const letter = Number(
  (
    await admin.save('attachmenttemplate', {
      AttachmentTemplate: 'Letter',
      AppliesTo: 'Foreclosure',
      AttachmentService: 'MailMergeGenerator',
    })
  )['AttachmentTemplateID'],
);
await admin.save('attachment', {
  Object: 'AttachmentTemplate',
  ObjectID: letter,
  FileName: 'letter.html',
  Content: Buffer.from('<p>About {Foreclosure}</p>').toString('base64'),
});
await admin.save('attachmenttemplate', { AttachmentTemplate: 'All letters', AttachmentService: 'ZipGenerator' });

const request = {
  RecordType: 'CaseSummary',
  Filters: 'CaseSummary=L-*',
  Signature: `attachment/generate?Object={RecordClass}&ObjectID={ProcessID}&TemplateID=${letter}`,
};
const lettersOf = async (caseId: number | undefined): Promise<Row[]> =>
  admin.expectRows('attachment/search', { Object: 'Foreclosure', ObjectID: caseId });
const stagedFiles = async (): Promise<string[]> => {
  const staged: string[] = [];
  for await (const path of p.platform.providers.get(FILE_OBJECT, 'Local').list('/Staged')) staged.push(path);
  return staged;
};

describe('a letter for many cases', () => {
  it('DOC-01 WEB-01 is tried without leaving a document or a file', async () => {
    const tried = await staff.expectRows('bulkrun/preview', request);
    assert.deepEqual([tried.length, tried.filter(({ Problem }) => (Problem ?? null) !== null)], [CASES, []]);
    assert.deepEqual(await lettersOf(caseIds[0]), []);
    assert.deepEqual(await stagedFiles(), []);
    assert.deepEqual(await admin.expectRows('queue/search', { Operation: 'AttachmentGenerate' }), []);
    const wrong = await staff.expectRows('bulkrun/preview', {
      ...request,
      Signature: request.Signature.replace(/\d+$/, '999999'),
    });
    assert.match(String(wrong[0]?.['Problem']), /TemplateID/);
  });

  it('DOC-01 WEB-01 is generated once for each case, also after a worker ended, and a failed one says why', async () => {
    const run = await staff.expectOk('bulkrun/start', { ...request, BulkRun: 'Generate 40 letters' });
    const rowsOf = (): Promise<Row[]> =>
      admin.expectRows('importfilequeue/search', {
        ImportFileID: run['ImportFileID'],
        OrderBy: 'ImportFileQueueID',
        DisplaySize: 100,
      });
    const rows = await rowsOf();
    assert.equal(rows.length, CASES);
    const [first, tenth, last] = [rows[0], rows[9], rows.at(-1)];
    // One of the cases is gone when its turn comes.
    const gone = caseIds[Number(String(last?.['ImportFileQueue']).slice(2)) - 10];
    await admin.expectOk('foreclosure/delete', { ID: gone });
    const message = { ImportFileID: run['ImportFileID'], Queue: first?.['Queue'], From: first?.['ImportFileQueueID'] };
    // The first worker ended after ten letters; the message is delivered again, to two workers at once.
    await staff.expectOk('importfilequeue/process', { ...message, To: tenth?.['ImportFileQueueID'] });
    const whole = { ...message, To: last?.['ImportFileQueueID'] };
    await Promise.all([1, 2].map(() => staff.expectOk('importfilequeue/process', whole)));
    await staff.expectOk('importfile/endbatch', { ID: run['ImportFileID'] });
    const done = await rowsOf();
    assert.deepEqual(
      done
        .filter(({ Status }) => Status !== 'Complete')
        .map(({ ImportFileQueue, Status }) => [ImportFileQueue, Status]),
      [[last?.['ImportFileQueue'], 'Error']],
    );
    for (const caseId of caseIds.filter((id) => id !== gone))
      assert.equal((await lettersOf(caseId)).length, 1, String(caseId));
    assert.deepEqual(await stagedFiles(), []);
    const session = await testSession(p, 'clerk');
    const page = await session.get(`/bulk/${String(run['BulkRunID'])}`);
    const [, href = ''] = /href="([^"]*attachmenttemplate\/preview[^"]*)"/.exec(page.text) ?? [];
    assert.match(page.text, /Download all as All letters/);
    assert.match(page.text, /attachment\/combine\?ID=[\d,]+&(?:amp;)?As=Pdf"[^>]*>Download as one PDF/);
    assert.match(page.text, /href="\/documents\/\d+">Open the document/);
    const zip = await session.get(href.replaceAll('&amp;', '&'));
    assert.equal(zip.status, 200, zip.text);
    assert.equal(zip.headers.get('content-type'), 'application/zip');
    const form = await session.post('/bulk/casesummary', {
      Action: 'generate',
      All: 'true',
      Filters: request.Filters,
    });
    assert.match(form.text, /Document type/);
    assert.equal(zip.text.match(/Letter(?: \(\d+\))?\.html/g)?.length, 2 * (CASES - 1));
  });
});
