/** What was paid of a line stays until the payment is reversed, whichever way changes the line. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { checkLedgers } from '../../../src/modules/ledgers/public/check-ledgers.ts';
import { client, type Row } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
await admin.save('importfiletemplate', {
  ImportFileTemplate: 'Amounts',
  AppliesTo: 'LedgerItem',
  ImportEngine: 'DelimitedEngine',
});
const side = { IsDebit: true, IsTotaled: true };

const newLedger = async (values: object = {}): Promise<unknown> => (await admin.save('ledger', values))['LedgerID'];
const newLine = async (LedgerID: unknown, AmountMoney: string, values: object = {}): Promise<unknown> =>
  (await admin.save('ledgeritem', { LedgerID, AmountMoney, ...side, ...values }))['LedgerItemID'];
const pay = async (LedgerID: unknown, AmountMoney: string): Promise<unknown> =>
  (await admin.expectOk('ledger/applypayment', { LedgerID, AmountMoney }))['LedgerItemID'];
const isPaid = async (line: unknown): Promise<boolean> =>
  (await admin.select('ledgeritem', line))['PaidDate'] !== undefined;
const owed = async (ledger: unknown): Promise<unknown> => (await admin.select('ledger', ledger))['BalanceAdjusted'];
const payable = async (ID: unknown): Promise<unknown[]> =>
  (await admin.expectRows('ledger/previewpayment', { ID, AmountMoney: '1000' })).map((row: Row) => [
    row['Outcome'],
    row['AmountMoney'],
  ]);

describe('a line that a payment covers', () => {
  it('LED-08 keeps its amount and what it follows from; errors name the payment, and a reversal frees it', async () => {
    const ledger = await newLedger();
    const line = await newLine(ledger, '40', { Rate: '20', UnitCount: '2', EffectiveDate: '2026-03-01' });
    const payment = await pay(ledger, '40');
    for (const change of [
      { AmountMoney: '41' },
      { AmountMoney: null },
      { Rate: '21' },
      { UnitCount: '3' },
      { AmountDecimal: '1' },
      { Units: 'Hour' },
      { EffectiveDate: '2026-03-02' },
      { IsDebit: false },
      { IsTotaled: false },
      { ChildLedgerID: await newLedger() },
      { PaidDate: '2026-03-01T00:00:00Z', AmountMoney: '41' },
    ]) {
      const [field = ''] = Object.keys(change);
      const { message } = await admin.expectRefused('ledgeritem/save', { ID: line, ...change }, 'STATE_REFUSES', field);
      assert.match(message, new RegExp(`line ${String(line)} was paid by payment ${String(payment)}; reverse it`));
    }
    // The same values, and what does not change them.
    await admin.save('ledgeritem', { ID: line, AmountMoney: '40.00', Rate: '20', Description: 'Agreed' });
    await admin.expectOk('ledger/reversepayment', { LedgerItemID: payment });
    await admin.save('ledgeritem', { ID: line, AmountMoney: '41' });
    assert.equal(await owed(ledger), 41);
  });

  it('LED-08 is not changed by an import, and an import of the same amount goes through', async () => {
    const ledger = await newLedger();
    const [paid, open] = [await newLine(ledger, '10'), await newLine(ledger, '30')];
    await pay(ledger, '10');
    const path = '/api/importfile/importbyobject?Template=Amounts&PreTransform_FileName=amounts.csv';
    const send = async (amount: string): Promise<string> =>
      (
        await p.admin.post(path, `LedgerItemID,AmountMoney\n${String(paid)},${amount}\n${String(open)},31\n`, {
          'Content-Type': 'text/csv',
        })
      ).text;
    assert.match(await send('11'), /AmountMoney: line \d+ was paid by payment \d+/);
    assert.doesNotMatch(await send('10'), /was paid/);
    assert.equal(await owed(ledger), 31);
  });

  it('LED-09 LED-19 is left alone by the operations on many lines, with a warning', async () => {
    const ledger = await newLedger();
    const [paid, open] = [await newLine(ledger, '10'), await newLine(ledger, '30')];
    const payment = await pay(ledger, '10');
    for (const [route, expected] of [
      ['excludefromtotal', -10 + 10],
      ['toggleistotaled', 30],
      ['reject', 0],
    ] as const) {
      const answer = await admin.send(`ledgeritem/${route}`, { ID: `${String(paid)},${String(open)}` });
      assert.equal(answer.status, 200, answer.text);
      assert.match(answer.text, new RegExp(`Line ${String(paid)} was paid by payment ${String(payment)}`));
      assert.equal(await owed(ledger), expected, route);
      await admin.expectRefused(`ledgeritem/${route}`, { ID: paid }, 'STATE_REFUSES');
    }
    await admin.expectOk('ledgeritem/includeintotal', { ID: paid });
  });

  it('LED-02 LED-18 is not calculated again, and keeps the defaults that it had when it was paid', async () => {
    const { LedgerTemplateID } = await admin.save('ledgertemplate', {
      LedgerTemplate: 'Per diem',
      Repeatable: 'Many',
      Items: [{ LedgerTemplateItem: 'Interest', Units: 'Day', Rate: '2', ...side }],
    });
    const ledger = await newLedger({ LedgerTemplateID });
    const [line] = await admin.expectRows('ledgeritem/search', { LedgerID: ledger });
    await admin.save('ledgeritem', { ID: line?.['LedgerItemID'], EffectiveDate: '2026-01-01' });
    await admin.expectOk('ledgeritem/calculate', { ID: line?.['LedgerItemID'], GoodThrough: '2026-01-10' });
    await pay(ledger, '20');
    const answer = await admin.send('ledgeritem/calculate', { ID: line?.['LedgerItemID'], GoodThrough: '2026-01-31' });
    assert.match(answer.text, /is paid, so its amount stays/);
    await admin.expectOk('ledger/calculate', { ID: ledger });
    const [item] = await admin.expectRows('ledgertemplateitem/search', { LedgerTemplateID });
    await admin.save('ledgertemplateitem', { ID: item?.['LedgerTemplateItemID'], IsDebit: false, IsTotaled: false });
    assert.equal(await owed(ledger), 0);
    const stored = await admin.select('ledgeritem', line?.['LedgerItemID']);
    assert.deepEqual([stored['AmountMoney'], stored['IsDebit'], stored['IsTotaled']], [20, true, true]);
  });

  it('LED-08 of 0.00 takes an amount, and is unpaid then', async () => {
    const ledger = await newLedger();
    const [empty, fee] = [await newLine(ledger, '0'), await newLine(ledger, '10')];
    await pay(ledger, '10');
    assert.deepEqual([await isPaid(empty), await isPaid(fee)], [true, true]);
    await admin.save('ledgeritem', { ID: empty, AmountMoney: '7' });
    assert.equal(await isPaid(empty), false);
    assert.equal(await owed(ledger), 7);
    await pay(ledger, '7');
    assert.equal(await isPaid(empty), true);
  });

  it('LED-08 that was marked by hand changes only with its mark', async () => {
    const ledger = await newLedger();
    const line = await newLine(ledger, '10', { PaidDate: '2026-01-01T00:00:00Z' });
    const refused = await admin.expectRefused('ledgeritem/save', { ID: line, AmountMoney: '11' }, 'STATE_REFUSES');
    assert.match(refused.message, /AmountMoney: .*marked as paid; clear its PaidDate in the same change/);
    await admin.save('ledgeritem', { ID: line, AmountMoney: '11', PaidDate: null });
    assert.equal(await isPaid(line), false);
  });
});

describe('a paid line with a ledger below', () => {
  it('LED-05 LED-08 is unpaid by what is added below, and payments cover the rest', async () => {
    const [outer, below] = [await newLedger(), await newLedger()];
    const fee = await newLine(below, '50');
    const line = (await admin.save('ledgeritem', { LedgerID: outer, ChildLedgerID: below, ...side }))['LedgerItemID'];
    const first = await pay(outer, '50');
    const cost = await newLine(below, '20');
    assert.equal(await isPaid(line), false);
    assert.deepEqual((await payable(outer))[0], ['Covered', 20]);
    await admin.expectRefused('ledgeritem/save', { ID: line, IsTotaled: false }, 'STATE_REFUSES', 'IsTotaled');
    const second = await pay(outer, '20');
    assert.equal(await isPaid(line), true);
    assert.equal(await owed(outer), 0);
    // What it was paid too much is used for other lines.
    await admin.save('ledgeritem', { ID: cost, AmountMoney: '5' });
    assert.equal(await isPaid(line), true);
    const other = await newLine(outer, '25');
    assert.deepEqual((await payable(outer))[0], ['EarlierFunds', 15]);
    await pay(outer, '10');
    assert.deepEqual([await isPaid(other), await owed(outer)], [true, 0]);
    for (const LedgerItemID of [first, second]) {
      const { message } = await admin.expectRefused('ledger/reversepayment', { LedgerItemID }, 'STATE_REFUSES');
      assert.match(message, /a later payment used the unapplied funds/);
    }
    await admin.save('ledgeritem', { ID: cost, AmountMoney: '20' });
    assert.equal(await owed(outer), 15);
    await admin.save('ledgeritem', { ID: fee, AmountMoney: '51' });
    assert.deepEqual([await isPaid(line), await owed(outer)], [false, 16]);
    await pay(outer, '16');
    assert.deepEqual([await isPaid(line), await owed(outer)], [true, 0]);
  });

  it('LED-05 LED-12 has the right mark after payments and changes below at the same moment', async () => {
    for (let n = 0; n < 5; n++) {
      const [outer, below] = [await newLedger(), await newLedger()];
      const fee = await newLine(below, '50');
      await admin.save('ledgeritem', { LedgerID: outer, ChildLedgerID: below, ...side });
      const answers = await Promise.all([
        admin.send('ledger/applypayment', { LedgerID: outer, AmountMoney: '50' }),
        admin.send('ledgeritem/save', { ID: fee, AmountMoney: '60' }),
        admin.send('ledgeritem/save', { LedgerID: below, AmountMoney: '3', ...side }),
      ]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200],
      );
      assert.equal(await owed(outer), 13);
    }
    assert.deepEqual((await checkLedgers(p.platform.store)).differences, []);
  });
});

it('LED-03 LED-12 a change of a template line and new lines of it at the same moment leave the right balances', async () => {
  const { LedgerTemplateID } = await admin.save('ledgertemplate', {
    LedgerTemplate: 'Sides',
    Repeatable: 'Many',
    Items: [{ LedgerTemplateItem: 'Fee', ManualInsert: 1, ...side }],
  });
  const [item] = await admin.expectRows('ledgertemplateitem/search', { LedgerTemplateID });
  const LedgerTemplateItemID = item?.['LedgerTemplateItemID'];
  for (let n = 0; n < 5; n++) {
    const ledgers = await Promise.all([newLedger({ LedgerTemplateID }), newLedger({ LedgerTemplateID })]);
    for (const LedgerID of ledgers) await admin.save('ledgeritem', { LedgerID, AmountMoney: '1', ...side });
    const answers = await Promise.all([
      admin.send('ledgertemplateitem/save', { ID: LedgerTemplateItemID, IsDebit: n % 2 === 0 ? false : true }),
      ...ledgers.map((LedgerID) => admin.send('ledgeritem/save', { LedgerID, LedgerTemplateItemID, AmountMoney: '5' })),
    ]);
    for (const { status, text } of answers) assert.equal(status, 200, text);
  }
  assert.deepEqual((await checkLedgers(p.platform.store)).differences, []);
});
