import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { client, type Row } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
const template = readFileSync(new URL('../../../samples/letters/statement-of-account.html', import.meta.url));

const debit = { IsDebit: true, IsTotaled: true };
const { ForeclosureID: ObjectID } = await admin.save('foreclosure', { Foreclosure: 'F-77' });
const { LedgerID: ID } = await admin.save('ledger', { Ledger: 'Total debt', Object: 'Foreclosure', ObjectID });
const add = async (LedgerItem: string, AmountMoney: string, day: string, more: object = {}): Promise<unknown> =>
  (await admin.save('ledgeritem', { LedgerID: ID, LedgerItem, AmountMoney, PostedDate: day, ...debit, ...more }))[
    'LedgerItemID'
  ];
await add('Interest', '100.25', '2026-01-31T12:00:00Z');
await add('Late fee', '50', '2026-02-10T12:00:00Z');
await add('Rejected fee', '999', '2026-02-11T12:00:00Z', { IsTotaled: false });
await add('Credit memo', '20', '2026-02-20T12:00:00Z', { IsDebit: false });
await add('Attorney fee', '300', '2026-03-05T12:00:00Z');

const statement = async (period: object): Promise<Row> =>
  ((await admin.expectOk('ledger/statement', { ID, ...period })) as { Statement: Row }).Statement;
const list = (row: Row, name: string): Row[] => row[name] as Row[];
const linesOf = (row: Row): unknown[][] =>
  list(row, 'Lines').map((line) => ['Date', 'LedgerItem', 'Debit', 'Credit', 'Balance'].map((name) => line[name]));

describe('ledger/statement', () => {
  it('LED-03 has the balance before a period, its lines that are totaled, and the balance after each', async () => {
    const row = await statement({ From: '2026-02-01', To: '2026-02-28' });
    assert.deepEqual(linesOf(row), [
      ['2026-02-10', 'Late fee', 50, undefined, 150.25],
      ['2026-02-20', 'Credit memo', undefined, 20, 130.25],
    ]);
    assert.deepEqual(
      ['Case', 'Currency', 'OpeningBalance', 'Debits', 'Credits', 'ClosingBalance', 'UnappliedFunds'].map(
        (n) => row[n],
      ),
      ['F-77', 'USD', 100.25, 50, 20, 130.25, 0],
    );
    await admin.expectRefused(
      'ledger/statement',
      { ID, From: '2026-02-02', To: '2026-02-01' },
      'BAD_PARAMETER',
      'From',
    );
  });

  it('LED-08 has payments, what they were applied to, reversals and unapplied funds; it ends with the balance', async () => {
    const first = await admin.expectOk('ledger/applypayment', { ID, AmountMoney: '120', TransactionNumber: 'C-1' });
    const second = await admin.expectOk('ledger/applypayment', { ID, AmountMoney: '10' });
    await admin.expectOk('ledger/reversepayment', { LedgerItemID: second['LedgerItemID'] });
    const row = await statement({});
    const ledger = await admin.select('ledger', ID);
    assert.equal(row['OpeningBalance'], 0);
    assert.equal(row['ClosingBalance'], ledger['BalanceAdjusted']);
    assert.equal(row['PaymentsReceived'], 120);
    assert.equal(row['UnappliedFunds'], 19.75);
    const payments = list(row, 'Payments');
    assert.deepEqual(
      payments.map((one) => [one['LedgerItemID'], one['AmountMoney'], one['Applied'], one['Reversed'] !== undefined]),
      [
        [first['LedgerItemID'], 120, 100.25, false],
        [second['LedgerItemID'], 10, 0, true],
      ],
    );
    assert.deepEqual(linesOf(row).at(-1)?.at(-1), ledger['BalanceAdjusted']);
  });

  it('LED-13 is printed on the case by a document type, in the currency of the ledger', async () => {
    const { AttachmentTemplateID } = await admin.save('attachmenttemplate', {
      AttachmentTemplate: 'Statement of account',
      AttachmentService: 'MailMergeGenerator',
      Method: 'Ledger/Statement?ID={LedgerID}&From={From}&To={To}',
      Repeatable: 'Many',
    });
    const file = { Object: 'AttachmentTemplate', ObjectID: AttachmentTemplateID, FileName: 'statement.html' };
    await admin.save('attachment', { ...file, Content: template.toString('base64') });
    const euros = await admin.save('ledger', { Ledger: 'Costs', Currency: 'EUR', Object: 'Foreclosure', ObjectID });
    const cost = { LedgerID: euros['LedgerID'], LedgerItem: 'Court', AmountMoney: '1234.5', ...debit };
    await admin.save('ledgeritem', cost);
    const target = { Template: 'Statement of account', Object: 'Foreclosure', ObjectID, LedgerID: euros['LedgerID'] };
    const made = await admin.expectOk('attachment/generate', { ...target, From: '2026-01-01' });
    assert.equal(made['Object'], 'Foreclosure');
    const html = (await admin.send('attachment/download', { ID: made['AttachmentID'] })).text;
    assert.match(html, /Costs, F-77/);
    assert.match(html, /From January 1, 2026 through/);
    assert.match(html, /All amounts are in EUR/);
    assert.match(html, /1,234\.50/);
    assert.doesNotMatch(html, /\$|\{[#/^A-Z]|Payments<\/h2>/);
    await admin.expectRefused('attachment/generate', { ...target, LedgerID: 99_999_999 }, 'NOT_FOUND');
  });
});
