import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client, type Row } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
const ann = (await p.user('ann', 'Staff')).personId;
const bob = (await p.user('bob', 'Staff')).personId;

const hours = { Units: 'Hour', Rate: '100', IsDebit: true, IsTotaled: true };
const ledgerOf = async (fields: object): Promise<unknown> => (await admin.save('ledger', fields))['LedgerID'];
const enter = async (
  LedgerID: unknown,
  person: number | null,
  UnitCount: string,
  more: object = {},
): Promise<unknown> => {
  const AmountMoney = String(Number(UnitCount) * 100);
  const line = { LedgerID, LedgerItem: 'Work', PersonID: person, UnitCount, AmountMoney, ...hours, ...more };
  return (await admin.save('ledgeritem', line))['LedgerItemID'];
};
const totals = async (filter: object): Promise<unknown[][]> =>
  (await admin.expectRows('ledgeritem/timetotals', filter)).map((row) =>
    ['Person', 'ObjectID', 'From', 'Status', 'Entries', 'UnitCount', 'AmountMoney', 'AmountTotaled'].map(
      (name) => row[name],
    ),
  );
const lineOf = (ID: unknown): Promise<Row> => admin.select('ledgeritem', ID);
const reviewOf = async (ID: unknown): Promise<unknown[]> => {
  const line = await lineOf(ID);
  return [line['Status'], line['IsTotaled'], line['ReviewReason'], line['ReviewPersonID'] !== undefined];
};

describe('time entries', () => {
  it('LED-09 timetotals adds up units and amounts by person, case, period and status', async () => {
    const { ForeclosureID: ObjectID } = await admin.save('foreclosure', { Foreclosure: 'Billed' });
    const ledger = await ledgerOf({ Object: 'Foreclosure', ObjectID });
    const below = await ledgerOf({ Object: 'Ledger', ObjectID: ledger });
    const loose = await ledgerOf({ Currency: 'EUR' });
    await enter(ledger, ann, '1.5', { EffectiveDate: '2026-03-01' });
    const approved = await enter(below, ann, '2', { EffectiveDate: '2026-03-31' });
    const rejected = await enter(ledger, ann, '8', { EffectiveDate: '2026-03-15' });
    await enter(ledger, ann, '0.25', { EffectiveDate: '2026-04-01' });
    await enter(ledger, bob, '3', { EffectiveDate: '2026-03-02', IsDebit: false });
    await enter(loose, bob, '4', { EffectiveDate: '2026-03-02' });
    await enter(ledger, null, '99', { EffectiveDate: '2026-03-02' });
    await admin.expectOk('ledgeritem/approve', { ID: approved });
    await admin.expectOk('ledgeritem/reject', { ID: rejected });
    const march = { From: '2026-03-01', To: '2026-03-31' };
    assert.deepEqual(await totals(march), [
      ['ann', ObjectID, '2026-03-01', undefined, 1, 1.5, 150, 150],
      ['ann', ObjectID, '2026-03-01', 'Approved', 1, 2, 200, 200],
      ['ann', ObjectID, '2026-03-01', 'Rejected', 1, 8, 800, 0],
      ['bob', ObjectID, '2026-03-01', undefined, 1, 3, -300, -300],
      ['bob', undefined, '2026-03-01', undefined, 1, 4, 400, 400],
    ]);
    const ofCase = { Object: 'foreclosure', ObjectID, PersonID: ann, Period: 'Year', Status: 'approved' };
    assert.deepEqual(await totals(ofCase), [['ann', ObjectID, '2026-01-01', 'Approved', 1, 2, 200, 200]]);
    const weeks = await totals({ PersonID: ann, To: '2026-03-01', Period: 'Week' });
    assert.deepEqual(weeks, [['ann', ObjectID, '2026-02-23', undefined, 1, 1.5, 150, 150]]);
    await admin.expectRefused('ledgeritem/timetotals', { From: '2026-03-02', To: '2026-03-01' }, 'BAD_PARAMETER', 'To');
    await admin.expectRefused('ledgeritem/timetotals', { ObjectID }, 'BAD_PARAMETER', 'Object');
  });

  it('LED-09 approve and reject record who, when and why; undoreview restores what was before, step by step', async () => {
    const ledger = await ledgerOf({});
    const entry = await enter(ledger, ann, '1', { Status: 'Submitted', IsTotaled: null });
    const other = await enter(ledger, ann, '2');
    const bobs = client(p, (await p.user('lead', 'Administrator')).caller);
    await bobs.expectOk('ledgeritem/approve', { ID: [entry, other] });
    assert.deepEqual(await reviewOf(entry), ['Approved', true, undefined, true]);
    const first = await lineOf(entry);
    await admin.expectOk('ledgeritem/reject', { ID: entry, Reason: 'Not billable' });
    assert.deepEqual(await reviewOf(entry), ['Rejected', false, 'Not billable', true]);
    assert.notEqual((await lineOf(entry))['ReviewPersonID'], first['ReviewPersonID']);
    assert.equal((await admin.select('ledger', ledger))['BalanceAdjusted'], 200);

    await admin.expectOk('ledgeritem/undoreview', { ID: [entry, other] });
    assert.deepEqual(await reviewOf(entry), ['Approved', true, undefined, true]);
    assert.equal((await lineOf(entry))['ReviewPersonID'], first['ReviewPersonID']);
    assert.equal((await lineOf(entry))['ReviewDate'], first['ReviewDate']);
    const refused = await admin.expectOk('ledgeritem/undoreview', { ID: [entry, other] });
    assert.match(JSON.stringify(refused['Alerts']), /has no approval or rejection to undo/);
    assert.deepEqual(await reviewOf(entry), ['Submitted', undefined, undefined, false]);
    await admin.expectRefused('ledgeritem/undoreview', { ID: entry }, 'STATE_REFUSES', 'ID');
    await admin.save('ledgeritem', { ID: entry, ReviewPersonID: ann, ReviewReason: 'Mine' });
    assert.deepEqual(await reviewOf(entry), ['Submitted', undefined, undefined, false]);
  });

  it('LED-09 a firm totals only entries of ledgers that it can access', async () => {
    await admin.save('role', { Role: 'Biller', Permissions: '*' });
    const theirs = client(p, (await p.firm('Time firm', 'Biller')).caller);
    assert.deepEqual(await theirs.expectRows('ledgeritem/timetotals', {}), []);
  });
});
