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
    const cases = (await admin.expectRows('ledgeritem/timetotals', march)).map((row) => row['Case']);
    assert.deepEqual(cases, ['Billed', 'Billed', 'Billed', 'Billed', undefined]);
    const weeks = await totals({ PersonID: ann, To: '2026-03-01', Period: 'Week' });
    assert.deepEqual(weeks, [['ann', ObjectID, '2026-02-23', undefined, 1, 1.5, 150, 150]]);
    await admin.expectRefused('ledgeritem/timetotals', { From: '2026-03-02', To: '2026-03-01' }, 'BAD_PARAMETER', 'To');
    await admin.expectRefused('ledgeritem/timetotals', { ObjectID }, 'BAD_PARAMETER', 'Object');
  });

  it('LED-09 timeentries lists by the same days as timetotals, also entries without an EffectiveDate', async () => {
    const { ForeclosureID: ObjectID } = await admin.save('foreclosure', { Foreclosure: 'Listed' });
    const ledger = await ledgerOf({ Object: 'Foreclosure', ObjectID });
    const below = await ledgerOf({
      Object: 'Ledger',
      ObjectID: await ledgerOf({ Object: 'Ledger', ObjectID: ledger }),
    });
    const dated = await enter(ledger, ann, '1', { EffectiveDate: '2026-03-01' });
    const undated = await enter(below, ann, '2');
    const posted = await enter(ledger, ann, '3', { EffectiveDate: '2026-03-01', PostedDate: '2026-04-02T12:00:00Z' });
    const of = { Object: 'foreclosure', ObjectID };
    const listed = async (filter: object): Promise<unknown[]> =>
      (await admin.expectRows('ledgeritem/timeentries', { ...of, ...filter })).map((row) => row['LedgerItemID']);
    for (const [filter, expected] of [
      [{}, [dated, posted, undated]],
      [{ NewestFirst: true }, [undated, posted, dated]],
      [{ From: '2026-03-01', To: '2026-03-31' }, [dated]],
      [{ From: '2026-04-01', To: '2026-04-30' }, [posted]],
      [{ From: '2026-05-01' }, [undated]],
    ] as const) {
      assert.deepEqual(await listed(filter), expected, JSON.stringify(filter));
      const { NewestFirst: _order, ...days } = filter as { readonly NewestFirst?: boolean };
      const counted = (await totals({ ...of, ...days })).map((row) => Number(row[4]));
      assert.equal(
        counted.reduce((sum, count) => sum + count, 0),
        expected.length,
      );
    }
    assert.deepEqual(await listed({ RecordStart: 1, DisplaySize: 1 }), [posted]);
    const [first] = await admin.expectRows('ledgeritem/timeentries', { ...of, DisplaySize: 1 });
    assert.deepEqual([first?.['ObjectID'], first?.['Day'], first?.['EntryCount']], [ObjectID, '2026-03-01', 3]);
    await admin.expectOk('ledgeritem/approve', { ID: dated });
    assert.deepEqual(await listed({ Status: 'null' }), [posted, undated]);
    assert.deepEqual(await listed({ Status: 'Approved' }), [dated]);
    await admin.expectRefused('ledgeritem/timeentries', { ObjectID }, 'BAD_PARAMETER', 'Object');
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

  it('LED-09 an approved entry keeps what was approved until its review is undone', async () => {
    const ledger = await ledgerOf({});
    const entry = await enter(ledger, ann, '1');
    await admin.expectOk('ledgeritem/approve', { ID: entry });
    const other = await ledgerOf({});
    for (const [field, value] of Object.entries({
      AmountMoney: '900',
      UnitCount: '9',
      Units: 'Day',
      Rate: '900',
      IsDebit: false,
      PersonID: bob,
      LedgerID: other,
      EffectiveDate: '2026-03-01',
      Status: 'Submitted',
    })) {
      const refused = await admin.expectRefused(
        'ledgeritem/save',
        { ID: entry, [field]: value },
        'STATE_REFUSES',
        field,
      );
      assert.match(refused.message, /ledgeritem\/undoreview/);
    }
    const forged = { ID: entry, PersonID: null, ReviewDate: '2026-03-01T00:00:00Z' };
    await admin.expectRefused('ledgeritem/save', forged, 'STATE_REFUSES', 'PersonID');
    await admin.expectRefused('ledgeritem/calculate', { ID: entry }, 'STATE_REFUSES', 'ID');
    // Values that are sent as they are, and others, are not part of the approval.
    await admin.save('ledgeritem', { ID: entry, AmountMoney: '100', PersonID: ann, Description: 'Motion' });
    assert.deepEqual(await reviewOf(entry), ['Approved', true, undefined, true]);
    await admin.expectOk('ledgeritem/undoreview', { ID: entry });
    await admin.save('ledgeritem', { ID: entry, AmountMoney: '200', UnitCount: '2' });
    assert.equal((await admin.select('ledger', ledger))['Balance'], 200);
    await admin.expectOk('ledgeritem/reject', { ID: entry });
    await admin.save('ledgeritem', { ID: entry, UnitCount: '3' });
    await admin.expectRefused('ledgeritem/save', { ID: entry, Status: 'Submitted' }, 'STATE_REFUSES', 'Status');
    await admin.expectOk('ledgeritem/approve', { ID: entry });
  });

  it('LED-09 LED-19 an approved entry is not deleted or excluded, and a rejected one not included', async () => {
    const ledger = await ledgerOf({});
    const [approved, rejected] = [await enter(ledger, ann, '1'), await enter(ledger, ann, '5')];
    await admin.expectOk('ledgeritem/approve', { ID: approved });
    await admin.expectOk('ledgeritem/reject', { ID: rejected });
    for (const [route, ID] of [
      ['ledgeritem/delete', approved],
      ['ledgeritem/excludefromtotal', approved],
      ['ledgeritem/toggleistotaled', approved],
      ['ledgeritem/toggleistotaled', rejected],
      ['ledgeritem/includeintotal', rejected],
    ] as const) {
      const { message } = await admin.expectRefused(route, { ID }, 'STATE_REFUSES', 'ID');
      assert.match(message, /LedgerItemUndoReview/);
    }
    await admin.expectRefused('ledgeritem/save', { ID: approved, IsTotaled: false }, 'STATE_REFUSES', 'IsTotaled');
    await admin.expectRefused('ledgeritem/save', { ID: rejected, IsTotaled: true }, 'STATE_REFUSES', 'IsTotaled');
    // Of a list, the others change.
    const open = await enter(ledger, ann, '2');
    const list = await admin.expectOk('ledgeritem/excludefromtotal', { ID: [approved, open] });
    assert.match(JSON.stringify(list['Alerts']), new RegExp(`Time entry ${String(approved)} is approved`));
    assert.equal((await admin.select('ledger', ledger))['BalanceAdjusted'], 100);
    // Nor by a user who may unlock ledgers, once the line is locked.
    await admin.expectOk('ledger/approve', { ID: ledger });
    const clerk = client(p, (await p.user('unlocker', 'Staff')).caller);
    const locked = await clerk.expectRefused('ledgeritem/delete', { ID: open }, 'LOCKED', 'LedgerItemID');
    assert.match(locked.message, /needs the permission LedgerUpdateLocked/);
    await admin.save('ledgeritem', { ID: approved, IsLocked: false });
    await admin.expectRefused('ledgeritem/delete', { ID: approved }, 'STATE_REFUSES', 'ID');
  });

  it('LED-09 an approval stores the side that was approved, and undoing it restores what was stored', async () => {
    const { LedgerTemplateID } = await admin.save('ledgertemplate', { LedgerTemplate: 'Sides' });
    const { LedgerTemplateItemID } = await admin.save('ledgertemplateitem', {
      LedgerTemplateID,
      LedgerTemplateItem: 'Work',
      IsDebit: true,
      ManualInsert: 1,
    });
    const ledger = await ledgerOf({ LedgerTemplateID });
    const entry = await enter(ledger, ann, '1', { LedgerTemplateItemID, IsDebit: null });
    await admin.expectOk('ledgeritem/approve', { ID: entry });
    await admin.save('ledgertemplateitem', { ID: LedgerTemplateItemID, IsDebit: false });
    await admin.expectOk('ledgeritem/recalculate', { ID: entry });
    assert.equal((await lineOf(entry))['IsDebit'], true);
    assert.equal((await admin.select('ledger', ledger))['BalanceAdjusted'], 100);
    await admin.expectOk('ledgeritem/undoreview', { ID: entry });
    assert.equal((await lineOf(entry))['IsDebit'], undefined);
    assert.equal((await admin.select('ledger', ledger))['BalanceAdjusted'], -100);
  });

  it('LED-09 undoing a rejection restores no approval of what was changed since', async () => {
    const entry = await enter(await ledgerOf({}), ann, '1');
    await admin.expectOk('ledgeritem/approve', { ID: entry });
    await admin.expectOk('ledgeritem/reject', { ID: entry });
    await admin.save('ledgeritem', { ID: entry, AmountMoney: '900' });
    const refused = await admin.expectRefused('ledgeritem/undoreview', { ID: entry }, 'STATE_REFUSES', 'ID');
    assert.match(refused.message, /approve it again/);
    await admin.expectOk('ledgeritem/approve', { ID: entry });
    await admin.expectOk('ledgeritem/undoreview', { ID: entry });
    assert.deepEqual(await reviewOf(entry), ['Rejected', false, undefined, true]);
  });

  it('LED-09 of an approval and an edit at the same moment, the edit is either approved or refused', async () => {
    const ledger = await ledgerOf({});
    for (let n = 0; n < 5; n++) {
      const entry = await enter(ledger, ann, '1');
      const [edited] = await Promise.all([
        admin.send('ledgeritem/save', { ID: entry, AmountMoney: '900' }),
        admin.expectOk('ledgeritem/approve', { ID: entry }),
      ]);
      const line = await lineOf(entry);
      assert.equal(line['Status'], 'Approved');
      if (edited.status !== 200) {
        assert.match(edited.text, /undoreview/);
        assert.equal(line['AmountMoney'], 100);
      } else {
        const { Version } = line;
        assert.deepEqual([line['AmountMoney'], Version], [900, 3]);
      }
    }
  });

  it('LED-09 only a review approves or rejects an entry', async () => {
    const LedgerID = await ledgerOf({});
    const entry = await enter(LedgerID, ann, '1');
    const refusedBy = async (values: object): Promise<void> => {
      const { message } = await admin.expectRefused('ledgeritem/save', values, 'STATE_REFUSES', 'Status');
      assert.match(message, /ledgeritem\/approve or ledgeritem\/reject/);
    };
    for (const Status of ['Approved', 'rejected', ' APPROVED ']) {
      await refusedBy({ ID: entry, Status });
      await refusedBy({ LedgerID, PersonID: ann, Status });
    }
    const nested = { Items: [{ LedgerItem: 'Work', PersonID: ann, Status: 'Approved' }] };
    await admin.expectRefused('ledger/save', nested, 'STATE_REFUSES');
    // A line without a timekeeper is no entry, and becomes none by keeping its status.
    const { LedgerItemID: line } = await admin.save('ledgeritem', { LedgerID, Status: 'Approved', AmountMoney: '1' });
    await refusedBy({ ID: line, PersonID: ann });
    await admin.save('ledgeritem', { ID: line, PersonID: ann, Status: 'Submitted' });
    await admin.save('ledgeritem', { ID: entry, Status: 'Submitted' });
  });

  it('LED-09 a firm totals and lists only entries of ledgers that it can access', async () => {
    await admin.save('role', { Role: 'Biller', Permissions: '*' });
    const theirs = client(p, (await p.firm('Time firm', 'Biller')).caller);
    assert.deepEqual(await theirs.expectRows('ledgeritem/timetotals', {}), []);
    assert.deepEqual(await theirs.expectRows('ledgeritem/timeentries', {}), []);
  });
});
