import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { delimited, makeLoans, sendEvents, type EventValues } from '../../support/imports/events.ts';
import {
  borrower,
  collection,
  foreclosure,
  foreclosureItem,
  nextLoan,
  referralFirm,
  saveSampleTemplates,
} from '../../support/imports/referrals.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';

const on = await testPlatform({ after }, { worker: true });
const admin = client(on);
await saveSampleTemplates(on.admin);
await on.user('chief', 'Administrator');
const firm = await referralFirm(on, 'Alder Law');

interface Cell {
  readonly Source: string;
  readonly Value: string;
  readonly Problem?: string;
  readonly Absent?: unknown;
}
interface Failed extends Row {
  readonly SourceLine: number;
  readonly SourceColumn: string;
  readonly Message: string;
  readonly Value: readonly Cell[];
}

async function failedRows(id: number): Promise<{ readonly root: Row; readonly rows: readonly Failed[] }> {
  const body = await admin.expectOk('importfile/failedrows', { ID: id });
  const root = body['FailedRows'] as Row;
  return { root, rows: (root['FailedRow'] ?? []) as readonly Failed[] };
}

/** Corrects and waits until the new import has ended. Returns its row. */
async function correct(parameters: object): Promise<Row> {
  const answer = await admin.expectOk('importfile/correct', parameters);
  const id = Number(answer['SentImportFileID']);
  assert.ok(id > 0, JSON.stringify(answer));
  return eventually(`import ${id} ends`, async () => {
    const row = await admin.select('importfile', id);
    return row['ImportComplete'] !== null && row['ImportComplete'] !== undefined && row;
  });
}

const query = (changes: Record<string, string>): string => new URLSearchParams(changes).toString();

describe('sending failed parts of documents again', () => {
  it('WEB-03 REF-11 corrects the failed item of a referral by a form of its values and sends only that item again', async () => {
    const loan = nextLoan();
    const content = Buffer.from('a paper').toString('base64');
    const rest =
      '<Attachments><AttachmentItem><FileName>a.txt</FileName><Template>Complaint</Template>' +
      `<Description>D</Description><Content><![CDATA[${content}]]></Content></AttachmentItem></Attachments>`;
    const answer = await firm.send(
      'foreclosure',
      collection([
        foreclosureItem({ reference: 'good' }),
        foreclosureItem({
          reference: 'bad',
          loan: 'ABC',
          rest,
          borrowers: [borrower(1, 'Amsel', 'Ida', '900-11-2233')],
        }),
      ]),
    );
    assert.equal(answer.errors, 1);
    const { root, rows } = await failedRows(answer.id);
    assert.deepEqual([root['CanCorrect'], root['SendsAgain'], rows.length], [true, 'Parts', 1]);
    const [item] = rows;
    assert.deepEqual([item?.SourceLine, item?.SourceColumn], [2, 'Loan/Loan']);
    const cell = (source: string): Cell | undefined => item?.Value.find(({ Source }) => Source === source);
    assert.equal(cell('Loan/Loan')?.Value, 'ABC');
    assert.match(cell('Loan/Loan')?.Problem ?? '', /expected an investor loan number/);
    assert.equal(cell('Loan/Borrowers/BorrowerItem/USSSN')?.Value, '***-**-2233');
    assert.equal(cell('Attachments/AttachmentItem/Content'), undefined, 'files are not shown');
    const again = await correct({ ID: answer.id, Line: [2], Changes: query({ 'Loan/Loan': loan }) });
    assert.deepEqual([again['Status'], again['ErrorCount'], again['CorrectsID']], ['Complete', 0, answer.id]);
    assert.equal(again['OrganizationID'], firm.organizationId);
    const [found] = await firm.search(`loan/search?Loan=${loan}`);
    assert.ok(found, 'saved as the firm');
    const documents = await admin.expectRows('attachment/search', { Attachment: 'a.txt' });
    assert.equal(documents.length, 1, 'the file went with it');
    const before = await admin.select('importfile', answer.id);
    assert.ok(before['ResentDate'], 'nothing of it waits');
    const [correction] = await admin.expectRows('importcorrection/search', { ImportFileID: answer.id });
    assert.deepEqual(
      [correction?.['SentImportFileID'], correction?.['SourceColumns'], correction?.['Status']],
      [again['ImportFileID'], 'Loan/Loan', 'Complete'],
    );
    assert.equal(correction?.['ActorPersonID'], firm.personId);
    await admin.expectRefused(
      'importfile/correct',
      { ID: answer.id, Line: [2], Changes: query({ 'Loan/Loan': loan }) },
      'STATE_REFUSES',
      'Line',
    );
  });

  it('WEB-03 REF-05 corrects a document that was refused as a whole: adds what is missing, and says what is still wrong', async () => {
    const [first, second] = [nextLoan(), nextLoan()];
    const answer = await firm.send(
      'foreclosure',
      collection([
        foreclosureItem({ loan: first }),
        foreclosureItem({ loan: second, opened: '2024-13-40', status: undefined as never }).replace(
          '<Status>Open</Status>',
          '',
        ),
      ]),
    );
    assert.equal(answer.status, 'Validation Error');
    const { root, rows } = await failedRows(answer.id);
    assert.deepEqual([root['CanCorrect'], root['SendsAgain']], [true, 'Whole']);
    assert.deepEqual(
      rows.map(({ SourceLine }) => SourceLine),
      [2],
    );
    const wrong = rows[0]?.Value.filter(({ Problem }) => Problem !== undefined).map(({ Source }) => Source);
    assert.deepEqual(wrong, ['DateOpened', '+Status']);
    await admin.expectRefused(
      'importfile/correct',
      { ID: answer.id, Changes: query({ '2/DateOpened': '2024-03-05' }) },
      'BAD_PARAMETER',
      'Changes',
    );
    const masked = { ID: answer.id, Changes: query({ '2/Loan/Loan': 'XXXXX1234' }) };
    await admin.expectRefused('importfile/correct', masked, 'BAD_PARAMETER', 'Changes');
    assert.equal((await admin.expectRows('importcorrection/search', { ImportFileID: answer.id })).length, 0);
    const again = await correct({
      ID: answer.id,
      Changes: query({ '2/DateOpened': '2024-03-05', '2/+Status': 'Open' }),
    });
    assert.deepEqual([again['Status'], again['ErrorCount']], ['Complete', 0]);
    for (const loan of [first, second]) assert.equal((await firm.search(`loan/search?Loan=${loan}`)).length, 1, loan);
    await admin.expectRefused(
      'importfile/correct',
      { ID: answer.id, Changes: query({ '2/DateOpened': '2024-03-06', '2/+Status': 'Open' }) },
      'STATE_REFUSES',
    );
  });

  it('WEB-03 EVT-06 corrects a failed row of an event file and sends it again as a file of its own', async () => {
    const loan = nextLoan();
    await makeLoans(on, [loan]);
    const eventOf = (values: EventValues): EventValues => ({
      RecordType: 'EVENT',
      ProviderCode: 'AlderLaw',
      BusinessEventCode: 'E0290',
      InvestorLoanNumberID: loan,
      EventActualDate: '2024-05-06T10:30:00',
      ...values,
    });
    const sent = await sendEvents(
      on,
      firm.caller,
      delimited([
        eventOf({ FCAttorneyFileID: 'A-1' }),
        eventOf({ FCAttorneyFileID: 'A-2', EventActualDate: 'May|6' }),
        eventOf({ FCAttorneyFileID: 'A-3', ProviderCode: '' }),
      ]),
    );
    const failing = await failedRows(sent.id);
    assert.deepEqual(
      failing.rows.map(({ SourceLine, SourceColumn }) => [SourceLine, SourceColumn]),
      [
        [2, 'EventActualDate'],
        [3, 'ProviderCode'],
      ],
    );
    const again = await correct({ ID: sent.id, Line: [3], Changes: query({ ProviderCode: 'AlderLaw' }) });
    assert.deepEqual([again['SuccessCount'], again['ErrorCount'], again['CorrectsID']], [1, 0, sent.id]);
    assert.equal((await firm.search('foreclosure/search?Foreclosure=A-3')).length, 1);
    assert.equal((await admin.select('importfile', sent.id))['ResentDate'] ?? null, null, 'line 2 still waits');
    const left = await failedRows(sent.id);
    assert.deepEqual(
      left.rows.map(({ SourceLine }) => SourceLine),
      [2],
    );
    const unknown = { ID: sent.id, Line: [2], Changes: 'NoSuchColumn=1' };
    await admin.expectRefused('importfile/correct', unknown, 'BAD_PARAMETER', 'Changes');
  });

  it('WEB-03 IMP-09 corrects a parameter of a failed call of a batch, which runs again as who queued it', async () => {
    await admin.save('importfiletemplate', {
      ImportFileTemplate: 'Batch of Properties',
      AppliesTo: 'Property',
      ImportEngine: 'BatchReader',
      ParameterString: 'ClassName=Property&Operation=Save',
    });
    const sent = await on.admin.send(
      'POST',
      '/api/importfile/importbyobject?Output=Json&Validate=false&Template=Batch%20of%20Properties',
      `ImportFileQueue,Address,City\nOne,${'x'.repeat(300)},Alder\n`,
      { 'Content-Type': 'text/plain' },
    );
    const id = Number(/"(?:ImportFileID|ID)":"?(\d+)/.exec(sent.text)?.[1]);
    const failed = await eventually('the call fails', async () => {
      const [row] = await admin.expectRows('importfilequeue/search', { ImportFileID: id, FailureDate: 'not null' });
      return row;
    });
    const path = `/imports/${id}/calls/${String(failed['ImportFileQueueID'])}`;
    const session = await testSession(on, 'chief');
    assert.match(String(failed['Message']), /^Address:/);
    assert.match((await session.get(path)).text, /value="x{300}"[^>]*aria-invalid/);
    const fields = (cell: string): Record<string, string> => ({
      Column: 'Address',
      Before: 'x'.repeat(300),
      Cell: cell,
    });
    assert.match((await session.post(path, fields('x'.repeat(300)))).text, /Change at least one value/);
    assert.equal((await session.post(path, fields('1 Elm'))).status, 303);
    await eventually(
      'the call succeeds',
      async () => (await admin.expectRows('property/search', { Address: '1 Elm' })).length === 1,
    );
    const [correction] = await admin.expectRows('importcorrection/search', { ImportFileID: id });
    assert.deepEqual([correction?.['Status'], correction?.['SourceColumns']], ['Requeued', 'Address']);
    const again = { ID: failed['ImportFileQueueID'], Changes: 'Address=1' };
    await admin.expectRefused('importfilequeue/correct', again, 'STATE_REFUSES', 'ID');
  });

  it('WEB-03 the pages lead from the failed item to its result, side by side', async () => {
    const answer = await firm.send('foreclosure', foreclosure({ loan: 'XYZ' }));
    const session = await testSession(on, 'chief');
    const page = (await session.get(`/imports/${answer.id}`)).text;
    assert.match(page, /Correct and send 1 again/);
    const form = (await session.get(`/imports/${answer.id}/rows/1`)).text;
    assert.match(form, /value="XYZ"[^>]*aria-invalid|aria-invalid[^>]*value="XYZ"/);
    const wrong = await session.post(`/imports/${answer.id}/rows/1`, {
      Column: ['Loan/Loan'],
      Before: ['XYZ'],
      Cell: ['XYZ'],
    });
    assert.match(wrong.text, /Change at least one value/);
    const loan = nextLoan();
    const posted = await session.post(`/imports/${answer.id}/rows/1`, {
      Column: ['Loan/Loan'],
      Before: ['XYZ'],
      Cell: [loan],
    });
    assert.equal(posted.status, 303, posted.text);
    const next = posted.location ?? '';
    assert.match(next, /^\/imports\/\d+\?done=again$/);
    const compared = await eventually('the result is shown', async () => {
      const { text } = await session.get(next);
      return text.includes('Imported') && text;
    });
    assert.match(compared, new RegExp(`This corrects <a class="link" href="/imports/${answer.id}">`));
    assert.match(compared, /Before and after[\s\S]*expected an investor loan number[\s\S]*Loan\/Loan[\s\S]*Imported/);
    const old = (await session.get(`/imports/${answer.id}`)).text;
    assert.match(old, /Sent again as <a class="link"/);
    assert.doesNotMatch(old, /Correct and send/);
  });
});
