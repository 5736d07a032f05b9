/** The lines of a ledger as pages show them. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);

describe('ledger/lines', () => {
  it('LED-03 returns lines in order, with what template lines give them and the sums through each', async () => {
    await admin.save('ledgertemplate', {
      LedgerTemplate: 'Debt',
      Items: [
        { LedgerTemplateItem: 'Interest', Sequence: 1, AmountMoney: '100', IsDebit: true, IsTotaled: true },
        {
          LedgerTemplateItem: 'Fee',
          Sequence: 2,
          AmountMoney: '20.5',
          IsDebit: true,
          IsTotaled: true,
          CanExclude: true,
        },
        { LedgerTemplateItem: 'Credit', Sequence: 3, AmountMoney: '10' },
      ],
    });
    const { LedgerID: ID } = await admin.save('ledger', { Template: 'Debt' });
    await admin.save('ledgeritem', {
      LedgerID: ID,
      LedgerItem: 'Mailing',
      Sequence: 4,
      IsDebit: true,
      IsTotaled: true,
    });
    const rows = await admin.expectRows('ledger/lines', { ID });
    const shown = (of: typeof rows): unknown[] =>
      of.map((row) => [row['LedgerItem'], row['IsDebit'], row['IsTotaled'], row['CanExclude'], row['RunningAdjusted']]);
    assert.deepEqual(shown(rows), [
      ['Interest', true, true, false, 100],
      ['Fee', true, true, true, 120.5],
      ['Credit', false, false, false, 120.5],
      ['Mailing', true, true, true, 120.5],
    ]);
    assert.deepEqual(
      rows.map((row) => [row['Running'], row['LineCount']]),
      [100, 120.5, 110.5, 110.5].map((running) => [running, 4]),
    );
    const second = await admin.expectRows('ledger/lines', { ID, RecordStart: 1, DisplaySize: 1 });
    assert.deepEqual(shown(second), [['Fee', true, true, true, 120.5]]);
  });

  it('LED-03 LED-08 selects lines by kind, state and text; pages, sums and running totals stay right', async () => {
    const line = (LedgerItem: string, AmountMoney: string, more: object = {}): object => ({
      LedgerItem,
      AmountMoney,
      IsDebit: true,
      IsTotaled: true,
      ...more,
    });
    const { LedgerID: ID } = await admin.save('ledger', {
      Items: [
        line('Filing fee', '10'),
        line('Mailing', '20', { Description: 'Two 100% recycled copies', IsTotaled: false }),
        line('Refund', '4', { IsDebit: false, LedgerItemType: 'Adjustment' }),
        line('Filing F\u00c9E, second', '30.5', { TransactionNumber: 'T_1' }),
      ],
    });
    await admin.expectOk('ledger/applypayment', { ID, AmountMoney: '10' });
    const shown = async (filter: object): Promise<unknown[]> =>
      (await admin.expectRows('ledger/lines', { ID, ...filter })).map(({ LedgerItem }) => LedgerItem);
    const second = 'Filing F\u00c9E, second';
    assert.deepEqual(await shown({ Kind: 'Debit' }), ['Filing fee', 'Mailing', second]);
    assert.deepEqual(await shown({ Kind: 'Credit' }), ['Refund', 'Payment']);
    assert.deepEqual(await shown({ Kind: 'Payment' }), ['Payment']);
    assert.deepEqual(await shown({ State: 'Excluded' }), ['Mailing']);
    assert.deepEqual(await shown({ State: 'Unpaid' }), [second]);
    assert.deepEqual(await shown({ State: 'Paid' }), ['Filing fee']);
    assert.deepEqual(await shown({ Contains: 'fee' }), ['Filing fee', second]);
    assert.deepEqual(await shown({ Contains: '0% R', Kind: 'Debit' }), ['Mailing']);
    assert.deepEqual(await shown({ Contains: 't_1' }), [second]);
    assert.deepEqual(await shown({ Contains: 'adjust' }), ['Refund']);
    assert.deepEqual(await shown({ Contains: 'f%e' }), []);
    const [row, ...others] = await admin.expectRows('ledger/lines', {
      ID,
      Kind: 'Debit',
      RecordStart: 2,
      DisplaySize: 1,
    });
    assert.deepEqual(others, []);
    assert.deepEqual(
      ['LedgerItem', 'LineCount', 'DebitTotal', 'CreditTotal', 'Running', 'RunningAdjusted'].map((name) => row?.[name]),
      [second, 3, 60.5, 0, 56.5, 36.5],
    );
    await admin.expectRefused('ledger/lines', { ID, Kind: 'Other' }, 'BAD_PARAMETER', 'Kind');
  });

  it('LED-08 says which payments were reversed', async () => {
    const { LedgerID: ID } = await admin.save('ledger', {
      Items: [{ LedgerItem: 'Fee', AmountMoney: '50', IsDebit: true, IsTotaled: true }],
    });
    const payment = await admin.expectOk('ledger/applypayment', { ID, AmountMoney: '60' });
    const states = async (): Promise<unknown[]> =>
      (await admin.expectRows('ledger/lines', { ID })).map((row) => [row['PaymentRole'] ?? '', row['IsReversed']]);
    assert.deepEqual(await states(), [
      ['', false],
      ['Payment', false],
    ]);
    await admin.expectOk('ledger/reversepayment', { LedgerItemID: payment['LedgerItemID'] });
    assert.deepEqual(await states(), [
      ['', false],
      ['Payment', true],
      ['Reversal', false],
    ]);
  });
});
