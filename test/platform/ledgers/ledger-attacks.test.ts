/** Misuse of ledgers: those of other firms, circles, amounts that are too large, and locks above. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { client } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
await admin.save('role', { Role: 'Biller', Permissions: '* -LedgerUpdateLocked' });
const [alpha, beta] = [await p.firm('Alpha', 'Biller'), await p.firm('Beta', 'Biller')];
const [own, other] = [client(p, alpha.caller), client(p, beta.caller)];
const side = { IsDebit: true, IsTotaled: true };

async function caseLedger(firm: typeof alpha, by: typeof admin): Promise<{ ObjectID: unknown; LedgerID: unknown }> {
  const { ForeclosureID: ObjectID } = await admin.save('foreclosure', {
    Foreclosure: `Case ${firm.organizationId}`,
    OrganizationID: firm.organizationId,
  });
  const { LedgerID } = await by.save('ledger', { Ledger: 'Hidden fees', Object: 'Foreclosure', ObjectID });
  return { ObjectID, LedgerID };
}

it('LED-10 a firm reaches no ledger of another firm, whichever parameter names it', async () => {
  const hidden = await caseLedger(alpha, own);
  const { LedgerItemID: line } = await own.save('ledgeritem', {
    LedgerID: hidden.LedgerID,
    LedgerItem: 'Hidden line',
    AmountMoney: '77.31',
    ...side,
  });
  const { LedgerID, ObjectID } = await caseLedger(beta, other);
  const { LedgerItemID: mine } = await other.save('ledgeritem', { LedgerID, AmountMoney: '1', ...side });
  const before = JSON.stringify([
    await admin.select('ledger', hidden.LedgerID),
    await admin.select('ledger', LedgerID),
  ]);
  const at = new Date().toISOString();
  const refused: readonly (readonly [string, object])[] = [
    ...[
      'select',
      'lines',
      'statement',
      'history',
      'calculate',
      'post',
      'lockitems',
      'authorizeandcapture',
      'undelete',
    ].map((name) => [`ledger/${name}`, { ID: hidden.LedgerID }] as const),
    ['ledger/approve', { ID: [LedgerID, hidden.LedgerID] }],
    ['ledger/rollback', { ID: hidden.LedgerID, At: at }],
    ['ledger/applypayment', { LedgerID: hidden.LedgerID, AmountMoney: '1' }],
    ['ledger/previewpayment', { LedgerID: hidden.LedgerID, AmountMoney: '1' }],
    ['payment/charge', { LedgerID: hidden.LedgerID, Token: 'test_visa', Amount: '1' }],
    ['ledger/save', { Object: 'Ledger', ObjectID: hidden.LedgerID }],
    ['ledger/save', { ID: LedgerID, Object: 'Foreclosure', ObjectID: hidden.ObjectID }],
    ['ledger/reversepayment', { LedgerItemID: line }],
    ['ledger/reversebatch', { ImportFileID: 1 }],
    ['ledgeritem/project', { LedgerID: hidden.LedgerID }],
    ['ledgeritem/history', { ID: line }],
    ['ledgeritem/asof', { ID: line, At: at }],
    ['ledgeritem/approve', { ID: [mine, line] }],
    ['ledgeritem/excludefromtotal', { ID: line }],
    ['ledgeritem/save', { LedgerID: hidden.LedgerID, AmountMoney: '1' }],
    ['ledgeritem/save', { LedgerID, ChildLedgerID: hidden.LedgerID }],
    ['ledgeritem/save', { ID: mine, ChildLedgerID: hidden.LedgerID }],
    ['ledgeritem/save', { ID: mine, LedgerID: hidden.LedgerID }],
    ['ledgeritem/save', { ID: mine, ReferenceLedgerItemID: line }],
    ['message/save', { Object: 'Ledger', ObjectID: hidden.LedgerID, Message: 'Note' }],
    [
      'objectlink/save',
      { PrimaryObject: 'Ledger', PrimaryObjectID: LedgerID, LinkedObject: 'Ledger', LinkedObjectID: hidden.LedgerID },
    ],
  ];
  for (const [route, sent] of refused) await other.expectRefused(route, sent, 'NOT_FOUND');
  const parent = { Object: 'Foreclosure', ObjectID: hidden.ObjectID };
  for (const [route, sent] of [
    ['ledger/search', { Ledger: 'Hidden fees', ObjectID: `<>${String(ObjectID)}` }],
    ['ledger/listbyobject', parent],
    ['ledgeritem/search', { LedgerID: hidden.LedgerID }],
    ['ledgeritem/search', { LedgerItem: 'Hidden line' }],
    ['ledgeritem/timeentries', parent],
    ['ledgeritem/timetotals', parent],
    ['attachment/search', { Object: 'Ledger', ObjectID: hidden.LedgerID }],
    ['record/find', { Text: 'Hidden line' }],
  ] as const)
    assert.deepEqual(await other.expectRows(route, sent), [], route);
  const now = JSON.stringify([await admin.select('ledger', hidden.LedgerID), await admin.select('ledger', LedgerID)]);
  assert.equal(now, before);
});

it('LED-10 LED-13 a locked line protects all ledgers below it, even from users who cannot see the line', async () => {
  const { LedgerID: below } = await caseLedger(alpha, own);
  const { LedgerItemID } = await own.save('ledgeritem', { LedgerID: below, AmountMoney: '5', ...side });
  const [top, middle] = [await admin.save('ledger', {}), await admin.save('ledger', {})];
  const attach = (ledger: unknown, child: unknown): Promise<unknown> =>
    admin.save('ledgeritem', { LedgerID: ledger, ChildLedgerID: child, ...side });
  await attach(middle['LedgerID'], below);
  await attach(top['LedgerID'], middle['LedgerID']);
  await own.save('ledgeritem', { ID: LedgerItemID, AmountMoney: '6' });
  await admin.expectOk('ledger/approve', { ID: top['LedgerID'] });
  for (const [route, sent] of [
    ['ledgeritem/save', { ID: LedgerItemID, AmountMoney: '7' }],
    ['ledgeritem/save', { LedgerID: below, AmountMoney: '1', ...side }],
    ['ledgeritem/delete', { ID: LedgerItemID }],
  ] as const) {
    const { message } = await own.expectRefused(route, sent, 'LOCKED', 'LedgerID');
    assert.match(message, /rolls up is locked.*LedgerUpdateLocked/);
  }
  assert.equal((await admin.select('ledger', top['LedgerID']))['BalanceAdjusted'], 6);
});

it('LED-12 a closed month protects the ledgers below its lines, even from users who cannot see the lines', async () => {
  const { LedgerID: below } = await caseLedger(alpha, own);
  const { LedgerItemID } = await own.save('ledgeritem', { LedgerID: below, AmountMoney: '5', ...side });
  const { LedgerID: top } = await admin.save('ledger', {});
  await admin.save('ledgeritem', { LedgerID: top, ChildLedgerID: below, PostedDate: '2025-12-31T12:00:00', ...side });
  await admin.save('setting', { Setting: 'LedgerClosedThrough', Value: '2025-12' });
  await own.expectRefused('ledgeritem/save', { ID: LedgerItemID, AmountMoney: '7' }, 'STATE_REFUSES', 'PostedDate');
  // The month is that of the installation's time zone, which is behind UTC.
  const line = { LedgerID: (await admin.save('ledger', {}))['LedgerID'], AmountMoney: '1' };
  for (const PostedDate of ['2025-12-31T23:59:59', '2026-01-01T00:30:00Z'])
    await admin.expectRefused('ledgeritem/save', { ...line, PostedDate }, 'STATE_REFUSES', 'PostedDate');
  await admin.save('ledgeritem', { ...line, PostedDate: '2026-01-01T00:00:00' });
  await admin.save('setting', { Setting: 'LedgerClosedThrough', Value: '' });
});

it('LED-08 lines of a payment are reversed, not changed, even after they are unlocked', async () => {
  const { LedgerID } = await admin.save('ledger', {});
  const { LedgerItemID: fee } = await admin.save('ledgeritem', { LedgerID, AmountMoney: '10', ...side });
  const payment = await admin.expectOk('ledger/applypayment', { LedgerID, AmountMoney: '12' });
  const below = { LedgerID: payment['ChildLedgerID'], OrderBy: 'LedgerItemID' };
  const parts = await admin.expectRows('ledgeritem/search', below);
  const { LedgerID: elsewhere } = await admin.save('ledger', {});
  const lines = [payment, ...parts].map((row) => row['LedgerItemID']);
  for (const ID of lines) {
    await admin.save('ledgeritem', { ID, IsLocked: false });
    for (const change of [{ AmountMoney: '1' }, { IsTotaled: false }, { LedgerID: elsewhere }, { ChildLedgerID: null }])
      await admin.expectRefused('ledgeritem/save', { ID, ...change }, 'STATE_REFUSES');
    const { message } = await admin.expectRefused('ledgeritem/delete', { ID }, 'STATE_REFUSES', 'ID');
    assert.match(message, /ledger\/reversepayment/);
    await admin.expectRefused('ledgeritem/toggleistotaled', { ID }, 'STATE_REFUSES');
    await admin.save('ledgeritem', { ID, Description: 'Check 17' });
  }
  await admin.expectRefused('ledgeritem/save', { ID: fee, PaidDate: null }, 'STATE_REFUSES', 'PaidDate');
  await admin.expectRefused('ledgeritem/save', { ID: fee, LedgerID: elsewhere }, 'STATE_REFUSES', 'LedgerID');
  const reversal = await admin.expectOk('ledger/reversepayment', { LedgerItemID: payment['LedgerItemID'] });
  await admin.save('ledgeritem', { ID: reversal['LedgerItemID'], IsLocked: false });
  await admin.expectRefused('ledgeritem/delete', { ID: reversal['LedgerItemID'] }, 'STATE_REFUSES', 'ID');
  await admin.save('ledgeritem', { ID: fee, LedgerID: elsewhere });
  assert.equal((await admin.select('ledger', LedgerID))['BalanceAdjusted'], 0);
});

it('LED-05 ledgers cannot contain each other, even if two calls try at once', async () => {
  const ids: unknown[] = [];
  for (let n = 0; n < 3; n++) ids.push((await admin.save('ledger', {}))['LedgerID']);
  const [a, b, c] = ids;
  const below = (ID: unknown, ObjectID: unknown): object => ({ ID, Object: 'Ledger', ObjectID });
  await admin.expectRefused('ledger/save', below(a, a), 'BAD_PARAMETER', 'ObjectID');
  await admin.save('ledger', below(b, a));
  await admin.save('ledger', below(c, b));
  await admin.expectRefused('ledger/save', below(a, c), 'BAD_PARAMETER', 'ObjectID');
  for (let n = 0; n < 5; n++) {
    const [x, y] = [await admin.save('ledger', {}), await admin.save('ledger', {})].map((row) => row['LedgerID']);
    const answers = await Promise.all([admin.send('ledger/save', below(x, y)), admin.send('ledger/save', below(y, x))]);
    assert.equal(answers.filter(({ status }) => status === 200).length, 1, answers.map(({ text }) => text).join('\n'));
  }
});

it('LED-05 a ledger is not moved below more ledgers than are checked for a circle', async () => {
  const ids: unknown[] = [];
  for (let n = 0; n < 101; n++) {
    const above = n === 0 ? {} : { Object: 'Ledger', ObjectID: ids.at(-1) };
    ids.push((await admin.save('ledger', above))['LedgerID']);
  }
  const { LedgerID: ID } = await admin.save('ledger', {});
  const below = (ObjectID: unknown): object => ({ ID, Object: 'Ledger', ObjectID });
  const error = await admin.expectRefused('ledger/save', below(ids[100]), 'BAD_PARAMETER', 'ObjectID');
  assert.match(error.message, /below fewer than 100 others/);
  await admin.save('ledger', below(ids[99]));
});

it('LED-02 LED-12 errors name amounts that are too large, and rates are rounded to whole units of the currency', async () => {
  const { LedgerID } = await admin.save('ledger', {});
  await admin.save('ledgeritem', { LedgerID, AmountMoney: '999999999999999.9999', ...side });
  const sum = await admin.expectRefused('ledgeritem/save', { LedgerID, AmountMoney: '1', ...side }, 'BAD_PARAMETER');
  assert.match(sum.message, /too large.*15 digits/);
  const { LedgerID: rates } = await admin.save('ledger', {});
  await admin.save('ledgeritem', { LedgerID: rates, Rate: '99999999999999', UnitCount: '99999999999999', ...side });
  for (const [route, sent] of [
    ['ledger/calculate', { ID: rates }],
    ['ledgeritem/project', { LedgerID: rates }],
  ] as const)
    await admin.expectRefused(route, sent, 'STATE_REFUSES', 'AmountMoney');
  const { LedgerID: yen } = await admin.save('ledger', { Currency: 'JPY' });
  const { LedgerItemID } = await admin.save('ledgeritem', { LedgerID: yen, Rate: '0.5', UnitCount: '3', ...side });
  await admin.expectOk('ledger/calculate', { ID: yen });
  assert.equal((await admin.select('ledgeritem', LedgerItemID))['AmountMoney'], 2);
  await admin.expectOk('ledger/applypayment', { LedgerID: yen, AmountMoney: '2' });
});

it('LED-06 LED-08 a case whose ledgers are in the books is not deleted; drafts return with an undelete', async () => {
  const newCase = async (): Promise<unknown> =>
    (await admin.save('foreclosure', { Foreclosure: 'Deleted', OrganizationID: alpha.organizationId }))[
      'ForeclosureID'
    ];
  const ledgerOf = async (ObjectID: unknown, Object = 'Foreclosure'): Promise<unknown> => {
    const { LedgerID } = await admin.save('ledger', { Ledger: 'Costs', Object, ObjectID });
    await admin.save('ledgeritem', { LedgerID, AmountMoney: '10', ...side });
    return LedgerID;
  };
  const draft = await newCase();
  const left = await ledgerOf(draft);
  await admin.expectOk('foreclosure/delete', { ID: draft });
  await admin.expectOk('foreclosure/undelete', { ID: draft });
  assert.deepEqual(
    (await admin.expectRows('ledger/listbyobject', { Object: 'Foreclosure', ObjectID: draft })).map(
      (row) => row['LedgerID'],
    ),
    [left],
  );
  const below = async (ObjectID: unknown): Promise<unknown> => ledgerOf(await ledgerOf(ObjectID), 'Ledger');
  const states: readonly (readonly [RegExp, (id: unknown) => Promise<unknown>])[] = [
    [/ledger \d+ "Costs" is Approved\./, async (id) => admin.expectOk('ledger/approve', { ID: await ledgerOf(id) })],
    [/ledger \d+ "Costs" is Posted\./, async (id) => admin.expectOk('ledger/post', { ID: await below(id) })],
    [/has locked lines\./, async (id) => admin.expectOk('ledger/lockitems', { ID: await ledgerOf(id) })],
    [
      /has payments/,
      async (id) => admin.expectOk('ledger/applypayment', { LedgerID: await ledgerOf(id), AmountMoney: '4' }),
    ],
  ];
  for (const [reason, finish] of states) {
    const id = await newCase();
    await ledgerOf(id);
    await finish(id);
    const { message } = await admin.expectRefused('foreclosure/delete', { ID: id }, 'STATE_REFUSES', 'ID');
    assert.match(message, reason);
    assert.match(message, /the foreclosure can't be deleted while it has ledgers that are part of the books/i);
  }
});

it('LED-06 of a case that is deleted while its ledger is approved, the deletion is first or refused', async () => {
  for (let n = 0; n < 5; n++) {
    const { LedgerID, ObjectID } = await caseLedger(alpha, admin);
    const [deleted, approved] = await Promise.all([
      admin.send('foreclosure/delete', { ID: ObjectID }),
      admin.send('ledger/approve', { ID: LedgerID }),
    ]);
    assert.equal(approved.status, 200, approved.text);
    if (deleted.status !== 200) assert.match(deleted.text, /is Approved/);
    else {
      const changes = await p.platform.store.query<{ change: string }>(
        `select change from history where change <> 'insert' and (tablename, recordid) in
           (('foreclosure', $1::bigint), ('ledger', $2::bigint)) order by historyid`,
        [ObjectID, LedgerID],
      );
      assert.equal(changes[0]?.change, 'delete');
    }
  }
});
