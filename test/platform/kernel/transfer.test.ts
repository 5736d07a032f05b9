import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { testPlatform, type Caller, type TestAnswer, type TestPlatform } from '../../support/platform.ts';
import { contentHash } from '../../support/records.ts';
import { fixture } from '../../support/kernel/transfer-fixture.ts';

const a = await testPlatform({ after }, { fixture });
const b = await testPlatform({ after }, { fixture });
type Row = Record<string, unknown>;

async function ok(answer: Promise<TestAnswer>): Promise<TestAnswer> {
  const got = await answer;
  assert.equal(got.status, 200, got.text);
  return got;
}
const rowsOf = (answer: TestAnswer): Row[] =>
  Object.values((Object.values(answer.json() as Row)[0] ?? {}) as Record<string, Row[]>)[0] ?? [];
const save = async (p: TestPlatform, module: string, body: object): Promise<Row> =>
  (await ok(p.admin.post(`/api/${module}/save?Output=Json`, body))).json();
const search = async (p: TestPlatform, module: string, filter = ''): Promise<Row[]> =>
  rowsOf(await ok(p.admin.get(`/api/${module}/search?Output=Json&DisplaySize=1000&${filter}`)));
const exported = async (p: TestPlatform, module: string, query = ''): Promise<string> =>
  (await ok(p.admin.get(`/api/${module}/export?${query}`))).text;
const send = (caller: Caller, module: string, xml: string, query = ''): Promise<TestAnswer> =>
  caller.post(`/api/${module}/import?Output=Json&${query}`, xml, { 'Content-Type': 'text/xml' });
const imported = async (p: TestPlatform, module: string, xml: string, query = ''): Promise<Row[]> =>
  rowsOf(await ok(send(p.admin, module, xml, query)));
const operations = (rows: Row[]): unknown[] => [...new Set(rows.map((row) => row['Operation']))];
const document = (...collections: string[]): string =>
  `<Configuration FormatVersion="1">\n${collections.join('\n')}\n</Configuration>`;
const gears = (...items: string[]): string => document(`<GearCollection>\n${items.join('\n')}\n</GearCollection>`);
const gear = (identifier: string, fields: string): string =>
  `<GearItem SubscriberID="${identifier}">${fields}</GearItem>`;

interface Refusal {
  readonly Code: string;
  readonly Message: string;
  readonly Field?: string;
}

/** Sends a document that must be refused, and asserts that it changed nothing. */
async function refused(xml: string, code: string, message: RegExp, query = ''): Promise<void> {
  const before = await contentHash(b.platform);
  const answer = await send(b.admin, 'gear', xml, query);
  const error = (answer.json() as never as { Error: Refusal }).Error;
  assert.equal(error?.Code, code, answer.text);
  assert.match(error.Message, message);
  assert.deepEqual(await contentHash(b.platform), before);
}

describe('exporting configuration as one document', () => {
  it('KRN-12 an export contains the records, what they reference and their children, without IDs, in a fixed order', async () => {
    const invoice = await save(a, 'attachmenttemplate', { AttachmentTemplate: 'Invoice' });
    const inner = await save(a, 'ledgertemplate', {
      LedgerTemplate: 'Inner',
      Items: [{ LedgerTemplateItem: 'Part', AmountMoney: '12.50', IsDebit: true }],
    });
    const outer = await save(a, 'ledgertemplate', {
      LedgerTemplate: 'Outer',
      AppliesTo: 'Loan',
      InvoiceTemplateID: invoice['AttachmentTemplateID'],
      Items: [{ LedgerTemplateItem: 'Line & "more"', ChildLedgerTemplateID: inner['LedgerTemplateID'] }],
    });
    const xml = await exported(a, 'ledgertemplate', `ID=${String(outer['LedgerTemplateID'])}`);
    assert.match(
      xml,
      new RegExp(
        String.raw`^<\?xml version="1\.0" encoding="utf-8"\?>\n` +
          String.raw`<Configuration FormatVersion="1">\n {2}<AttachmentTemplateCollection>`,
      ),
    );
    assert.deepEqual(
      [...xml.matchAll(/<(\w+Item) Sub/g)].map((m) => m[1]),
      [
        'AttachmentTemplateItem',
        'LedgerTemplateItem',
        'LedgerTemplateItem',
        'LedgerTemplateItemItem',
        'LedgerTemplateItemItem',
      ],
    );
    assert.match(xml, /<AmountMoney>12\.5<\/AmountMoney>/);
    assert.match(xml, /<LedgerTemplateItem>Line &amp; "more"<\/LedgerTemplateItem>/);
    assert.doesNotMatch(xml, /TemplateID>|Date>|PersonID>|Version>/);
    assert.equal(await exported(a, 'ledgertemplate', `ID=${String(outer['LedgerTemplateID'])}`), xml);
    const child = /<ChildLedgerTemplateSubscriberID>(.+?)</.exec(xml)?.[1];
    assert.equal((await search(a, 'ledgertemplate', `SubscriberID=${child}`))[0]?.['LedgerTemplate'], 'Inner');
  });

  it("KRN-12 a record's external ID is exported; a generated one survives a change of name", async () => {
    await save(a, 'messagetemplate', { MessageTemplate: 'Named', SubscriberID: 'our-own' });
    assert.match(
      await exported(a, 'messagetemplate', 'SubscriberID=our-own'),
      /<MessageTemplateItem SubscriberID="our-own">/,
    );
    const other = await save(a, 'messagetemplate', { MessageTemplate: 'Before' });
    const identifier = /SubscriberID="(.+?)"/.exec(
      await exported(a, 'messagetemplate', `ID=${String(other['MessageTemplateID'])}`),
    )?.[1];
    await save(a, 'messagetemplate', { ID: other['MessageTemplateID'], MessageTemplate: 'After' });
    assert.ok((await exported(a, 'messagetemplate')).includes(`<MessageTemplateItem SubscriberID="${identifier}">`));
    const again = await save(a, 'messagetemplate', { MessageTemplate: 'Before' });
    assert.ok(
      !(await exported(a, 'messagetemplate', `ID=${String(again['MessageTemplateID'])}`)).includes(String(identifier)),
      'a reused name is another record',
    );
  });

  it('KRN-12 two concurrent exports produce the same external IDs', async () => {
    await Promise.all(
      Array.from({ length: 12 }, (_, i) => save(a, 'importformtemplate', { ImportFormTemplate: `Task ${i}` })),
    );
    const [first, ...others] = await Promise.all(Array.from({ length: 4 }, () => exported(a, 'importformtemplate')));
    for (const other of others) assert.equal(other, first);
    assert.equal(new Set([...String(first).matchAll(/SubscriberID="(.+?)"/g)].map((m) => m[1])).size, 12);
  });

  it('secrets, computed values and keys are not exported, nor are secret settings; statements, roles and settings are on request', async () => {
    await save(a, 'gear', { Gear: 'Safe', Lock: 'combination-of-the-lock' });
    await save(a, 'setting', { Setting: 'VaultCombination', Value: 'combination-of-the-vault' });
    await save(a, 'setting', { Setting: 'HistoryMonths', Value: '7' });
    const [machines, settings, roles] = await Promise.all([
      exported(a, 'gear'),
      exported(a, 'setting'),
      exported(a, 'role'),
    ]);
    assert.doesNotMatch(machines, /Lock|combination|Sum/);
    assert.match(settings, /<Value>7</);
    assert.doesNotMatch(settings, /Vault|combination/);
    assert.match(roles, /<Role>Administrator</);
    for (const module of ['person', 'apikey', 'loan', 'securitylog', 'contact'])
      assert.equal((await a.admin.get(`/api/${module}/export`)).status, 404, module);
    await refused(
      document(
        '<SettingCollection><SettingItem SubscriberID="s"><Setting>VaultCombination</Setting>' +
          '<Value>x</Value></SettingItem></SettingCollection>',
      ),
      'BAD_XML',
      /not part of configuration documents/,
    );
  });

  it('KRN-15 KRN-18 a document with a setting beyond its range is refused', async () => {
    await refused(
      document(
        '<SettingCollection><SettingItem SubscriberID="limit"><Setting>HistoryMonths</Setting>' +
          '<Value>999999</Value></SettingItem></SettingCollection>',
      ),
      'BAD_PARAMETER',
      /Value: expected a whole number from 0 to 1200, for the setting HistoryMonths/,
    );
  });

  it('KRN-17 KRN-18 exporting requires the permission of each type in the document, also of those that records refer to', async () => {
    const template = await save(a, 'decisiontemplate', {
      DecisionTemplate: 'Of an exporter',
      AppliesTo: 'Foreclosure',
      Steps_0_DecisionStepTemplate: 'First',
    });
    const path = `/api/decisiontemplate/export?ID=${String(template['DecisionTemplateID'])}`;
    await save(a, 'role', { Role: 'Exporter', Permissions: 'DecisionTemplateExport', UniversalAccess: true });
    const refusal = await (await a.user('exporter', 'Exporter')).caller.get(`${path}&Output=Json`);
    assert.equal(refusal.status, 403);
    assert.match(refusal.text, /DecisionStepTemplateExport is not granted to you; the export contains/);
    assert.equal((await (await a.user('analyst of exports', 'Analyst')).caller.get(path)).status, 200);
  });

  it('KRN-17 KRN-18 exporting and importing are for administrators; importing a document requires the permission of each type in it', async () => {
    const [staff, firm] = [await a.user('some staff', 'Staff'), await a.firm('Some Firm')];
    await a.admin.post('/api/role/save', { Role: 'Firm Exporter', Permissions: 'Gear* Role*' });
    const daring = await a.firm('Daring Firm', 'Firm Exporter');
    for (const caller of [staff.caller, firm.caller, daring.caller]) {
      for (const module of ['ledgertemplate', 'role']) {
        assert.equal((await caller.get(`/api/${module}/export`)).status, 403);
        assert.equal((await send(caller, module, gears())).status, 403);
      }
    }
    assert.equal((await daring.caller.get('/api/gear/export')).status, 403);
    await save(b, 'role', { Role: 'Mechanic', Permissions: 'GearImport GearExport', UniversalAccess: true });
    const mechanic = await b.user('mechanic', 'Mechanic');
    assert.equal((await send(mechanic.caller, 'gear', gears(gear('m', '<Gear>M</Gear>')))).status, 200);
    const smuggled = await send(
      mechanic.caller,
      'gear',
      document(
        '<RoleCollection><RoleItem SubscriberID="r"><Role>Mechanic</Role><Permissions>*</Permissions></RoleItem>' +
          '</RoleCollection>',
      ),
    );
    assert.equal(smuggled.status, 403, smuggled.text);
    assert.equal((await search(b, 'role', 'Role=Mechanic'))[0]?.['Permissions'], 'GearImport GearExport');
  });

  it('text that XML cannot represent is refused rather than changed', async () => {
    const made = await save(a, 'gear', { Gear: 'Bell', Note: 'rings \u0007' });
    const answer = await a.admin.get(`/api/gear/export?Output=Json&ID=${String(made['GearID'])}`);
    assert.equal(answer.status, 422);
    assert.match(answer.text, /Note: the Gear \d+ has a control character/);
    await a.admin.post(`/api/gear/delete?ID=${String(made['GearID'])}`);
  });
});

describe('importing configuration', () => {
  it('KRN-12 the standard configuration is matched by name and not duplicated; the second time everything is known', async () => {
    const xml = await exported(a, 'ledgertemplate');
    // As if set up by hand: under the same names, without the external IDs of the standard configuration.
    await b.platform.store.query(
      "delete from objectsubscription where object in ('LedgerTemplate', 'LedgerTemplateItem')",
    );
    const before = {
      templates: (await search(b, 'ledgertemplate')).length,
      lines: (await search(b, 'ledgertemplateitem')).length,
    };
    const first = await imported(b, 'ledgertemplate', xml);
    assert.deepEqual(
      first.filter((r) => r['FoundBy'] === 'Name' && r['Operation'] !== 'Unchanged'),
      [],
    );
    assert.equal(first.filter((r) => r['FoundBy'] === 'Name').length, before.templates + before.lines);
    assert.deepEqual(
      first
        .filter((r) => r['Operation'] === 'Insert')
        .map((r) => r['Name'])
        .sort((x, y) => String(x).localeCompare(String(y))),
      ['Inner', 'Invoice', 'Line & "more"', 'Outer', 'Part'],
    );
    assert.equal((await search(b, 'ledgertemplate')).length, before.templates + 2);
    const hash = await contentHash(b.platform);
    const second = await imported(b, 'ledgertemplate', xml);
    assert.deepEqual(
      [operations(second), [...new Set(second.map((r) => r['FoundBy']))]],
      [['Unchanged'], ['SubscriberID']],
    );
    assert.deepEqual(await contentHash(b.platform), hash);
    assert.equal(await exported(b, 'ledgertemplate'), xml);
  });

  it('KRN-12 only what differs is changed: other records keep their versions and get no history', async () => {
    const [one, two] = [
      await save(a, 'gear', { Gear: 'One', Count: 1, Note: 'n' }),
      await save(a, 'gear', { Gear: 'Two', Count: 2 }),
    ];
    const ids = `ID=${String(one['GearID'])},${String(two['GearID'])}`;
    await imported(b, 'gear', await exported(a, 'gear', ids));
    await save(a, 'gear', { ID: two['GearID'], Gear: 'Two renamed', Count: null });
    const changes = await imported(b, 'gear', await exported(a, 'gear', ids));
    assert.deepEqual(
      changes.map((r) => [r['Name'], r['Operation'], r['Fields'] ?? null]),
      [
        ['One', 'Unchanged', null],
        ['Two renamed', 'Update', 'Count, Gear'],
      ],
    );
    const there = await search(b, 'gear', 'OrderBy=Gear');
    assert.deepEqual(
      there
        .filter((r) => ['One', 'Two', 'Two renamed'].includes(String(r['Gear'])))
        .map((r) => [r['Gear'], r['Version'], r['Count'] ?? null]),
      [
        ['One', 1, 1],
        ['Two renamed', 2, null],
      ],
    );
    const history = await ok(b.admin.get(`/api/gear/history?Output=Json&ID=${String(changes[0]?.['ID'])}`));
    assert.deepEqual(rowsOf(history), []);
  });

  it('a preview reports inserts, updates and unchanged records, checks the values, and changes nothing', async () => {
    const xml = gears(
      gear('p1', '<Gear>Preview</Gear><Count>1</Count>'),
      gear('p2', '<Gear>One</Gear><Count>9</Count>'),
    );
    const hash = await contentHash(b.platform);
    const rows = await imported(b, 'gear', xml, 'Preview=true');
    assert.deepEqual(
      rows.map((r) => [r['Object'], r['Name'], r['Operation'], r['FoundBy'] ?? null, r['Fields'], r['Line']]),
      [
        ['Gear', 'Preview', 'Insert', null, 'Gear, Count', 3],
        ['Gear', 'One', 'Update', 'Name', 'Count', 4],
      ],
    );
    assert.equal(rows[0]?.['ID'], undefined);
    assert.deepEqual(await contentHash(b.platform), hash);
    await refused(
      document(
        '<GearCollection><GearItem SubscriberID="p3"><Gear>P3</Gear></GearItem></GearCollection>',
        '<WheelCollection>',
        '<WheelItem SubscriberID="w"><Wheel>W</Wheel><GearSubscriberID>p3</GearSubscriberID>' +
          '<Teeth>0</Teeth></WheelItem></WheelCollection>',
      ),
      'BAD_PARAMETER',
      /^Line 4, WheelItem "W": Teeth: expected at least one tooth/,
      'Preview=true',
    );
    const preview = await b.admin.post('/api/gear/import?Output=Csv&Preview=true', xml, { 'Content-Type': 'text/xml' });
    assert.match(preview.text, /^Object,ID,SubscriberID,Name,Operation,FoundBy,Fields,Line/);
  });

  it('KRN-12 circular, forward and self references arrive as they were', async () => {
    const machine = await save(a, 'gear', { Gear: 'Circle' });
    const [first, second] = [
      await save(a, 'wheel', { Wheel: 'first', GearID: machine['GearID'] }),
      await save(a, 'wheel', { Wheel: 'second', GearID: machine['GearID'] }),
    ];
    await save(a, 'wheel', { ID: first['WheelID'], TurnsWheelID: second['WheelID'] });
    await save(a, 'wheel', { ID: second['WheelID'], TurnsWheelID: first['WheelID'] });
    const own = await save(a, 'wheel', { Wheel: 'own', GearID: machine['GearID'] });
    await save(a, 'wheel', { ID: own['WheelID'], TurnsWheelID: own['WheelID'] });
    await save(a, 'gear', { ID: machine['GearID'], MainWheelID: second['WheelID'] });
    const xml = await exported(a, 'wheel', `ID=${String(own['WheelID'])}`);
    assert.deepEqual(operations(await imported(b, 'wheel', xml)), ['Insert']);
    const [there] = await search(b, 'gear', 'Gear=Circle');
    const wheels = new Map(
      (await search(b, 'wheel', `GearID=${String(there?.['GearID'])}`)).map((r) => [r['Wheel'], r]),
    );
    assert.equal(there?.['MainWheelID'], wheels.get('second')?.['WheelID']);
    for (const [from, to] of [
      ['first', 'second'],
      ['second', 'first'],
      ['own', 'own'],
    ])
      assert.equal(wheels.get(from)?.['TurnsWheelID'], wheels.get(to)?.['WheelID'], from);
    assert.deepEqual(operations(await imported(b, 'wheel', xml)), ['Unchanged']);
    assert.equal(await exported(b, 'gear', `SubscriberID=${/<GearItem SubscriberID="(.+?)"/.exec(xml)?.[1]}`), xml);
  });

  it('KRN-12 a contact is referenced, not included: a known one is set, an unknown one is reported and the field unchanged', async () => {
    const contact = await save(a, 'contact', { LastName: 'Keeperson', SubscriberID: 'the-keeper' });
    const stored = await save(a, 'gear', { Gear: 'Kept', KeeperContactID: contact['ContactID'] });
    const xml = await exported(a, 'gear', `ID=${String(stored['GearID'])}`);
    assert.doesNotMatch(xml, /Keeperson/);
    const first = await ok(send(b.admin, 'gear', xml));
    assert.match(
      first.text,
      /"Code":"UNKNOWN_REFERENCE".*KeeperContactSubscriberID names a Contact that does not exist here/,
    );
    assert.equal((await search(b, 'gear', 'Gear=Kept'))[0]?.['KeeperContactID'], undefined);
    const keeper = await save(b, 'contact', { LastName: 'Other', SubscriberID: 'the-keeper' });
    const second = await imported(b, 'gear', xml);
    assert.deepEqual(
      second.map((r) => [r['Operation'], r['Fields']]),
      [['Update', 'KeeperContactSubscriberID']],
    );
    assert.equal((await search(b, 'gear', 'Gear=Kept'))[0]?.['KeeperContactID'], keeper['ContactID']);
  });

  it('KRN-12 names are compared regardless of case and accents, within what they apply to; an ambiguous name is an error', async () => {
    await save(b, 'gear', { Gear: 'Étoile' });
    await save(b, 'gear', { Gear: 'Étoile', AppliesTo: 'Loan' });
    const rows = await imported(
      b,
      'gear',
      gears(gear('etoile', '<Gear>etoile</Gear><AppliesTo>LOAN</AppliesTo>')),
      'Preview=true',
    );
    assert.deepEqual(
      rows.map((r) => [r['FoundBy'], r['Operation']]),
      [['Name', 'Update']],
    );
    await save(b, 'gear', { Gear: 'ÉTOILE' });
    await refused(
      gears(gear('etoile', '<Gear>etoile</Gear>')),
      'BAD_PARAMETER',
      /^Line 3, GearItem "etoile": 2 Gear records here have this name \(\d+, \d+\)/,
    );
    // A record that the document itself identifies by external ID is not a candidate.
    await save(b, 'gear', {
      ID: String((await search(b, 'gear', 'Gear=etoile&AppliesTo=null'))[0]?.['GearID']),
      SubscriberID: 'the-first',
    });
    assert.deepEqual(
      (
        await imported(
          b,
          'gear',
          gears(gear('the-first', '<Gear>etoile</Gear>'), gear('etoile', '<Gear>etoile</Gear>')),
        )
      ).map((r) => r['FoundBy']),
      ['SubscriberID', 'Name'],
    );
  });

  it('KRN-12 KRN-23 concurrent imports create each record once', async () => {
    const xml = gears(...Array.from({ length: 20 }, (_, i) => gear(`race-${i}`, `<Gear>Race ${i}</Gear>`)));
    const answers = await Promise.all(Array.from({ length: 5 }, () => imported(b, 'gear', xml)));
    assert.equal((await search(b, 'gear', 'Gear=Race*')).length, 20);
    assert.equal(answers.filter((rows) => operations(rows)[0] === 'Insert').length, 1);
    assert.equal(answers.filter((rows) => operations(rows)[0] === 'Unchanged').length, 4);
  });

  it('KRN-14 KRN-12 statements and roles are imported as if saved: callable, granted, and checked', async () => {
    await save(a, 'statement', {
      Statement: 'GearNames',
      ClassName: 'Contact',
      Query: 'select LastName from Contact where LastName = {Wanted}',
    });
    await imported(b, 'statement', await exported(a, 'statement'));
    assert.equal((await b.admin.get('/api/contact/gearnames?Wanted=nobody')).status, 200);
    await save(a, 'role', { Role: 'Gear Reader', Permissions: 'GearSearch' });
    const roles = await imported(b, 'role', await exported(a, 'role'));
    assert.deepEqual(
      roles
        .filter((r) => r['Operation'] !== 'Unchanged')
        .map((r) => [r['Name'], r['Operation']])
        .filter(([name]) => name === 'Gear Reader'),
      [['Gear Reader', 'Insert']],
    );
    await refused(
      document(
        '<RoleCollection><RoleItem SubscriberID="r9"><Role>R9</Role>' +
          '<Permissions>NoSuchThing</Permissions></RoleItem></RoleCollection>',
      ),
      'BAD_PARAMETER',
      /^Line 2, RoleItem "R9": Permissions: expected names of permissions/,
    );
    await refused(
      document(
        '<StatementCollection><StatementItem SubscriberID="s9"><Statement>Steal</Statement>' +
          '<ClassName>Contact</ClassName><Query>select * from apikey</Query></StatementItem></StatementCollection>',
      ),
      'BAD_STATEMENT',
      /^Line 2, StatementItem "Steal": Query: there is no table "apikey"/,
    );
    await refused(
      document(
        '<StatementCollection><StatementItem SubscriberID="s9"><Statement>Steal</Statement>' +
          '<ClassName>Contact</ClassName><Query>delete from contact</Query></StatementItem></StatementCollection>',
      ),
      'BAD_STATEMENT',
      /^Line 2/,
      'Preview=true',
    );
  });

  it('KRN-12 in one document, a record can take the name that another gives up', async () => {
    await imported(
      b,
      'importformtemplate',
      document(
        '<ImportFormTemplateCollection><ImportFormTemplateItem SubscriberID="old">' +
          '<ImportFormTemplate>Desk</ImportFormTemplate></ImportFormTemplateItem></ImportFormTemplateCollection>',
      ),
    );
    const renamed = document(
      '<ImportFormTemplateCollection><ImportFormTemplateItem SubscriberID="new">' +
        '<ImportFormTemplate>Desk</ImportFormTemplate></ImportFormTemplateItem>' +
        '<ImportFormTemplateItem SubscriberID="old"><ImportFormTemplate>Old desk</ImportFormTemplate>' +
        '</ImportFormTemplateItem></ImportFormTemplateCollection>',
    );
    assert.deepEqual(
      (await imported(b, 'importformtemplate', renamed)).map((r) => [r['Name'], r['Operation']]),
      [
        ['Desk', 'Insert'],
        ['Old desk', 'Update'],
      ],
    );
    assert.equal((await search(b, 'importformtemplate', 'SubscriberID=old'))[0]?.['ImportFormTemplate'], 'Old desk');
  });

  it('a document that leaves out fields changes only those that it contains; an empty one clears the field', async () => {
    await imported(b, 'gear', gears(gear('partly', '<Gear>Partly</Gear><Count>4</Count><Code>c</Code>')));
    assert.equal((await search(b, 'gear', 'SubscriberID=partly'))[0]?.['Note'], 'by default');
    await imported(b, 'gear', gears(gear('partly', '<Count/>')));
    const [row] = await search(b, 'gear', 'SubscriberID=partly');
    assert.deepEqual(
      [row?.['Gear'], row?.['Code'], row?.['Count'], row?.['Note']],
      ['Partly', 'c', undefined, 'by default'],
    );
  });

  it('KRN-12 two external IDs of one existing record are an error, not a guess', async () => {
    const made = await save(b, 'gear', { Gear: 'Double', SubscriberID: 'double-1' });
    await save(b, 'gear', { ID: made['GearID'], SubscriberID: 'double-2' });
    await refused(
      gears(gear('double-1', '<Gear>One of them</Gear>'), gear('double-2', '<Gear>The other</Gear>')),
      'BAD_PARAMETER',
      /^Line 4, GearItem "The other": SubscriberID: the record on line 3 matches the same existing record/,
    );
    // The oldest external ID is exported, whichever one was used to find the record.
    assert.match(await exported(b, 'gear', 'SubscriberID=double-2'), /SubscriberID="double-1"/);
  });

  it('an import from code or a URL takes the document as a parameter; exactly one of the two is required', async () => {
    const xml = gears(gear('by-parameter', '<Gear>By parameter</Gear>'));
    assert.equal(
      rowsOf(await ok(b.admin.get(`/api/gear/import?Output=Json&Xml=${encodeURIComponent(xml)}`)))[0]?.['Operation'],
      'Insert',
    );
    assert.equal(
      (await b.admin.post(`/api/gear/import?Xml=${encodeURIComponent(xml)}`, xml, { 'Content-Type': 'text/xml' }))
        .status,
      400,
    );
    assert.match(
      (await b.admin.post('/api/gear/import', '', { 'Content-Type': 'text/xml' })).text,
      /MISSING_PARAMETER/,
    );
  });

  it('each import is in the security log with its counts', async () => {
    await imported(b, 'gear', gears(gear('logged', '<Gear>Logged</Gear>')));
    const [last] = await search(b, 'securitylog', 'SecurityLog=ConfigurationImported&OrderBy=-SecurityLogID');
    assert.equal(last?.['Detail'], '1 inserted, 0 updated, 0 unchanged');
  });
});

describe('a document that is not understood changes nothing, and the error says where', () => {
  const cases: readonly (readonly [string, string, string, RegExp])[] = [
    ['no document', 'nonsense', 'BAD_XML', /./],
    ['another root', '<Gears/>', 'BAD_XML', /^Line 1, Gears: expected <Configuration>/],
    ['no version', '<Configuration/>', 'BAD_XML', /FormatVersion: expected a whole number/],
    [
      'a newer version',
      '<Configuration FormatVersion="2"/>',
      'BAD_XML',
      /format 2, and this installation reads up to 1; upgrade it/,
    ],
    [
      'an unknown attribute',
      '<Configuration FormatVersion="1" Colour="red"/>',
      'BAD_XML',
      /no attribute Colour here. Known: FormatVersion/,
    ],
    [
      'a DOCTYPE',
      '<!DOCTYPE x [<!ENTITY e "v">]><Configuration FormatVersion="1">&e;</Configuration>',
      'BAD_XML',
      /DOCTYPE/i,
    ],
    ['an external entity', gears(gear('x', '<Gear>&file;</Gear>')), 'BAD_XML', /entity/i],
    ['text between elements', gears('text'), 'BAD_XML', /^Line 2, GearCollection: expected elements, not text/],
    [
      'an unknown collection',
      document('<GearsCollection/>'),
      'BAD_XML',
      /^Line 2, GearsCollection: no collection.*Did you mean GearCollection.*Known: .*LedgerTemplateCollection/,
    ],
    [
      'cases',
      document('<LoanCollection><LoanItem SubscriberID="1"><Loan>1</Loan></LoanItem></LoanCollection>'),
      'BAD_XML',
      /no collection of configuration/,
    ],
    ['keys', document('<ApiKeyCollection/>'), 'BAD_XML', /no collection of configuration/],
    ['another item', gears('<WheelItem SubscriberID="w"/>'), 'BAD_XML', /^Line 3, WheelItem: expected GearItem/],
    [
      'no identifier',
      gears('<GearItem><Gear>x</Gear></GearItem>'),
      'BAD_XML',
      /^Line 3, GearItem: SubscriberID: expected/,
    ],
    [
      'an identifier twice',
      gears(gear('x', '<Gear>x</Gear>'), gear('x', '<Gear>y</Gear>')),
      'BAD_XML',
      /^Line 4, GearItem: SubscriberID: the Gear on line 3 has the same one/,
    ],
    [
      'an unknown field',
      gears(gear('x', '<Gear>x</Gear>\n<Colour>red</Colour>')),
      'BAD_XML',
      /^Line 4, Colour: Gear has no such field.*Known: .*Amount, AppliesTo/,
    ],
    [
      'an id',
      gears(gear('x', '<Gear>x</Gear><MainWheelID>1</MainWheelID>')),
      'BAD_XML',
      /Did you mean MainWheelSubscriberID/,
    ],
    [
      'a secret',
      gears(gear('x', '<Gear>x</Gear><Lock>open</Lock>')),
      'BAD_XML',
      /^Line 3, Lock: Gear has no such field/,
    ],
    [
      'a computed field',
      gears(gear('x', '<Gear>x</Gear><Sum>1</Sum>')),
      'BAD_XML',
      /^Line 3, Sum: Gear has no such field/,
    ],
    [
      'who and when',
      gears(gear('x', '<Gear>x</Gear><CreatedDate>2020-01-01</CreatedDate>')),
      'BAD_XML',
      /CreatedDate: Gear has no such field/,
    ],
    [
      'a field twice',
      gears(gear('x', '<Gear>x</Gear>\n<gear>y</gear>')),
      'BAD_XML',
      /^Line 4, gear: the field appears twice/,
    ],
    ['elements in a field', gears(gear('x', '<Gear><b>x</b></Gear>')), 'BAD_XML', /^Line 3, Gear: expected a value/],
    [
      'a value of another kind',
      gears(gear('x', '<Gear>x</Gear>\n<Count>many</Count>')),
      'BAD_PARAMETER',
      /^Line 4, GearItem: Count: expected a whole number/,
    ],
    ['bad JSON', gears(gear('x', '<Gear>x</Gear><Data>{</Data>')), 'BAD_XML', /^Line 3, Data: expected JSON/],
    [
      'an unknown reference',
      gears(gear('x', '<Gear>x</Gear>\n<MainWheelSubscriberID>none</MainWheelSubscriberID>')),
      'BAD_PARAMETER',
      /^Line 4, GearItem "x": MainWheelSubscriberID: neither the document nor this installation/,
    ],
    [
      'a record without what it needs',
      document('<WheelCollection><WheelItem SubscriberID="w"><Wheel>w</Wheel></WheelItem></WheelCollection>'),
      'MISSING_PARAMETER',
      /^Line 2, WheelItem "w": GearID is required/,
    ],
    ['too deep', gears(gear('x', `<Gear>${'<a>'.repeat(20)}${'</a>'.repeat(20)}</Gear>`)), 'BAD_XML', /nested deeper/],
  ];
  for (const [what, xml, code, message] of cases) it(`refuses ${what}`, () => refused(xml, code, message));

  it('KRN-23 a failure in the last record rolls back the first', async () => {
    const wheels = (teeth: number): string =>
      document(
        '<GearCollection><GearItem SubscriberID="undone"><Gear>Undone</Gear></GearItem></GearCollection>',
        '<WheelCollection><WheelItem SubscriberID="undone"><Wheel>W</Wheel>' +
          `<GearSubscriberID>undone</GearSubscriberID><Teeth>${teeth}</Teeth></WheelItem></WheelCollection>`,
      );
    await refused(wheels(0), 'BAD_PARAMETER', /^Line 3, WheelItem "W": Teeth: expected at least one tooth/);
    assert.equal((await imported(b, 'wheel', wheels(3))).length, 2);
  });

  it('KRN-23 a refusal by the database names its place too', async () => {
    await refused(
      document(
        '<RoleCollection>\n<RoleItem SubscriberID="x1"><Role>Twice</Role></RoleItem>\n' +
          '<RoleItem SubscriberID="x2"><Role>twice</Role></RoleItem></RoleCollection>',
      ),
      'DUPLICATE_KEY',
      /^Line 4, RoleItem "twice": Role: another record/,
    );
  });

  it('refuses a document larger than the limit, and one with too many records', async () => {
    const large = await send(b.admin, 'gear', gears(gear('x', `<Note>${'x'.repeat(17 * 1024 * 1024)}</Note>`)));
    assert.equal(large.status, 413);
    const many = await send(
      b.admin,
      'gear',
      gears(...Array.from({ length: 10_001 }, (_, i) => gear(`m${i}`, '<Gear>m</Gear>'))),
    );
    assert.equal(many.status, 413, many.text.slice(0, 300));
  });
});

describe('the size of an export', () => {
  it('is limited: more records than an import accepts are refused', async () => {
    await a.platform.store.query(
      `insert into gear (gear, createddate, updateddate, version)
       select 'Bulk ' || n, now(), now(), 1
       from generate_series(1, 10001) n`,
    );
    const answer = await a.admin.get('/api/gear/export');
    assert.equal(answer.status, 413, answer.text.slice(0, 300));
    await a.platform.store.query('delete from gear where gear like \'Bulk %\' collate "C"');
  });
});

describe('importing what was exported', () => {
  const text = fc
    .string({ unit: 'grapheme', maxLength: 40 })
    .filter((s) => s.isWellFormed() && !/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(s));
  const optional = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(of, { freq: 4 });
  const machines = fc.array(
    fc.record({
      AppliesTo: optional(fc.constantFrom('Loan', 'Process')),
      Note: optional(
        fc.oneof(text, fc.constantFrom(' ', '\n', '\r\n', '\t]]>', '<a>&amp;</a>', 'é\u0301', '\ufffd', '\u2028')),
      ),
      Code: optional(text),
      Mode: optional(fc.constantFrom('Slow', 'Fast')),
      Count: optional(fc.integer({ min: -2_147_483_647, max: 2_147_483_647 })),
      Amount: optional(fc.integer({ min: -99_999_999, max: 99_999_999 }).map((n) => (n / 100).toFixed(2))),
      Ratio: optional(fc.constantFrom('0.000000000000000001', '123456789012345.5', '-0.10', '1e-7')).map((v) =>
        v === '1e-7' ? 1e-7 : v,
      ),
      Due: optional(fc.constantFrom('0001-01-01', '2024-02-29', '9999-12-31')),
      At: optional(fc.constantFrom('2024-03-10T07:00:00.001Z', '1970-01-01T00:00:00Z')),
      Flag: optional(fc.boolean()),
      Drawing: optional(fc.constantFrom('<x>1 &lt; 2</x>', '<a b="\'"/>')),
      main: optional(fc.nat(5)),
      wheels: fc.array(fc.record({ Teeth: fc.integer({ min: 1, max: 9 }), turns: optional(fc.nat(9)) }), {
        maxLength: 3,
      }),
    }),
    { minLength: 1, maxLength: 4 },
  );

  /** Writes machines as a plain document, with the names that the tests choose. */
  async function make(
    p: TestPlatform,
    sample: typeof machines extends fc.Arbitrary<infer T> ? T : never,
    run: number,
  ): Promise<void> {
    const wheels: { id: unknown; turns: number | null }[] = [];
    const made: { id: unknown; main: number | null }[] = [];
    for (const [i, { main, wheels: parts, ...fields }] of sample.entries()) {
      const row = await save(p, 'gear', { Gear: `Machine ${run}-${i % 2}`, ...fields });
      made.push({ id: row['GearID'], main });
      for (const [j, { Teeth, turns }] of parts.entries())
        wheels.push({
          id: (await save(p, 'wheel', { Wheel: `Wheel ${j}`, GearID: row['GearID'], Teeth }))['WheelID'],
          turns,
        });
    }
    for (const { id, turns } of wheels)
      if (turns !== null) await save(p, 'wheel', { ID: id, TurnsWheelID: wheels[turns % wheels.length]?.id });
    for (const { id, main } of made)
      if (main !== null && wheels.length > 0)
        await save(p, 'gear', { ID: id, MainWheelID: wheels[main % wheels.length]?.id });
  }

  it('KRN-12 an export imported into an empty installation exports the same there, again and again', async () => {
    const clear = (p: TestPlatform): Promise<void> =>
      p.platform.store.script(
        `update gear set mainwheelid = null;
         delete from wheel;
         delete from gear;
         delete from objectsubscription where object in ('Gear', 'Wheel');`,
      );
    let run = 0;
    await fc.assert(
      fc.asyncProperty(machines, async (sample) => {
        await Promise.all([clear(a), clear(b)]);
        await make(a, sample, ++run);
        const xml = await exported(a, 'gear');
        assert.deepEqual(operations(await imported(b, 'gear', xml)), ['Insert']);
        assert.equal(await exported(b, 'gear'), xml);
        const hash = await contentHash(b.platform);
        assert.deepEqual(operations(await imported(b, 'gear', xml)), ['Unchanged']);
        assert.deepEqual(await contentHash(b.platform), hash);
        assert.deepEqual(operations(await imported(a, 'gear', xml)), ['Unchanged']);
      }),
      { numRuns: 15 },
    );
  });
});
