import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client, type Row } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
await admin.save('role', { Role: 'Clerk', Permissions: '* -LedgerCloseMonth', UniversalAccess: true });
const clerk = client(p, (await p.user('clerk', 'Clerk')).caller);

const debit = { LedgerItem: 'Fee', AmountMoney: '10', IsDebit: true, IsTotaled: true };
const october = '2026-10-15T12:00:00Z';
const close = (Value: string): Promise<Row> => admin.save('setting', { Setting: 'LedgerClosedThrough', Value });
const refusedBy = async (route: string, values: object): Promise<void> => {
  await admin.expectRefused(route, values, 'STATE_REFUSES', 'PostedDate');
  assert.match((await admin.send(route, values)).text, /2026-10 is closed.*LedgerCloseMonth/);
};

describe('closed months', () => {
  it('LED-12 refuse lines that are added, changed, moved or deleted in them, and what rolls up into them', async () => {
    await close('');
    const { LedgerID } = await admin.save('ledger', {});
    const { LedgerID: below } = await admin.save('ledger', {});
    const { LedgerItemID: booked } = await admin.save('ledgeritem', { LedgerID, ...debit, PostedDate: october });
    const { LedgerItemID: open } = await admin.save('ledgeritem', { LedgerID, ...debit });
    await admin.save('ledgeritem', {
      LedgerID,
      ...debit,
      ChildLedgerID: below,
      AmountMoney: '0',
      PostedDate: october,
    });
    await close('2026-10');
    await refusedBy('ledgeritem/save', { LedgerID, ...debit, PostedDate: october });
    await refusedBy('ledgeritem/save', { LedgerID: below, ...debit });
    await refusedBy('ledgeritem/save', { ID: booked, AmountMoney: '11' });
    await refusedBy('ledgeritem/save', { ID: booked, PostedDate: '2099-01-01T00:00:00Z' });
    await refusedBy('ledgeritem/save', { ID: open, PostedDate: october });
    await refusedBy('ledgeritem/toggleistotaled', { ID: booked });
    await refusedBy('ledgeritem/delete', { ID: booked });
    await admin.save('ledgeritem', { ID: booked, Description: 'Reviewed' });
    await admin.save('ledgeritem', { ID: open, AmountMoney: '12', PostedDate: '2099-01-01T00:00:00Z' });
    assert.equal((await admin.select('ledger', LedgerID))['Balance'], 22);
  });

  it('LED-05 LED-12 keep their balances when the defaults of a template line change', async () => {
    await close('');
    const { LedgerTemplateID } = await admin.save('ledgertemplate', {
      LedgerTemplate: 'Closed',
      Repeatable: 'Many',
      Items: [{ LedgerTemplateItem: 'Fee', ManualInsert: 1, IsDebit: true, IsTotaled: true }],
    });
    const [line] = await admin.expectRows('ledgertemplateitem/search', { LedgerTemplateID });
    const id = line?.['LedgerTemplateItemID'];
    const newLedger = async (PostedDate?: string): Promise<unknown> => {
      const { LedgerID } = await admin.save('ledger', { LedgerTemplateID });
      await admin.save('ledgeritem', { LedgerID, LedgerTemplateItemID: id, AmountMoney: '9', PostedDate });
      return LedgerID;
    };
    const [booked, below, open] = [await newLedger(october), await newLedger(), await newLedger()];
    const { LedgerID: above } = await admin.save('ledger', {});
    const rollUp = { LedgerID: above, LedgerItem: 'Below', ChildLedgerID: below, PostedDate: october };
    await admin.save('ledgeritem', { ...rollUp, IsDebit: true, IsTotaled: true });
    await close('2026-10');
    await admin.save('ledgertemplateitem', { ID: id, IsDebit: false, IsTotaled: false });
    const balances = [booked, below, above, open].map(async (ledger) => {
      const row = await admin.select('ledger', ledger);
      return [row['Balance'], row['BalanceAdjusted']];
    });
    assert.deepEqual(await Promise.all(balances), [
      [9, 9],
      [9, 9],
      [9, 9],
      [-9, 0],
    ]);
    await close('');
  });

  it('LED-12 refuse ledgers that are posted in them, and lines without a date of their own there', async () => {
    await close('');
    const { LedgerID } = await admin.save('ledger', { PostedDate: october });
    await close('2026-10');
    await refusedBy('ledger/save', { PostedDate: october });
    await refusedBy('ledgeritem/save', { LedgerID, ...debit });
    await refusedBy('ledger/delete', { ID: LedgerID });
    // A correction is posted in an open month.
    await admin.save('ledgeritem', { LedgerID, ...debit, PostedDate: '2099-01-01T00:00:00Z' });
  });

  it('LED-08 LED-12 refuse payments, reversals and posting while the present month is closed', async () => {
    await close('');
    const { LedgerID } = await admin.save('ledger', { Items: [debit] });
    const { LedgerItemID } = await admin.expectOk('ledger/applypayment', { LedgerID, AmountMoney: '4' });
    const { LedgerID: draft } = await admin.save('ledger', { Items: [debit] });
    await close('9998-12');
    for (const [route, values] of [
      ['ledger/applypayment', { LedgerID, AmountMoney: '1' }],
      ['ledger/reversepayment', { LedgerItemID }],
      ['ledger/post', { ID: draft }],
    ] as const)
      await admin.expectRefused(route, values, 'STATE_REFUSES', 'PostedDate');
    assert.equal((await admin.select('ledger', LedgerID))['Balance'], 6);
    assert.equal((await admin.select('ledger', draft))['IsLocked'], undefined);
    await close('2026-10');
    await admin.expectOk('ledger/reversepayment', { LedgerItemID });
    await admin.expectOk('ledger/post', { ID: draft });
  });

  it('LED-12 no line is added to a month after it was closed, by calls that had begun before', async () => {
    const ledgers: unknown[] = [];
    for (let n = 0; n < 6; n++) ledgers.push((await admin.save('ledger', {}))['LedgerID']);
    const booked = async (): Promise<number | undefined> => {
      const [row] = await p.platform.store.query<{ n: number }>(
        `select count(*)::integer as n from ledgeritem where ledgerid = any($1::bigint[])`,
        [`{${ledgers.join(',')}}`],
      );
      return row?.n;
    };
    for (let round = 0; round < 5; round++) {
      await close('2026-08');
      const posts = ledgers.map((LedgerID) =>
        admin.send('ledgeritem/save', { LedgerID, ...debit, PostedDate: october }),
      );
      await close('2026-10');
      const closed = await booked();
      for (const { status, text } of await Promise.all(posts)) assert.ok([200, 422].includes(status), text);
      assert.equal(await booked(), closed);
    }
    await close('');
  });

  it('LED-12 only users with LedgerCloseMonth close and reopen months, and the history says who did', async () => {
    const { SettingID: ID } = await close('2026-10');
    const values = { Setting: 'LedgerClosedThrough', Value: '2026-09' };
    await clerk.expectRefused('setting/save', values, 'NO_PERMISSION', 'Setting');
    await clerk.expectRefused('setting/save', { ID, Setting: 'TimeZone' }, 'NO_PERMISSION', 'Setting');
    await clerk.expectRefused('setting/delete', { ID }, 'NO_PERMISSION', 'Setting');
    await admin.expectRefused('setting/save', { ...values, Value: '2026-13' }, 'BAD_PARAMETER', 'Value');
    await admin.save('setting', values);
    const history = await admin.expectRows('setting/history', { ID });
    const changes = history.filter(({ Field }) => Field === 'Value');
    assert.ok(changes.some(({ OldValue, NewValue }) => OldValue === '2026-10' && NewValue === '2026-09'));
    assert.ok(history.every(({ PersonID, Person }) => PersonID !== undefined || Person !== undefined));
  });
});
