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
