import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { client, type Row } from '../../support/client.ts';
import { makeFirmRecords } from '../../support/records.ts';
import { refusing } from '../../support/rules/rules.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
const { registry, store } = p.platform;
const withHistory = registry.records().filter((record) => record.history !== false);

const idOf = (row: Row, module: string): number =>
  Number(Object.entries(row).find(([name]) => name.toLowerCase() === `${module}id`)?.[1]);
const made = async (module: string, fields: object): Promise<number> => idOf(await admin.save(module, fields), module);

/** Returns the rows of all record types, without what every change changes. */
async function everything(): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for (const { table } of withHistory) {
    const rows = await store.query<{ row: Row }>(
      `select to_jsonb(t) - '{version,updateddate,updatedpersonid}'::text[] as row from ${table} t order by ${table}id`,
    );
    all[table] = rows.map(({ row }) => row);
  }
  return all;
}

/** Merges contacts and returns the changes as `Object Change`: IDs. */
async function merge(parameters: object, caller = admin): Promise<Record<string, number[]>> {
  const rows = await caller.expectRows('contact/merge', parameters);
  return Object.fromEntries(
    rows.map((row) => {
      const ids = String(row['RecordIDs']).split(',').map(Number);
      assert.equal(row['Records'], ids.length);
      return [`${String(row['Object'])} ${String(row['Change'])}`, ids];
    }),
  );
}

/** Undoes a merge as the guide describes it. */
async function undo(rows: readonly Row[]): Promise<void> {
  const change = async (changes: readonly string[], operation: string): Promise<void> => {
    for (const row of rows.filter((each) => changes.includes(String(each['Change']))))
      for (const id of String(row['RecordIDs']).split(',')) {
        const module = String(row['Object']).toLowerCase();
        if (operation === 'rollback') await admin.expectOk(`${module}/rollback`, { ID: id, CallID: row['CallID'] });
        // Links come back with the contact.
        else if (module !== 'objectlink') await admin.expectOk(`${module}/undelete`, { ID: id });
      }
  };
  await change(['Deleted'], 'undelete');
  await change(['Removed'], 'undelete');
  await change(['Moved', 'Filled'], 'rollback');
}

/** An open hold refuses another parent; a step names a template, and a cell a record only for some outputs. */
const unmovable = new Set(['decisiondelay', 'matrixfact', 'decisionsteptemplate']);

describe('merging contacts', () => {
  let loan = 0;
  let firm: Awaited<ReturnType<typeof p.firm>>;
  before(async () => {
    loan = await made('loan', { Agency: 'FNMA', Loan: '700000001' });
    await admin.save('role', { Role: 'Merging Firm', Permissions: '*', UniversalAccess: false });
    firm = await p.firm('Merging Firm', 'Merging Firm');
  });
  const newContact = (fields: object = {}): Promise<number> =>
    made('contact', { LastName: 'Sample', Object: 'Loan', ObjectID: loan, ...fields });

  it('moves all references, deletes duplicates, fills missing values, and can be undone', async () => {
    const stays = await newContact({ FirstName: 'Ann', Email: 'ann@example.com', Phone: '303-555-0100', City: 'Reno' });
    const goes = await newContact({
      FirstName: 'Anna',
      MiddleName: 'B',
      USSSN: '123-45-6789',
      Address: '1 Main St',
      SubscriberID: 'outside-1',
      Methods: [
        { MethodType: 'Work Email', ContactValue: 'ANN@example.com' },
        { MethodType: 'Phone', ContactValue: '303-555-0199' },
        { MethodType: 'Mobile', ContactValue: '303-555-0101' },
      ],
    });
    const [alias, child, note, license] = [
      await made('contact', { LastName: 'Alias', ParentContactID: goes }),
      await made('contact', { LastName: 'Child', Object: 'Contact', ObjectID: goes }),
      await made('message', { Message: 'Note', Object: 'Contact', ObjectID: goes }),
      await made('professionallicense', { ProfessionalLicense: 'L', Object: 'Contact', ObjectID: goes }),
    ];
    const template = await made('messagetemplate', { MessageTemplate: 'T', ToContactID: goes, CcContactID: stays });
    const [both, one] = [
      await made('collection', { Collection: 'Both', SourceObject: 'Contact' }),
      await made('collection', { Collection: 'One', SourceObject: 'Contact' }),
    ];
    await made('collectionmember', { CollectionID: both, SourceObjectID: stays });
    const [double, member] = [
      await made('collectionmember', { CollectionID: both, SourceObjectID: goes }),
      await made('collectionmember', { CollectionID: one, SourceObjectID: goes }),
    ];
    const link = (a: number, type: string, b: number): Promise<number> =>
      made('objectlink', { PrimaryObject: 'Contact', PrimaryObjectID: a, LinkedObject: type, LinkedObjectID: b });
    await link(stays, 'Loan', loan);
    const [sameLink, between, other] = [
      await link(goes, 'Loan', loan),
      await link(stays, 'Contact', goes),
      await link(goes, 'Message', note),
    ];
    const state = await everything();
    const answer = await admin.send('contact/merge', { ID: stays, MergedContactID: [goes] });
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.text, /NOT_TAKEN.*Phone: contact \d+ already has another one/s);
    const { MergeCollection: list } = answer.json() as never as { MergeCollection: { MergeItem: Row[] } };
    const rows = list.MergeItem;
    const of = (object: string, change: string): unknown =>
      rows.find((row) => row['Object'] === object && row['Change'] === change)?.['RecordIDs'];
    assert.deepEqual(
      [
        of('Contact', 'Moved'),
        of('Contact', 'Filled'),
        of('Contact', 'Deleted'),
        of('Message', 'Moved'),
        of('ProfessionalLicense', 'Moved'),
        of('MessageTemplate', 'Moved'),
        of('CollectionMember', 'Moved'),
        of('CollectionMember', 'Removed'),
        of('ObjectLink', 'Moved'),
        of('ObjectLink', 'Removed'),
      ],
      [
        `${alias},${child}`,
        `${stays}`,
        `${goes}`,
        `${note}`,
        `${license}`,
        `${template}`,
        `${member}`,
        `${double}`,
        `${other}`,
        `${sameLink},${between}`,
      ],
    );
    const after = await admin.select('contact', stays);
    assert.deepEqual(
      [after['FirstName'], after['MiddleName'], after['USSSN'], after['City'], after['Address']],
      ['Ann', 'B', 'XXX-XX-6789', 'Reno', undefined],
    );
    const methods = await admin.expectRows('contactmethod/search', { ContactID: stays, OrderBy: 'ContactMethodID' });
    assert.deepEqual(
      methods.map((row) => [row['MethodType'], row['ContactValue']]),
      [
        ['Email', 'ann@example.com'],
        ['Phone', '(303) 555-0100'],
        ['Mobile', '(303) 555-0101'],
      ],
    );
    assert.equal((await admin.save('contact', { SubscriberID: 'outside-1' }))['ContactID'], stays);
    await admin.expectRefused('contact/select', { ID: goes }, 'NOT_FOUND', 'ID');
    await undo(rows);
    assert.deepEqual(await everything(), state);
  });

  it('moves every reference that the registry or a foreign key declares, and leaves only logs', async () => {
    const records = await makeFirmRecords(p.platform, firm);
    const [stays, goes] = [await newContact(), await newContact()];
    const columns: { table: string; id: string; object?: string }[] = [];
    const keys = await store.query<{ table: string; id: string }>(
      `select r.relname as table, a.attname as id
       from pg_constraint c join pg_class r on r.oid = c.conrelid
         join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
       where c.contype = 'f' and c.confrelid = 'contact'::regclass and r.relname <> 'organization'`,
    );
    columns.push(...keys);
    for (const { table, columns: all } of withHistory)
      for (const [name, column] of all)
        if (column.table === table && name.endsWith('objectid') && name !== `${table}id` && all.has(name.slice(0, -2)))
          columns.push({ table, id: name, object: name.slice(0, -2) });
    assert.ok(columns.length > 15, `${columns.length} columns`);
    for (const { table, id, object } of columns) {
      const record = registry.record(table);
      if (!record || unmovable.has(table)) continue;
      const also = object === undefined ? '' : `, ${object} = 'Contact'`;
      await store.query(`update ${table} set ${id} = $2::bigint${also} where ${table}id = $1::bigint`, [
        records.id(record),
        goes,
      ]);
    }
    const hold = `update decisiondelay set object = $2::text, objectid = $3::bigint, actualcompletion = null
      where decisiondelayid = $1::bigint`;
    const holdId = records.id(registry.recordType('DecisionDelay'));
    await store.query(hold, [holdId, 'Contact', goes]);
    const state = await everything();
    const parameters = { ID: stays, MergedContactID: goes };
    const { error } = await admin.expectRefused('contact/merge', parameters, 'STATE_REFUSES', 'ObjectID');
    assert.deepEqual([error['Object'], error['ObjectID']], ['DecisionDelay', holdId]);
    assert.deepEqual(await everything(), state);
    await store.query(hold, [holdId, 'Contact', stays]);
    await merge(parameters);
    for (const { table, id, object } of columns) {
      const also = object === undefined ? '' : ` and ${object} = 'Contact'`;
      const left = await store.query<Row>(`select ${id} as id from ${table} where ${id} = $1::bigint${also}`, [goes]);
      assert.equal(left.length, 0, `${table}.${id}`);
    }
  });

  it('takes only missing values, an address as a whole, and the chosen fields even where the contact has a value', async () => {
    const stays = await newContact({ FirstName: 'Ann', Title: 'Dr', BirthDate: '' });
    const goes = await newContact({
      FirstName: 'Anna',
      Title: 'Prof',
      BirthDate: '1980-02-03',
      City: 'Reno',
      State: 'NV',
    });
    const last = await newContact({ FirstName: 'A', BirthDate: '1981-01-01', Address: '1 Main St', Suffix: 'Jr' });
    const parameters = { ID: stays, MergedContactID: [goes, last, goes] };
    await admin.expectRefused('contact/merge', { ...parameters, Fields: 'Titel' }, 'BAD_PARAMETER', 'Fields');
    const changes = await merge({ ...parameters, Fields: 'title' });
    assert.deepEqual(changes, { 'Contact Filled': [stays], 'Contact Deleted': [goes, last] });
    const row = await admin.select('contact', stays);
    const names = ['FirstName', 'Title', 'BirthDate', 'City', 'State', 'Address', 'Suffix'];
    assert.deepEqual(
      names.map((name) => row[name]),
      ['Ann', 'Prof', '1980-02-03', 'Reno', 'NV', undefined, 'Jr'],
    );
    const history = await admin.expectRows('contact/history', { ID: stays });
    assert.deepEqual(
      history.filter((each) => each['Field'] === 'Title').map((each) => each['NewValue']),
      ['Prof'],
    );
  });

  it('deletes phones and emails that the contact has under any type, and leaves one primary method of each type', async () => {
    await admin.save('setting', { Setting: 'ContactMethodUniqueByType', Value: 'false' });
    const stays = await newContact({ Methods: [{ MethodType: 'Phone', ContactValue: '1', PrimaryMethod: true }] });
    const goes = await newContact({
      Methods: [
        { MethodType: 'Phone', ContactValue: '2', PrimaryMethod: true },
        { MethodType: 'Mobile', ContactValue: '1' },
      ],
    });
    await merge({ ID: stays, MergedContactID: goes });
    const methods = await admin.expectRows('contactmethod/search', { ContactID: stays, OrderBy: 'ContactValue' });
    assert.deepEqual(
      methods.map((row) => [row['MethodType'], row['ContactValue'], row['PrimaryMethod']]),
      [
        ['Phone', '1', true],
        ['Phone', '2', false],
      ],
    );
    await store.query(`delete from setting where setting = 'ContactMethodUniqueByType'`);
    p.platform.configuration.expire();
  });

  it('lets an alias, and a contact of the merged contact, become its like', async () => {
    const goes = await newContact();
    const alias = await made('contact', { LastName: 'Alias', ParentContactID: goes });
    const second = await made('contact', { LastName: 'Second', ParentContactID: goes });
    await merge({ ID: alias, MergedContactID: goes });
    const row = await admin.select('contact', alias);
    assert.deepEqual([row['ParentContactID'], row['Object'], row['ObjectID']], [undefined, 'Loan', loan]);
    assert.equal((await admin.select('contact', second))['ParentContactID'], alias);
    const child = await made('contact', { LastName: 'Child', Object: 'Contact', ObjectID: alias });
    await merge({ ID: child, MergedContactID: alias });
    assert.equal((await admin.select('contact', child))['ObjectID'], loan);
  });

  it('refuses contacts that may not be the same person, naming the fields in which they differ', async () => {
    const [heir, trustee] = [
      await made('contacttemplate', { ContactTemplate: 'Heir' }),
      await made('contacttemplate', { ContactTemplate: 'Trustee' }),
    ];
    const other = await made('loan', { Agency: 'FNMA', Loan: '700000002' });
    const stays = await newContact({ ContactTemplateID: heir, USSSN: '123-45-6789' });
    const refused = async (goes: unknown, fields: readonly string[], parameters: object = {}): Promise<void> => {
      const sent = { ID: stays, MergedContactID: goes, ...parameters };
      const { error } = await admin.expectRefused('contact/merge', sent, 'STATE_REFUSES', 'MergedContactID');
      assert.deepEqual(error['Fields'], fields);
    };
    const trusted = await newContact({ ContactTemplateID: trustee, USSSN: '123-45-6780' });
    await refused(await newContact({ ObjectID: other }), ['ObjectID']);
    await refused(trusted, ['ContactTemplateID', 'USSSN']);
    await refused(firm.organizationId, ['RecordClass', 'OrganizationID']);
    await made('foreclosure', {
      Foreclosure: 'F-1',
      LoanID: other,
      LoanAssigned: true,
      OrganizationID: firm.organizationId,
      Status: 'Open',
    });
    const [own, loose] = [await newContact({ ObjectID: other }), await made('contact', { LastName: 'Loose' })];

    await refused(loose, ['OrganizationID'], { ID: own });
    const changes = await merge({ ID: stays, MergedContactID: trusted, Fields: 'USSSN,ContactTemplateID' });
    assert.deepEqual(changes, { 'Contact Filled': [stays], 'Contact Deleted': [trusted] });
    assert.equal((await admin.select('contact', stays))['USSSN'], 'XXX-XX-6780');
  });

  it('moves holds that have ended; one that is open is ended first, since what it holds would be released', async () => {
    const [keep, other] = [await made('contact', { LastName: 'Moss' }), await made('contact', { LastName: 'Moss' })];
    const type = await made('decisiondelaytemplate', { DecisionDelayTemplate: 'Of contacts' });
    const on = { DecisionDelayTemplateID: type, Object: 'Contact', ObjectID: other };
    const ended = await made('decisiondelay', { ...on, ActualStart: '2026-01-02', ActualCompletion: '2026-01-05' });
    const open = await made('decisiondelay', on);
    await admin.expectRefused('contact/merge', { ID: keep, MergedContactID: other }, 'STATE_REFUSES', 'ObjectID');
    await admin.save('decisiondelay', { ID: open, ActualCompletion: new Date(Date.now() + 1_000).toISOString() });
    const changes = await merge({ ID: keep, MergedContactID: other });
    assert.deepEqual(changes['DecisionDelay Moved'], [ended, open]);
    await admin.expectRefused(
      'decisiondelay/save',
      { ID: ended, ObjectID: await made('contact', { LastName: 'Moss' }), Object: 'Contact', ActualCompletion: '' },
      'STATE_REFUSES',
      'ObjectID',
    );
  });

  it('refuses to merge a contact with itself or with a deleted one', async () => {
    const [a, b, c] = [await newContact(), await newContact(), await newContact()];
    const refuse = (ID: number, MergedContactID: unknown, code: string, field: string): Promise<unknown> =>
      admin.expectRefused('contact/merge', { ID, MergedContactID }, code, field);
    await refuse(a, [b, a], 'BAD_PARAMETER', 'MergedContactID');
    await merge({ ID: a, MergedContactID: b });
    await refuse(b, a, 'NOT_FOUND', 'ID');
    await refuse(a, b, 'NOT_FOUND', 'MergedContactID');
    await refuse(c, [a, b], 'NOT_FOUND', 'MergedContactID');
    assert.equal((await admin.select('contact', a))['ContactID'], a);
  });

  it('of concurrent merges of the same contacts in either direction, one succeeds', async () => {
    const [a, b] = [await newContact({ Email: 'a@example.com' }), await newContact({ Mobile: '303-555-0101' })];
    const answers = await Promise.all(
      [
        [a, b],
        [b, a],
        [a, b],
        [b, a],
      ].map(([ID, MergedContactID]) => admin.send('contact/merge', { ID, MergedContactID })),
    );
    assert.deepEqual(
      answers.map(({ status }) => status).sort((x, y) => x - y),
      [200, 404, 404, 404],
    );
    const left = await admin.expectRows('contact/search', { ContactID: `${a},${b}` });
    assert.equal(left.length, 1);
    const methods = await admin.expectRows('contactmethod/search', { ContactID: left[0]?.['ContactID'] });
    assert.equal(methods.length, 2);
  });

  it('needs the permission to change each referring record, and changes nothing without it', async () => {
    await admin.save('role', { Role: 'Merger', Permissions: 'ContactMerge ContactMethod*', UniversalAccess: true });
    const merger = client(p, (await p.user('merger', 'Merger')).caller);
    const [stays, goes] = [await newContact(), await newContact({ Phone: '303-555-0100', SubscriberID: 'outside-2' })];
    const note = await made('message', { Message: 'Note', Object: 'Contact', ObjectID: goes });
    const state = await everything();
    const parameters = { ID: stays, MergedContactID: goes };
    const { message, error } = await merger.expectRefused('contact/merge', parameters, 'NO_PERMISSION');
    assert.match(message, /Message \d+ would have to be changed too. The permission MessageUpdate/);
    assert.deepEqual([error['Object'], error['ObjectID']], ['Message', note]);
    assert.deepEqual(await everything(), state);
    await admin.expectOk('message/delete', { ID: note });
    const changes = await merge(parameters, merger);
    assert.deepEqual(Object.keys(changes), ['ContactMethod Moved', 'ObjectSubscription Moved', 'Contact Deleted']);
  });

  it("refuses a firm's user where records of others refer to the contact", async () => {
    const own = client(p, firm.caller);
    const of = await made('foreclosure', { Foreclosure: 'F-2', LoanID: loan, OrganizationID: firm.organizationId });
    const parent = { Object: 'Foreclosure', ObjectID: of };
    const [stays, goes] = [await newContact(parent), await newContact({ ...parent, Phone: '303-555-0100' })];
    const note = await made('message', { Message: 'Of staff', Object: 'Contact', ObjectID: goes });
    const parameters = { ID: stays, MergedContactID: goes };
    const { message } = await own.expectRefused('contact/merge', parameters, 'NO_PERMISSION');
    assert.doesNotMatch(message, /Message/);
    await admin.expectOk('message/delete', { ID: note });
    assert.deepEqual(Object.keys(await merge(parameters, own)), ['ContactMethod Moved', 'Contact Deleted']);
  });

  it('moves more records than fit in one savepoint', async () => {
    const [stays, goes] = [await newContact(), await newContact()];
    await store.query(
      `insert into message (message, object, objectid)
       select 'Note', 'Contact', $1::bigint from generate_series(1, 150)`,
      [goes],
    );
    const changes = await merge({ ID: stays, MergedContactID: goes });
    assert.equal(changes['Message Moved']?.length, 150);
    const [row] = await store.query<{ changed: number; calls: number }>(
      `select count(*)::int as changed, count(distinct h.callid)::int as calls
       from history h join message m on m.messageid = h.recordid and h.tablename = 'message'
       where m.objectid = $1::bigint and h.change = 'update'`,
      [stays],
    );
    assert.deepEqual({ ...row }, { changed: 150, calls: 1 });
  });

  it('applies business rules to each record, and changes what a decision table returns', async () => {
    const [stays, goes] = [await newContact(), await newContact()];
    const matrix = await made('matrix', {
      Matrix: 'Trustee',
      Measures: [{ MatrixMeasure: 'Who', ValueType: 'Object', ObjectType: 'Contact' }],
      Facts: [{ MatrixFact: 'Who', RowNumber: 1, Cell: 'x', Object: 'Contact', ObjectID: goes }],
    });
    const note = await made('message', { Message: 'Note', Object: 'Contact', ObjectID: goes });
    const rule = await made('businessrule', {
      BusinessRule: 'Notes stay',
      AppliesTo: 'Message',
      Operation: 'Update',
      Stylesheet: refusing(`MessageItem/ObjectID = ${stays}`, 'Not this one.'),
    });
    const state = await everything();
    const parameters = { ID: stays, MergedContactID: goes };
    const { error, message } = await admin.expectRefused('contact/merge', parameters, 'RULE_EXCEPTION');
    assert.deepEqual([error['Object'], error['ObjectID']], ['Message', note]);
    assert.match(message, /Not this one/);
    assert.deepEqual(await everything(), state);
    await admin.expectOk('businessrule/delete', { ID: rule });
    await merge(parameters);
    const [cell] = await admin.expectRows('matrixfact/search', { MatrixID: matrix });
    assert.equal(cell?.['ObjectID'], stays);
  });
});
