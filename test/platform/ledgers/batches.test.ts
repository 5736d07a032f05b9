import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client, type Row } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
await admin.save('importfiletemplate', {
  ImportFileTemplate: 'Fee lines',
  AppliesTo: 'LedgerItem',
  ImportEngine: 'DelimitedEngine',
  ParameterString: 'UseTransaction=true',
});
const { LedgerTemplateID } = await admin.save('ledgertemplate', {
  LedgerTemplate: 'Imported',
  Repeatable: 'Many',
  Items: [{ LedgerTemplateItem: 'Fee', ManualInsert: 1, IsDebit: true, IsTotaled: true }],
});
const [fee] = await admin.expectRows('ledgertemplateitem/search', { LedgerTemplateID });

const newLedger = async (): Promise<number> => Number((await admin.save('ledger', { LedgerTemplateID }))['LedgerID']);
const balances = async (ID: unknown): Promise<unknown[]> => {
  const row = await admin.select('ledger', ID);
  return [row['Balance'], row['BalanceAdjusted']];
};
const linesOf = (ledger: unknown): Promise<Row[]> =>
  admin.expectRows('ledgeritem/search', { LedgerID: ledger, OrderBy: 'LedgerItemID' });

/** Sends a file; returns the import and its results. */
async function send(csv: string): Promise<{ readonly id: number; readonly text: string }> {
  const path = '/api/importfile/importbyobject?Template=Fee%20lines&PreTransform_FileName=lines.csv';
  const answer = await p.admin.post(path, csv, { 'Content-Type': 'text/csv' });
  return { id: Number(/ID="(\d+)"/.exec(answer.text)?.[1]), text: answer.text };
}

describe('lines that are imported together', () => {
  it('LED-12 a file with a wrong row adds no line, and its corrections contain every row', async () => {
    const ledger = await newLedger();
    const head = 'LedgerID,LedgerItem,AmountMoney,IsDebit,IsTotaled\n';
    const { id, text } = await send(
      `${head}${ledger},One,10,true,true\n${ledger},Two,ten,true,true\n${ledger},Three,5,,\n`,
    );
    assert.match(text, /Status="Error"/);
    assert.match(text, /AmountMoney: /);
    assert.match(text, /other rows failed/);
    assert.deepEqual(await linesOf(ledger), []);
    const corrections = (await p.admin.get(`/api/importfile/corrections?ID=${id}`)).text;
    assert.match(corrections, /One[^]*Two[^]*Three/);
    const missing = await send(`${head}999999999,One,10,true,true\n${ledger},Two,5,true,true\n`);
    assert.match(missing.text, /Message="1 row failed, so no row was saved/);
    assert.match(missing.text, /<Message>LedgerID: there is no record with this ID/);
  });

  it('LED-12 the lines of a file name it, and reversebatch counters each once and deletes none', async () => {
    const [first, second] = [await newLedger(), await newLedger()];
    await admin.save('ledgeritem', { LedgerID: first, LedgerItem: 'By hand', AmountMoney: '7', IsDebit: true });
    const rows = [
      `${first},Fee,${fee?.['LedgerTemplateItemID'] as number},10.01,`,
      `${second},Credit,,4,false`,
      `${second},Not totaled,,100,true`,
    ];
    const { id } = await send(`LedgerID,LedgerItem,LedgerTemplateItemID,AmountMoney,IsDebit\n${rows.join('\n')}\n`);
    assert.deepEqual(await balances(first), [17.01, 10.01]);
    assert.deepEqual(await balances(second), [96, 0]);
    const added = await admin.expectRows('ledgeritem/search', { ImportFileID: id });
    assert.equal(added.length, 3);
    const reverse = (): Promise<Row> =>
      admin.expectOk('ledger/reversebatch', { ImportFileID: id, Description: 'Twice' });
    const answers = await Promise.all([reverse(), reverse(), reverse()]);
    assert.deepEqual(
      answers.map((row) => Number(row['Reversed'])).sort((a, b) => a - b),
      [0, 0, 3],
    );
    assert.deepEqual([answers[0]?.['Lines'], answers[0]?.['Ledgers']], [3, 2]);
    assert.deepEqual(await balances(first), [7, 0]);
    assert.deepEqual(await balances(second), [0, 0]);
    const [, original, counter, ...others] = await linesOf(first);
    assert.deepEqual(others, []);
    assert.equal(counter?.['ReferenceLedgerItemID'], original?.['LedgerItemID']);
    assert.deepEqual(
      ['AmountMoney', 'PaymentRole', 'IsLocked', 'LedgerItem', 'Description'].map((name) => counter?.[name]),
      [-10.01, 'Counter', true, 'Reversal of Fee', 'Twice'],
    );
    assert.equal(original?.['IsLocked'], true);
    const row = await p.platform.store.query('select * from ledgeritem where importfileid = $1::bigint', [id]);
    assert.equal(row.length, 3);
    await admin.save('ledgertemplateitem', { ID: fee?.['LedgerTemplateItemID'], IsDebit: false, IsTotaled: false });
    assert.deepEqual(await balances(first), [7, 0]);
    await admin.save('ledgertemplateitem', { ID: fee?.['LedgerTemplateItemID'], IsDebit: true, IsTotaled: true });
  });

  it('LED-08 LED-12 a paid line prevents the reversal of its batch, and a reversed line is not paid', async () => {
    const ledger = await newLedger();
    const head = 'LedgerID,LedgerItem,AmountMoney,IsDebit,IsTotaled\n';
    const { id } = await send(`${head}${ledger},A,10,true,true\n${ledger},B,20,true,true\n`);
    const payment = await admin.expectOk('ledger/applypayment', { ID: ledger, AmountMoney: '10' });
    const refused = await admin.expectRefused(
      'ledger/reversebatch',
      { ImportFileID: id },
      'STATE_REFUSES',
      'ImportFileID',
    );
    assert.match(refused.message, /was paid; reverse the payment first/);
    assert.equal((await linesOf(ledger)).length, 3);
    await admin.expectOk('ledger/reversepayment', { LedgerItemID: payment['LedgerItemID'] });
    await admin.expectOk('ledger/reversebatch', { ImportFileID: id });
    assert.deepEqual(await balances(ledger), [0, 0]);
    await admin.expectRefused('ledger/applypayment', { ID: ledger, AmountMoney: '10' }, 'STATE_REFUSES', 'LedgerID');
  });

  it('LED-12 a closed month or a line with a child ledger prevents the reversal of the whole batch', async () => {
    const [ledger, above, below] = [await newLedger(), await newLedger(), await newLedger()];
    await admin.save('ledgeritem', { LedgerID: above, LedgerItem: 'Rolled up', IsDebit: true, ChildLedgerID: below });
    const head = 'LedgerID,AmountMoney,IsDebit,IsTotaled\n';
    const { id } = await send(`${head}${ledger},10,true,true\n${below},20,true,true\n`);
    const close = (Value: string): Promise<Row> => admin.save('setting', { Setting: 'LedgerClosedThrough', Value });
    await close('9998-12');
    const closed = await admin.expectRefused(
      'ledger/reversebatch',
      { ImportFileID: id },
      'STATE_REFUSES',
      'PostedDate',
    );
    assert.match(closed.message, /is closed/);
    await close('');
    assert.deepEqual(await balances(ledger), [10, 10]);
    const lines = await admin.expectRows('ledgeritem/search', { ImportFileID: id });
    assert.deepEqual(
      lines.map(({ IsLocked }) => IsLocked),
      [undefined, undefined],
    );

    const parent = lines.find(({ LedgerID }) => LedgerID === ledger)?.['LedgerItemID'];
    const { LedgerID: details } = await admin.save('ledger', {});
    await admin.save('ledgeritem', { ID: parent, ChildLedgerID: details });
    await admin.save('ledgeritem', { LedgerID: details, AmountMoney: '3', IsDebit: true, IsTotaled: true });
    const refused = await admin.expectRefused(
      'ledger/reversebatch',
      { ImportFileID: id },
      'STATE_REFUSES',
      'ImportFileID',
    );
    assert.match(refused.message, new RegExp(`line ${String(parent)} has the amount of a ledger below it`));
    assert.deepEqual(await balances(below), [20, 20]);
    assert.deepEqual(await balances(above), [20, 0]);
    await admin.save('ledgeritem', { ID: parent, ChildLedgerID: null });
    await admin.expectOk('ledger/reversebatch', { ImportFileID: id });
    assert.deepEqual(
      [await balances(ledger), await balances(below), await balances(above)],
      [
        [0, 0],
        [0, 0],
        [0, 0],
      ],
    );
  });

  it('LED-12 a file of more than 20,000 rows is too large for UseTransaction, and adds no line', async () => {
    const ledger = await newLedger();
    const rows = Array.from({ length: 20_001 }, (_, n) => `${ledger},${n}\n`).join('');
    const { id, text } = await send(`LedgerID,AmountMoney\n${rows}`);
    assert.match(text, /more than 20000 rows[^"]*UseTransaction\. Nothing was imported; send several files\./);
    assert.equal((await admin.select('importfile', id))['Status'], 'Error');
    assert.deepEqual(await linesOf(ledger), []);
  });

  it('LED-10 a locked ledger is reversed only by users who may change it, and a caller sets no batch', async () => {
    await admin.save('role', { Role: 'Clerk', Permissions: '* -LedgerUpdateLocked', UniversalAccess: true });
    const clerk = client(p, (await p.user('clerk', 'Clerk')).caller);
    const ledger = await newLedger();
    const { id } = await send(`LedgerID,AmountMoney,IsDebit,IsTotaled\n${ledger},10,true,true\n`);
    await admin.expectOk('ledger/post', { ID: ledger });
    await clerk.expectRefused('ledger/reversebatch', { ImportFileID: id }, 'LOCKED', 'LedgerID');
    assert.deepEqual(await balances(ledger), [10, 10]);
    await admin.expectOk('ledger/reversebatch', { ImportFileID: id });
    assert.deepEqual(await balances(ledger), [0, 0]);
    const line = await admin.save('ledgeritem', { LedgerID: await newLedger(), AmountMoney: '1', ImportFileID: id });
    assert.equal(line['ImportFileID'], undefined);
  });
});

describe('lines that one call adds', () => {
  const debit = { IsDebit: true, IsTotaled: true };
  const add = (ID: unknown, Items: readonly object[]): Promise<Row> => admin.expectOk('ledger/addlines', { ID, Items });

  it('LED-12 LED-17 are all added as one batch, which undobatch deletes again, once', async () => {
    const ledger = await newLedger();
    const id = fee?.['LedgerTemplateItemID'];
    const { ImportFileID, Lines } = await add(ledger, [
      { LedgerItem: '=1+1', AmountMoney: '1,234.50', EffectiveDate: '2026-03-02', Description: '-note', ...debit },
      { LedgerItem: 'Fee of the template', LedgerTemplateItemID: id, AmountMoney: '10.01' },
      { LedgerItem: 'Credit', AmountMoney: '4', IsDebit: false, IsTotaled: true },
    ]);
    assert.equal(Lines, 3);
    assert.deepEqual(await balances(ledger), [1240.51, 1240.51]);
    const [first] = await linesOf(ledger);
    assert.deepEqual(
      ['LedgerItem', 'Description', 'EffectiveDate', 'ImportFileID'].map((name) => first?.[name]),
      ['=1+1', '-note', '2026-03-02', ImportFileID],
    );
    const undo = (): Promise<Row> => admin.expectOk('ledger/undobatch', { ImportFileID });
    const answers = await Promise.all([undo(), undo()]);
    assert.deepEqual(
      answers.map((row) => Number(row['Deleted'])).sort((a, b) => a - b),
      [0, 3],
    );
    assert.deepEqual(await linesOf(ledger), []);
    assert.deepEqual(await balances(ledger), [0, 0]);
    assert.equal((await admin.select('importfile', ImportFileID))['Status'], 'Canceled');
  });

  it('LED-12 a wrong line adds none, and the error names it and its field', async () => {
    const ledger = await newLedger();
    const good = { LedgerItem: 'A', AmountMoney: '1', ...debit };
    const refused = (Items: readonly object[], code: string, field: string): Promise<{ readonly message: string }> =>
      admin.expectRefused('ledger/addlines', { ID: ledger, Items }, code, field);
    await refused([good, { ...good, AmountMoney: 'ten' }], 'BAD_PARAMETER', 'Items_1_AmountMoney');
    await refused([good, { ...good, PersonID: 1 }], 'UNKNOWN_PARAMETER', 'Items_1_PersonID');
    await refused(
      [good, { ...good, LedgerTemplateItemID: 999_999_999 }],
      'BAD_PARAMETER',
      'Items_1_LedgerTemplateItemID',
    );
    await refused([], 'MISSING_PARAMETER', 'Items');
    await refused([good, { ...good, Description: 'Card 4111 1111 1111 1111' }], 'BAD_PARAMETER', 'Items_1_Description');
    await refused(
      Array.from({ length: 1_001 }, () => good),
      'TOO_LARGE',
      'Items',
    );
    await admin.save('setting', { Setting: 'LedgerClosedThrough', Value: '2020-01' });
    const closed = await refused([good, { ...good, PostedDate: '2020-01-31' }], 'STATE_REFUSES', 'Items_1_PostedDate');
    assert.match(closed.message, /^Items_1_PostedDate: 2020-01 is closed/);
    await admin.save('setting', { Setting: 'LedgerClosedThrough', Value: '' });
    assert.deepEqual(await linesOf(ledger), []);
    assert.deepEqual(
      await admin.expectRows('importfile/search', { ImportFileType: 'Ledger/AddLines', Status: 'Complete' }),
      [],
    );
  });

  it('LED-08 LED-10 are not deleted once one is paid, changed or locked; a repeated key adds no second batch', async () => {
    const ledger = await newLedger();
    const Items = [1, 2].map((n) => ({ LedgerItem: `Line ${n}`, AmountMoney: String(n), ...debit }));
    const send = async (): Promise<Row> =>
      (
        await p.admin.post('/api/ledger/addlines?Output=Json', { ID: ledger, Items }, { 'Idempotency-Key': 'paste-1' })
      ).json();
    const [{ ImportFileID }, second] = await Promise.all([send(), send()]);
    assert.equal(second['ImportFileID'], ImportFileID);
    const lines = await linesOf(ledger);
    assert.equal(lines.length, 2);
    const expectRefused = async (code: string, field: string, why: RegExp): Promise<void> => {
      assert.match((await admin.expectRefused('ledger/undobatch', { ImportFileID }, code, field)).message, why);
      assert.ok((await linesOf(ledger)).length >= 2);
    };
    const payment = await admin.expectOk('ledger/applypayment', { ID: ledger, AmountMoney: '1' });
    await expectRefused('STATE_REFUSES', 'ImportFileID', /was paid; reverse the payment first/);
    await admin.expectOk('ledger/reversepayment', { LedgerItemID: payment['LedgerItemID'] });
    await expectRefused('STATE_REFUSES', 'ImportFileID', /was changed since/);
    const { ImportFileID: other } = await add(await newLedger(), Items);
    const [line] = await admin.expectRows('ledgeritem/search', { ImportFileID: other });
    await admin.expectOk('ledger/reversebatch', { ImportFileID: other });
    await admin.expectRefused('ledger/undobatch', { ImportFileID: other }, 'STATE_REFUSES', 'ImportFileID');
    await admin.expectOk('ledger/lockitems', { ID: ledger });
    await admin.expectOk('ledger/post', { ID: line?.['LedgerID'] });
    const clerk = client(p, (await p.user('adder', 'Clerk')).caller);
    await clerk.expectRefused('ledger/addlines', { ID: line?.['LedgerID'], Items }, 'LOCKED', 'LedgerID');
  });
});

describe('the firms of lines that one statement adds', () => {
  it('LED-12 are those of their ledgers, in any order, and current after a ledger has moved', async () => {
    const firms = [await p.firm('First firm'), await p.firm('Second firm')].map(({ organizationId }) => organizationId);
    const ledgerOf = async (firm: number | undefined): Promise<unknown> =>
      (await admin.save('ledger', { LedgerTemplateID, ...(firm && { Object: 'Organization', ObjectID: firm }) }))[
        'LedgerID'
      ];
    const ids = [await ledgerOf(firms[0]), await ledgerOf(undefined), await ledgerOf(firms[1])];
    const add = `insert into ledgeritem (ledgerid, ledgeritem, amountmoney)
      select id, 'Set', 1 from unnest($1::bigint[]) with ordinality u (id, n) order by n`;
    const found = `select i.reachorganizationid as firm,
        i.reachorganizationid is not distinct from l.reachorganizationid as "isRight"
      from ledgeritem i join ledger l using (ledgerid)
      where i.ledgerid = any($1::bigint[]) order by i.ledgeritemid`;
    const [first, none, second] = ids;
    const orders = [ids, [none, none, second, second, first, none, second, none], [first, first]];
    const expected = orders.flat().map((id) => firms[id === first ? 0 : 1]);
    await p.platform.store.transaction({ personId: null, firm: null, callId: 'lines' }, async (db) => {
      for (const order of orders) await db.query(add, [`{${order.join(',')}}`]);
      const rows = await db.query<{ firm: number | null; isRight: boolean }>(found, [`{${ids.join(',')}}`]);
      assert.deepEqual(
        rows.map(({ firm }) => firm),
        orders.flat().map((id, n) => (id === none ? null : expected[n])),
      );
      // The last statement added lines of the first ledger. A failed one changes nothing of what the next one reads.
      await assert.rejects(db.savepoint(() => db.query(add, [`{${String(second)},0}`])));
      await db.query('update ledger set objectid = $2::bigint where ledgerid = $1::bigint', [first, firms[1]]);
      await db.query(add, [`{${String(first)}}`]);
      await db.query('update ledger set object = null, objectid = null where ledgerid = $1::bigint', [second]);
      await db.query(add, [`{${String(second)},${String(first)}}`]);
      const moved = await db.query<{ firm: number | null; isRight: boolean }>(found, [`{${ids.join(',')}}`]);
      assert.ok(moved.every(({ isRight }) => isRight));
      assert.deepEqual(
        moved.slice(-3).map(({ firm }) => firm),
        [firms[1], null, firms[1]],
      );
    });
  });
});
