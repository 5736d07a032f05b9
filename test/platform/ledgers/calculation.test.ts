import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client, expectOk } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
let made = 0;

type Fields = Readonly<Record<string, unknown>>;

const templateOf = async (lines: readonly Fields[], fields: Fields = {}): Promise<number> => {
  const name = `Template ${++made}`;
  const { LedgerTemplateID } = await admin.save('ledgertemplate', {
    LedgerTemplate: name,
    Repeatable: 'Many',
    Items: lines.map((line, n) => ({ LedgerTemplateItem: `Line ${n + 1}`, Sequence: n + 1, ...line })),
    ...fields,
  });
  return Number(LedgerTemplateID);
};
const ledgerOf = async (templateId: number, fields: Fields = {}): Promise<Fields> =>
  admin.save('ledger', { LedgerTemplateID: templateId, ...fields });
const linesOf = async (ledger: unknown): Promise<Fields[]> =>
  admin.expectRows('ledgeritem/search', { LedgerID: ledger, OrderBy: 'Sequence,LedgerItemID' });
const debit = { IsDebit: true, IsTotaled: true };
const debitPerDiems = [
  { Rate: '4', Units: 'Day', ...debit },
  { Rate: '4', Units: 'Day', ...debit },
];

describe('a ledger of a template', () => {
  it('LED-01 gets the lines whose ManualInsert is 0, 2 or empty, with the defaults of the template', async () => {
    const template = await templateOf([
      { ManualInsert: 0, AmountMoney: '10.50', ...debit },
      { ManualInsert: 1, AmountMoney: '7' },
      { ManualInsert: 2, Rate: '3', UnitCount: '2', Units: 'Hour', ...debit },
      { AmountMoney: '1' },
    ]);
    const name = String((await admin.select('ledgertemplate', template))['LedgerTemplate']);
    const ledger = await admin.save('ledger', { Template: name, IsExpandable: false });
    assert.equal(ledger['Balance'], 9.5);
    assert.equal(ledger['BalanceAdjusted'], 10.5);
    const lines = await linesOf(ledger['LedgerID']);
    assert.deepEqual(
      lines.map((line) => [line['LedgerItem'], line['AmountMoney'], line['Rate'], line['Units']]),
      [
        ['Line 1', 10.5, undefined, undefined],
        ['Line 3', undefined, 3, 'Hour'],
        ['Line 4', 1, undefined, undefined],
      ],
    );
  });

  it('LED-01 is calculated before it is returned with RefreshOnInsert', async () => {
    const template = await templateOf([{ Rate: '12.345', UnitCount: '3', ...debit }], { RefreshOnInsert: true });
    assert.equal((await ledgerOf(template))['Balance'], 37.04);
  });

  it('LED-01 is selected, not filled again, where its template allows one below a record', async () => {
    const template = await templateOf([{ AmountMoney: '5', ...debit }], { Repeatable: 'One' });
    const { ForeclosureID: ObjectID } = await admin.save('foreclosure', { Foreclosure: 'LED-01' });
    const below = { Object: 'Foreclosure', ObjectID };
    const first = await ledgerOf(template, below);
    const second = await ledgerOf(template, below);
    assert.equal(second['LedgerID'], first['LedgerID']);
    assert.equal((await linesOf(first['LedgerID'])).length, 1);
  });

  it('LED-01 LED-18 ledgertemplate/preview returns the ledger that a record would get, and stores nothing', async () => {
    const grid = 'Foreclosure,AmountMoney\n1,output\nPreviewed,19.5\n';
    const table = p.admin.post('/api/matrix/importtable?Output=Json&Matrix=Tried', grid, {
      'content-type': 'text/csv',
    });
    const { MatrixID } = await expectOk(table);
    const child = await templateOf([{ AmountMoney: '30', ...debit }], { AppliesTo: 'Ledger' });
    const template = await templateOf(
      [
        { MatrixID, ...debit },
        { Rate: '2', Units: 'Day', ...debit },
        { ChildLedgerTemplateID: child, ...debit },
        { AmountMoney: '4', ManualInsert: 1, ...debit },
      ],
      { Repeatable: 'One', AppliesTo: 'Foreclosure' },
    );
    const { ForeclosureID: ObjectID } = await admin.save('foreclosure', { Foreclosure: 'Previewed' });
    const { LedgerID } = await ledgerOf(template, { Object: 'Foreclosure', ObjectID });
    await admin.save('ledgeritem', { LedgerID, AmountMoney: '500', ...debit });
    const stored = async (): Promise<unknown> =>
      p.platform.store.query(
        `select (select count(*) from ledger)::integer, (select count(*) from ledgeritem)::integer,
           (select ledgertemplateid from ledger where ledgerid = $1::bigint),
           (select count(*) from pgboss.job)::integer as jobs`,
        [Number(LedgerID)],
      );
    const before = await stored();
    const created = (await admin.select('ledger', LedgerID))['CreatedDate'];
    const GoodThrough = new Date(Date.parse(String(created)) + 9 * 86_400_000).toISOString().slice(0, 10);
    const lines = await admin.expectRows('ledgertemplate/preview', {
      ID: template,
      // In any case, as everywhere else.
      Object: 'foreclosure',
      ObjectID,
      GoodThrough,
    });
    assert.deepEqual(await stored(), before);
    const [matrix, perDiem, below] = lines;
    assert.equal(matrix?.['AmountMoney'], 19.5);
    assert.equal(perDiem?.['AmountMoney'], Number(perDiem?.['UnitCount']) * 2);
    assert.ok(Number(perDiem?.['UnitCount']) >= 9);
    assert.equal(below?.['AmountMoney'], 30);
    assert.equal(lines.length, 3, 'a line that is added by hand is not in a new ledger');
    assert.equal(below?.['BalanceAdjusted'], 49.5 + Number(lines[1]?.['AmountMoney']));
    const other = { ID: template, Object: 'Loan', ObjectID };
    await admin.expectRefused('ledgertemplate/preview', other, 'NOT_FOUND');
  });

  it('LED-05 has the ledgers below that its template lines name, which roll up at any depth', async () => {
    const fees = await templateOf([{ AmountMoney: '4', ...debit }]);
    const costs = await templateOf([
      { ChildLedgerTemplateID: fees, ...debit },
      { AmountMoney: '6', ...debit },
    ]);
    const total = await templateOf([{ ChildLedgerTemplateID: costs, ...debit }]);
    const ledger = await ledgerOf(total);
    assert.equal(ledger['BalanceAdjusted'], 10);
    const [line] = await linesOf(ledger['LedgerID']);
    const [below] = await linesOf(line?.['ChildLedgerID']);
    const [fee] = await linesOf(below?.['ChildLedgerID']);
    await admin.save('ledgeritem', { ID: fee?.['LedgerItemID'], AmountMoney: '100.0001' });
    assert.equal((await admin.select('ledger', ledger['LedgerID']))['Balance'], 106.0001);
  });

  it('LED-05 a circle is refused with its path, of ledgers and of templates', async () => {
    const [a, b, c] = [await admin.save('ledger', {}), await admin.save('ledger', {}), await admin.save('ledger', {})];
    await admin.save('ledgeritem', { LedgerID: a['LedgerID'], ChildLedgerID: b['LedgerID'] });
    await admin.save('ledgeritem', { LedgerID: b['LedgerID'], ChildLedgerID: c['LedgerID'] });
    const circle = { LedgerID: c['LedgerID'], ChildLedgerID: a['LedgerID'] };
    const { message } = await admin.expectRefused('ledgeritem/save', circle, 'BAD_PARAMETER', 'ChildLedgerID');
    const [x, y, z] = [a, b, c].map((row) => row['LedgerID']);
    assert.match(message, new RegExp(`${x} is below ${z} is below ${y} is below ${x}`));
    const inner = await templateOf([{}]);
    const outer = await templateOf([{ ChildLedgerTemplateID: inner }]);
    const own = { LedgerTemplateID: inner, LedgerTemplateItem: 'Circle', ChildLedgerTemplateID: outer };
    await admin.expectRefused('ledgertemplateitem/save', own, 'BAD_PARAMETER', 'ChildLedgerTemplateID');
    // As two saves at the same moment can leave it.
    await p.platform.store.query(
      'update ledgertemplateitem set childledgertemplateid = $1::bigint where ledgertemplateid = $2::bigint',
      [outer, inner],
    );
    p.platform.configuration.expire();
    const endless = { LedgerTemplateID: outer, Object: 'Ledger', ObjectID: x };
    const refused = await admin.expectRefused('ledger/save', endless, 'STATE_REFUSES', 'LedgerTemplateID');
    assert.match(refused.message, /is below itself/);
  });

  it('LED-03 follows its template lines where its own lines say neither debit nor totaled', async () => {
    const template = await templateOf([{ AmountMoney: '8', IsDebit: true }]);
    const [line] = await admin.expectRows('ledgertemplateitem/search', { LedgerTemplateID: template });
    const ledger = await ledgerOf(template);
    assert.deepEqual([ledger['Balance'], ledger['BalanceAdjusted']], [8, 0]);
    await admin.save('ledgertemplateitem', { ID: line?.['LedgerTemplateItemID'], IsDebit: null, IsTotaled: true });
    const after_ = await admin.select('ledger', ledger['LedgerID']);
    assert.deepEqual([after_['Balance'], after_['BalanceAdjusted']], [-8, -8]);
  });
});

describe('ledger/calculate', () => {
  it('LED-02 LED-18 projects lines: rate × count, per diems to GoodThrough, defaults for what is empty', async () => {
    const template = await templateOf([
      { Rate: '10.005', UnitCount: '1', ...debit },
      { Rate: '2.5', Units: 'Day', ...debit },
      { AmountMoney: '30', ...debit },
      { AmountMoney: '99', CanRefresh: false, ...debit },
    ]);
    const { LedgerID: ID } = await ledgerOf(template);
    const lines = await linesOf(ID);
    await admin.save('ledgeritem', { ID: lines[1]?.['LedgerItemID'], EffectiveDate: '2026-03-01' });
    await admin.save('ledgeritem', { ID: lines[2]?.['LedgerItemID'], AmountMoney: null });
    await admin.save('ledgeritem', { ID: lines[3]?.['LedgerItemID'], AmountMoney: null });
    const ledger = await admin.expectOk('ledger/calculate', { ID, GoodThrough: '2026-03-31' });
    assert.deepEqual(
      (await linesOf(ID)).map((line) => line['AmountMoney']),
      [10.01, 77.5, 30, undefined],
    );
    assert.equal(ledger['Balance'], 117.51);
    const later = await admin.expectOk('ledger/calculate', { ID, GoodThrough: '2026-04-01' });
    assert.equal(later['Balance'], 120.01);
  });

  it('LED-02 LED-18 Changed=true projects exactly the lines whose amount changes, and those that are added', async () => {
    const grid = 'Foreclosure,AmountMoney\n1,output\nLED-18,19.5\n';
    const table = p.admin.post('/api/matrix/importtable?Output=Json&Matrix=Costs', grid, {
      'content-type': 'text/csv',
    });
    const { MatrixID } = await expectOk(table);
    const below = await templateOf([{ AmountMoney: '8', ...debit }], { AppliesTo: 'Ledger' });
    const template = await templateOf([
      { Rate: '2.5', Units: 'Day', ...debit },
      { Rate: '3', UnitCount: '2', ...debit },
      { AmountMoney: '40', ...debit },
      { MatrixID, ...debit },
      { ChildLedgerTemplateID: below, ...debit },
      { Rate: '9', Units: 'Day', CanRefresh: false, ...debit },
      ...debitPerDiems,
    ]);
    const { ForeclosureID: ObjectID } = await admin.save('foreclosure', { Foreclosure: 'LED-18' });
    const { LedgerID } = await ledgerOf(template, { Object: 'Foreclosure', ObjectID });
    const lines = await linesOf(LedgerID);
    await admin.expectOk('ledgeritem/delete', { ID: lines[2]?.['LedgerItemID'] });
    const change = (n: number, fields: Fields) =>
      admin.save('ledgeritem', { ID: lines[n]?.['LedgerItemID'], ...fields });
    await change(6, { AmountMoney: '77', EffectiveDate: '2026-01-01' });
    await change(7, { AmountMoney: '12', IsLocked: true });
    for (const own of [
      { AmountMoney: '5' },
      { AmountMoney: '5', Rate: '2', UnitCount: '3' },
      { Rate: '2', UnitCount: '3' },
    ])
      await admin.save('ledgeritem', { LedgerID, LedgerItem: 'By hand', ...own, ...debit });
    const compare = async (GoodThrough: string): Promise<unknown[]> => {
      const all = await admin.expectRows('ledgeritem/project', { LedgerID, GoodThrough });
      const changed = await admin.expectRows('ledgeritem/project', { LedgerID, GoodThrough, Changed: true });
      const expected = all.filter(
        (line) =>
          line['LedgerItemID'] === undefined ||
          line['AdjustedChange'] !== 0 ||
          line['AmountMoney'] !== line['AmountMoneyBefore'],
      );
      assert.deepEqual(changed, expected);
      return changed.map((line) => line['LedgerItem']);
    };
    const first = await compare('2026-12-31');
    assert.ok(first.length > 4 && first.length < 9, first.join());
    await admin.expectOk('ledger/calculate', { ID: LedgerID, GoodThrough: '2026-12-31' });
    assert.deepEqual(await compare('2026-12-31'), []);
    assert.deepEqual(await compare('2027-01-31'), ['Line 1', 'Line 7']);
  });

  it('LED-02 RecalculateItem=false only totals', async () => {
    const { LedgerID: ID } = await ledgerOf(await templateOf([{ Rate: '2', UnitCount: '3', ...debit }]));
    assert.equal((await admin.expectOk('ledger/calculate', { ID, RecalculateItem: false }))['Balance'], 0);
    assert.equal((await admin.expectOk('ledger/calculate', { ID }))['Balance'], 6);
  });

  it('LED-17 LED-18 the outputs of a matrix go before the defaults of the template line, by the name of the property', async () => {
    const grid = 'Foreclosure,Rate,Description\n1,output,output\nNew York,7.25,By table\n';
    const table = p.admin.post('/api/matrix/importtable?Output=Json&Matrix=Fees', grid, { 'content-type': 'text/csv' });
    const { MatrixID } = await expectOk(table);
    const template = await templateOf([{ MatrixID, Rate: '1', UnitCount: '4', ...debit }], { RefreshOnInsert: true });
    const { ForeclosureID: ObjectID } = await admin.save('foreclosure', { Foreclosure: 'New York' });
    const ledger = await ledgerOf(template, { Object: 'Foreclosure', ObjectID });
    assert.equal(ledger['Balance'], 29);
    assert.equal((await linesOf(ledger['LedgerID']))[0]?.['Description'], 'By table');
    assert.equal((await ledgerOf(template))['Balance'], 4, 'no row of the matrix matches');
  });

  it('LED-02 a ProjectMethod returns the lines; those that it names are changed, others are added', async () => {
    await admin.save('statement', {
      ClassName: 'LedgerItem',
      Statement: 'ProjectFees',
      Query: `select i.LedgerItemID, 25.5 as "AmountMoney", 'By statement' as "Description" from LedgerItem i
        where i.LedgerID = {LedgerID} and i.LedgerItem = 'Line 1'
        union all select null, 4, {GoodThrough}`,
    });
    const template = await templateOf([{ AmountMoney: '1', ...debit }], {
      ProjectMethod: 'LedgerItem/ProjectFees?LedgerID={LedgerID}&GoodThrough={GoodThrough}',
    });
    const { LedgerID: ID } = await ledgerOf(template);
    await admin.expectOk('ledger/calculate', { ID, GoodThrough: '2026-05-01' });
    assert.deepEqual(
      (await linesOf(ID)).map((line) => [line['AmountMoney'], line['Description']]),
      [
        [25.5, 'By statement'],
        [4, '2026-05-01'],
      ],
    );
  });
});

describe('a CalculateMethod', () => {
  const statement = async (query: string): Promise<string> => {
    const name = `Totals${++made}`;
    await admin.save('statement', { ClassName: 'Ledger', Statement: name, Query: query });
    return `Ledger/${name}?LedgerID={LedgerID}`;
  };

  it('LED-04 LED-15 decides both balances, with each change of a line, and rolls up', async () => {
    const CalculateMethod = await statement(
      `select sum(AmountMoney) * 2 as "Balance", max(AmountMoney) as "BalanceAdjusted" from LedgerItem
       where LedgerID = {LedgerID}`,
    );
    const child = await ledgerOf(await templateOf([{ AmountMoney: '1', ...debit }], { CalculateMethod }));
    const parent = await admin.save('ledger', {});
    await admin.save('ledgeritem', { LedgerID: parent['LedgerID'], ChildLedgerID: child['LedgerID'], ...debit });
    await admin.save('ledgeritem', { LedgerID: child['LedgerID'], AmountMoney: '5.25', ...debit });
    const totals = await admin.select('ledger', child['LedgerID']);
    assert.deepEqual([totals['Balance'], totals['BalanceAdjusted']], [12.5, 5.25]);
    assert.equal((await admin.select('ledger', parent['LedgerID']))['Balance'], 5.25);
    const [first] = await linesOf(child['LedgerID']);
    await admin.expectOk('ledgeritem/delete', { ID: first?.['LedgerItemID'] });
    assert.equal((await admin.select('ledger', child['LedgerID']))['Balance'], 10.5);
  });

  it('LED-04 that lacks a column, or changes records, is an error', async () => {
    const CalculateMethod = await statement('select 1 as "Balance" from Ledger where LedgerID = {LedgerID}');
    const template = await templateOf([], { CalculateMethod });
    const { LedgerID: ID } = await ledgerOf(template);
    await admin.expectRefused('ledger/calculate', { ID }, 'STATE_REFUSES', 'CalculateMethod');
    const line = { LedgerID: ID, AmountMoney: '1' };
    await admin.expectRefused('ledgeritem/save', line, 'STATE_REFUSES', 'CalculateMethod');
    assert.deepEqual(await linesOf(ID), []);
    const writes = { LedgerTemplate: 'Writes', CalculateMethod: 'Ledger/Save?ID={LedgerID}' };
    await admin.expectRefused('ledgertemplate/save', writes, 'BAD_SIGNATURE', 'CalculateMethod');
    await admin.save('ledgertemplate', { ID: template, CalculateMethod: null });
    await admin.save('ledgeritem', { ...line, ...debit });
    assert.equal((await admin.select('ledger', ID))['Balance'], 1);
  });
});

describe('locks and currencies', () => {
  it('LED-10 a ledger that accepts no more lines refuses one, and a locked line refuses a change, each with an alert', async () => {
    const { LedgerID } = await admin.save('ledger', { IsExpandable: false });
    const refused = await admin.send('ledgeritem/save', { LedgerID, AmountMoney: '1' });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /"Alerts":.*accepts no more lines/);
    const open = await admin.save('ledger', {});
    const { LedgerItemID: ID } = await admin.save('ledgeritem', {
      LedgerID: open['LedgerID'],
      AmountMoney: '1',
      IsLocked: true,
      ...debit,
    });
    for (const route of ['ledgeritem/save', 'ledgeritem/delete']) {
      const values = route.endsWith('save') ? { ID, AmountMoney: '2' } : { ID };
      await admin.expectRefused(route, values, 'LOCKED');
      const locked = await admin.send(route, values);
      assert.equal(locked.status, 409);
      assert.match(locked.text, /"Alerts":.*is locked/);
    }
    assert.equal((await admin.select('ledger', open['LedgerID']))['Balance'], 1);
    await admin.save('ledgeritem', { ID, IsLocked: false });
    await admin.save('ledgeritem', { ID, AmountMoney: '2' });
  });

  it('LED-10 only users with LedgerUpdateLocked add to a locked ledger, unlock it, or change what rolls up into a locked line', async () => {
    await admin.save('role', { Role: 'Clerk', Permissions: '* -LedgerUpdateLocked', UniversalAccess: true });
    const clerk = client(p, (await p.user('clerk', 'Clerk')).caller);
    const { LedgerID } = await admin.save('ledger', { IsLocked: true });
    await clerk.expectRefused('ledgeritem/save', { LedgerID, AmountMoney: '1' }, 'LOCKED', 'LedgerID');
    await clerk.expectRefused('ledger/save', { ID: LedgerID, IsLocked: false }, 'LOCKED', 'LedgerID');
    await clerk.expectRefused('ledger/delete', { ID: LedgerID }, 'LOCKED', 'LedgerID');
    const { LedgerID: below } = await admin.save('ledger', {});
    await admin.save('ledgeritem', { LedgerID, ChildLedgerID: below, IsLocked: true });
    await clerk.expectRefused('ledgeritem/save', { LedgerID: below, AmountMoney: '1' }, 'LOCKED', 'LedgerID');
    await admin.save('ledgeritem', { LedgerID: below, AmountMoney: '1' });
    await admin.save('ledger', { ID: LedgerID, IsLocked: false });
    await clerk.save('ledgeritem', { LedgerID, AmountMoney: '1' });
  });

  it('LED-12 currencies do not mix', async () => {
    const template = await templateOf([], { Currency: 'EUR' });
    const euros = await ledgerOf(template);
    assert.equal(euros['Currency'], 'EUR');
    const dollars = await admin.save('ledger', {});
    assert.equal(dollars['Currency'], 'USD');
    const line = { LedgerID: dollars['LedgerID'], ChildLedgerID: euros['LedgerID'] };
    await admin.expectRefused('ledgeritem/save', line, 'BAD_PARAMETER', 'ChildLedgerID');
    await admin.expectRefused('ledger/save', { Currency: '$$$' }, 'BAD_PARAMETER', 'Currency');
    await admin.save('ledgeritem', { LedgerID: dollars['LedgerID'], AmountMoney: '1' });
    const change = { ID: dollars['LedgerID'], Currency: 'EUR' };
    await admin.expectRefused('ledger/save', change, 'STATE_REFUSES', 'Currency');
  });

  it('LED-12 LED-17 money as a JSON number keeps 19 digits, and every named field is stored', async () => {
    const { LedgerID } = await admin.save('ledger', {});
    const body = `{"LedgerID":${String(LedgerID)},"AmountMoney":123456789012345.6789,"IsDebit":true}`;
    const sent = await p.admin.post('/api/ledgeritem/save?Output=Json', body, { 'content-type': 'application/json' });
    assert.equal(sent.status, 200, sent.text);
    assert.match(sent.text, /"AmountMoney":123456789012345\.6789\b/);
    const { text } = await p.admin.get(`/api/ledger/${String(LedgerID)}?Output=Json`);
    assert.match(text, /"Balance":123456789012345\.6789\b/);
  });
});
