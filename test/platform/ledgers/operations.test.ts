import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client, expectOk, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after }, { worker: true });
const admin = client(p);
await admin.save('role', { Role: 'Clerk', Permissions: '* -LedgerUpdateLocked', UniversalAccess: true });
const clerk = client(p, (await p.user('clerk', 'Clerk')).caller);
let made = 0;

const debit = { IsDebit: true, IsTotaled: true };
const ledgerWith = async (lines: readonly object[], fields: object = {}): Promise<Row> =>
  admin.save('ledger', { Items: lines.map((line, n) => ({ LedgerItem: `Line ${n + 1}`, ...line })), ...fields });
const linesOf = async (ledger: unknown): Promise<Row[]> =>
  admin.expectRows('ledgeritem/search', { LedgerID: ledger, OrderBy: 'LedgerItemID' });
const idsOf = async (ledger: unknown): Promise<unknown[]> =>
  (await linesOf(ledger)).map((line) => line['LedgerItemID']);
const balances = async (ledger: unknown): Promise<unknown[]> => {
  const row = await admin.select('ledger', ledger);
  return [row['Balance'], row['BalanceAdjusted']];
};

describe('approving, posting and locking ledgers', () => {
  it('LED-13 approve sets Completed and locks the ledger and its lines', async () => {
    const { LedgerID: ID } = await ledgerWith([{ AmountMoney: '5', ...debit }, { AmountMoney: '1' }]);
    const [approved] = await clerk.expectRows('ledger/approve', { ID });
    assert.equal(approved?.['Status'], 'Approved');
    assert.equal(approved['IsLocked'], true);
    assert.ok(approved['Completed']);
    assert.deepEqual(
      (await linesOf(ID)).map((line) => line['IsLocked']),
      [true, true],
    );
    assert.deepEqual(await balances(ID), [4, 5]);
  });

  it('LED-06 an approved ledger is posted only with LedgerUpdateLocked, and neither is done twice', async () => {
    const { LedgerID: ID } = await ledgerWith([]);
    await clerk.expectOk('ledger/approve', { ID });
    for (const route of ['ledger/approve', 'ledger/post']) {
      const refused = await clerk.send(route, { ID });
      assert.equal(refused.status, 409);
      assert.match(refused.text, /"Code":"LOCKED".*"Alerts":|"Alerts":.*"Code":"LOCKED"/);
    }
    const again = await admin.expectRefused('ledger/approve', { ID }, 'STATE_REFUSES', 'ID');
    assert.equal(again.status, 422);
    const posted = await admin.expectOk('ledger/post', { ID });
    assert.equal(posted['Status'], 'Posted');
    assert.ok(posted['PostedDate']);
    await admin.expectRefused('ledger/post', { ID }, 'STATE_REFUSES', 'ID');
  });

  it('LED-06 of a list, those that refuse are left alone with an alert, and the rest go on', async () => {
    const [done, open] = [await ledgerWith([]), await ledgerWith([])];
    await admin.expectOk('ledger/approve', { ID: done['LedgerID'] });
    const answer = await admin.expectOk('ledger/approve', { ID: [done['LedgerID'], open['LedgerID']] });
    assert.match(JSON.stringify(answer['Alerts']), /already Approved/);
    assert.equal((await admin.select('ledger', open['LedgerID']))['Status'], 'Approved');
    await admin.expectRefused('ledger/approve', { ID: [open['LedgerID'], 99_999_999] }, 'NOT_FOUND');
  });

  it('LED-14 post locks an open ledger, and lockitems only lines', async () => {
    const { LedgerID: first } = await ledgerWith([{ AmountMoney: '1' }]);
    const posted = await clerk.expectOk('ledger/post', { ID: first });
    assert.equal(posted['IsLocked'], true);
    assert.equal((await linesOf(first))[0]?.['IsLocked'], true);
    const { LedgerID: second } = await ledgerWith([{ AmountMoney: '1' }]);
    await clerk.expectOk('ledger/lockitems', { ID: second });
    assert.equal((await linesOf(second))[0]?.['IsLocked'], true);
    assert.notEqual((await admin.select('ledger', second))['IsLocked'], true);
  });

  it('LED-13 a locked line keeps what it took from its template line', async () => {
    const { LedgerTemplateID } = await admin.save('ledgertemplate', {
      LedgerTemplate: `Kept ${++made}`,
      Items: [{ LedgerTemplateItem: 'Fee', AmountMoney: '3', ...debit }],
    });
    const { LedgerID: ID } = await admin.save('ledger', { LedgerTemplateID });
    await admin.expectOk('ledger/approve', { ID });
    const [line] = await admin.expectRows('ledgertemplateitem/search', { LedgerTemplateID });
    await admin.save('ledgertemplateitem', { ID: line?.['LedgerTemplateItemID'], IsDebit: false });
    assert.deepEqual(await balances(ID), [3, 3]);
  });

  it('LED-13 approve generates the invoice of the template or its matrix, on the ledger or the case, only once', async () => {
    const csv = { AttachmentService: 'DelimitedGenerator' };
    const onLedger = await admin.save('attachmenttemplate', { AttachmentTemplate: 'Fee invoice', ...csv });
    const caseType = { AttachmentTemplate: 'Case invoice', AppliesTo: 'Foreclosure', ...csv };
    await admin.save('attachmenttemplate', caseType);
    const grid = 'Ledger,TemplateName\n1,output\nTo the case,Case invoice\n';
    const table = p.admin.post('/api/matrix/importtable?Output=Json&Matrix=Invoices', grid, {
      'content-type': 'text/csv',
    });
    const { MatrixID: InvoiceMatrixID } = await expectOk(table);
    const { LedgerTemplateID } = await admin.save('ledgertemplate', {
      LedgerTemplate: 'Invoiced',
      Repeatable: 'Many',
      InvoiceTemplateID: onLedger['AttachmentTemplateID'],
      InvoiceMatrixID,
    });
    const { ForeclosureID: ObjectID } = await admin.save('foreclosure', { Foreclosure: 'Invoiced' });
    const below = { LedgerTemplateID, Object: 'Foreclosure', ObjectID };
    const { LedgerID: first } = await admin.save('ledger', { ...below, Ledger: 'To itself' });
    const { LedgerID: second } = await admin.save('ledger', { ...below, Ledger: 'To the case' });
    await clerk.expectOk('ledger/approve', { ID: [first, second] });
    const invoices = (Object: string, id: unknown): Promise<Row[]> =>
      admin.expectRows('attachment/search', { Object, ObjectID: id });
    await eventually('both invoices are generated', async () => {
      const [own, ofCase] = [await invoices('Ledger', first), await invoices('Foreclosure', ObjectID)];
      return own.length === 1 && ofCase.length === 1;
    });
    await admin.save('ledger', { ID: first, IsLocked: false, Status: 'Open' });
    await admin.expectOk('ledger/approve', { ID: first });
    const [jobs] = await p.platform.store.query<{ n: number }>(
      `select count(*)::integer as n from pgboss.job where data::text like '%attachment/generate%'`,
    );
    assert.equal(jobs?.n, 2);
  });
});

describe('operations on lines', () => {
  it('LED-09 LED-19 includeintotal, excludefromtotal and toggleistotaled change unlocked lines, and the totals above', async () => {
    const { LedgerTemplateID } = await admin.save('ledgertemplate', {
      LedgerTemplate: `Excluding ${++made}`,
      Items: [
        { LedgerTemplateItem: 'May', CanExclude: true, AmountMoney: '2', Sequence: 1, ...debit },
        { LedgerTemplateItem: 'Must', CanExclude: false, AmountMoney: '3', Sequence: 2, ...debit },
      ],
    });
    const { LedgerID: child } = await admin.save('ledger', { LedgerTemplateID });
    const { LedgerID: parent } = await ledgerWith([{ ChildLedgerID: child, ...debit }]);
    const [may, must] = await idsOf(child);
    const answer = await admin.expectOk('ledgeritem/excludefromtotal', { ID: [may, must] });
    assert.match(JSON.stringify(answer['Alerts']), /cannot be excluded/);
    assert.deepEqual(await balances(child), [5, 3]);
    assert.deepEqual(await balances(parent), [3, 3]);
    await admin.expectRefused('ledgeritem/excludefromtotal', { ID: must }, 'STATE_REFUSES', 'ID');
    await admin.expectOk('ledgeritem/includeintotal', { ID: may });
    assert.deepEqual(await balances(parent), [5, 5]);
    await admin.expectOk('ledgeritem/toggleistotaled', { ID: must });
    assert.deepEqual(await balances(parent), [2, 2]);
    await admin.expectOk('ledgeritem/toggleistotaled', { ID: must });
    await admin.expectOk('ledger/lockitems', { ID: child });
    for (const route of ['includeintotal', 'excludefromtotal', 'toggleistotaled', 'approve', 'reject'])
      await admin.expectRefused(`ledgeritem/${route}`, { ID: may }, 'LOCKED', 'ID');
    assert.deepEqual(await balances(parent), [5, 5]);
  });

  it('LED-09 approve and reject set the status and whether a line counts', async () => {
    const { LedgerID } = await ledgerWith([
      { AmountMoney: '10', IsDebit: true },
      { AmountMoney: '4', IsDebit: true },
    ]);
    const ids = await idsOf(LedgerID);
    await clerk.expectOk('ledgeritem/approve', { ID: ids });
    assert.deepEqual(await balances(LedgerID), [14, 14]);
    const [rejected] = await clerk.expectRows('ledgeritem/reject', { ID: ids[1] });
    assert.equal(rejected?.['Status'], 'Rejected');
    assert.deepEqual(await balances(LedgerID), [14, 10]);
    await clerk.expectRefused('ledgeritem/reject', { ID: ids[1] }, 'STATE_REFUSES', 'ID');
  });

  it('LED-09 LED-18 project previews a day without storing; calculate stores; recalculate totals', async () => {
    const { LedgerTemplateID } = await admin.save('ledgertemplate', {
      LedgerTemplate: `Projected ${++made}`,
      Items: [
        { LedgerTemplateItem: 'Interest', Rate: '1.5', Units: 'Day', Sequence: 1, ...debit },
        { LedgerTemplateItem: 'Kept', AmountMoney: '7', CanRefresh: false, Sequence: 2, ...debit },
      ],
    });
    const { LedgerID } = await admin.save('ledger', { LedgerTemplateID });
    const [interest, fixed] = await idsOf(LedgerID);
    await admin.save('ledgeritem', { ID: interest, EffectiveDate: '2026-01-01' });
    const preview = await clerk.expectRows('ledgeritem/project', { LedgerID, GoodThrough: '2026-01-10' });
    assert.deepEqual(
      preview.map((line) => [line['LedgerItemID'], line['UnitCount'], line['AmountMoney']]),
      [[interest, 10, 15]],
    );
    assert.deepEqual(await balances(LedgerID), [7, 7]);
    await clerk.expectOk('ledgeritem/calculate', { ID: interest, GoodThrough: '2026-01-02' });
    assert.deepEqual(await balances(LedgerID), [10, 10]);
    await clerk.expectRefused('ledgeritem/calculate', { ID: fixed }, 'STATE_REFUSES', 'ID');
    await p.platform.store.query('update ledger set balance = 1 where ledgerid = $1::bigint', [LedgerID]);
    await clerk.expectOk('ledgeritem/recalculate', { ID: [interest, fixed] });
    assert.deepEqual(await balances(LedgerID), [10, 10]);
  });
});
