import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { loadDemo } from '../../../src/app/demo/sample-referrals.ts';
import { ADMIN_KEY, testPlatform } from '../../support/platform.ts';
import { samplesFolder, searchRows } from '../../support/imports/referrals.ts';

const on = await testPlatform({ after });
const index = JSON.parse(readFileSync(new URL('referrals/index.json', samplesFolder), 'utf8')) as {
  file: string;
  operation: string;
}[];
const lines: string[] = [];
await loadDemo({ url: on.url, administratorKey: ADMIN_KEY, print: (line) => lines.push(line) });

const SUBSCRIBER = 'https://cases.northgate-law.example';
/** Returns the one case with an identifier. */
async function caseOf(record: 'Foreclosure' | 'Bankruptcy', subscriberId: string): Promise<Record<string, unknown>> {
  const [tie] = await searchRows(
    on.admin,
    `objectsubscription/search?SubscriberID=${encodeURIComponent(`"${subscriberId}"`)}`,
  );
  assert.equal(tie?.['Object'], record, subscriberId);
  const [row] = await searchRows(on.admin, `${record}/search?${record}ID=${String(tie['ObjectID'])}`);
  assert.ok(row, subscriberId);
  return row;
}
const below = (record: string, row: Record<string, unknown>, path: string): Promise<Record<string, unknown>[]> =>
  searchRows(on.admin, `${record.toLowerCase()}/${String(row[`${record}ID`])}/${path}`);

describe('the demo', () => {
  it('REF-01 REF-11 sends every sample referral, of all nine operations, and each is accepted whole', async () => {
    assert.ok(lines.includes(`${index.length} of ${index.length} sample referrals were imported`), lines.join('\n'));
    const files = await searchRows(on.admin, 'importfile/search?OrderBy=ImportFileID&DisplaySize=500');
    assert.deepEqual(
      files.map(({ ImportFile: name, Status: status, ErrorCount: errors }) => [name, status, errors]),
      index.map(({ file }) => [file, 'Complete', 0]),
    );
    assert.equal(new Set(index.map(({ operation }) => operation)).size, 9);
  });

  it('REF-12 REF-14 REF-21 creates the proof of claim with its arrearages, its step completed by the update, and the message sent alone', async () => {
    const row = await caseOf('Bankruptcy', `${SUBSCRIBER}-POC-20041`);
    assert.deepEqual(
      [row['Bankruptcy'], row['BankruptcyType'], row['BKCaseNo'], row['Chapter'], row['BarDate'], row['Status']],
      ['NGL-24-00041', 'POC', '24-29751', '7', '2024-03-12', 'Open'],
    );
    assert.deepEqual(
      (await below('Bankruptcy', row, 'ledger/search?OrderBy=Ledger')).map((r) => [r['Ledger'], r['Balance']]),
      [
        ['Post Petition Arrearages', 13575.79],
        ['Pre Petition Arrearages', 11031.98],
      ],
    );
    assert.deepEqual(
      (await below('Bankruptcy', row, 'importform/search')).map((r) => [
        r['ImportForm'],
        String(r['ProjectedCompletion']).slice(0, 10),
        String(r['ActualCompletion']).slice(0, 10),
      ]),
      [['Proof of Claim Filed', '2024-02-21', '2024-02-19']],
    );
    assert.deepEqual(
      (await below('Bankruptcy', row, 'message/search')).map((r) => r['Message']),
      ['Plan received'],
    );
  });

  it('REF-04 closes the motion for relief by its update, which completes a step', async () => {
    const row = await caseOf('Bankruptcy', `${SUBSCRIBER}-MFR-20042`);
    assert.deepEqual(
      [row['BankruptcyType'], row['Status'], row['DateClosed'], row['ClosedReason']],
      ['MFR', 'Closed', '2024-04-12', 'Order granted'],
    );
    assert.deepEqual(
      (await below('Bankruptcy', row, 'importform/search')).map((r) => [
        r['ImportForm'],
        String(r['ActualCompletion']).slice(0, 10),
      ]),
      [['Order Entered', '2024-04-10']],
    );
  });

  it('REF-09 adds to the foreclosure the message, the step and the document sent alone', async () => {
    const row = await caseOf('Foreclosure', `${SUBSCRIBER}-Foreclosure-20001`);
    assert.ok(
      (await below('Foreclosure', row, 'message/search')).some((r) => r['Message'] === 'Call with the servicer'),
    );
    assert.ok(
      (await below('Foreclosure', row, 'importform/search')).some(
        (r) => r['ImportForm'] === 'Judgment Entered' && String(r['ProjectedCompletion']).startsWith('2024-09-24'),
      ),
    );
    const base64 =
      /CDATA\[([^\]]+)/.exec(
        readFileSync(new URL('referrals/northgate-law-047-document.xml', samplesFolder), 'utf8'),
      )?.[1] ?? '';
    assert.deepEqual(
      (await below('Foreclosure', row, 'attachment/search')).map((r) => [r['FileName'], r['MimeType'], r['FileSize']]),
      [['Title report.pdf', 'application/pdf', Buffer.from(base64, 'base64').length]],
    );
  });
});
