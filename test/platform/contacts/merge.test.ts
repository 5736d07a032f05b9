import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { client, type Row } from '../../support/client.ts';
import { makeFirmRecords } from '../../support/records.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
const { registry, store } = p.platform;
const kept = registry.records().filter((record) => record.history !== false);

const idOf = (row: Row, module: string): number =>
  Number(Object.entries(row).find(([name]) => name.toLowerCase() === `${module}id`)?.[1]);
const made = async (module: string, fields: object): Promise<number> => idOf(await admin.save(module, fields), module);

/** Returns the rows of all record types, without what every change changes. */
async function everything(): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for (const { table } of kept) {
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

describe('merging contacts', () => {
  let loan = 0;
  before(async () => {
    loan = await made('loan', { Agency: 'FNMA', Loan: '700000001' });
  });
  const newContact = (fields: object = {}): Promise<number> =>
    made('contact', { LastName: 'Sample', Object: 'Loan', ObjectID: loan, ...fields });

  it('points everything to the contact that stays, doubles nothing, fills its gaps, and can be undone', async () => {
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
    const firm = await p.firm('Referring Firm');
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
    for (const { table, columns: all } of kept)
      for (const name of all.keys())
        if (name.endsWith('objectid') && all.has(name.slice(0, -2)))
          columns.push({ table, id: name, object: name.slice(0, -2) });
    assert.ok(columns.length > 15, `${columns.length} columns`);
    for (const { table, id, object } of columns) {
      const record = registry.record(table);
      if (!record) continue;
      const also = object === undefined ? '' : `, ${object} = 'Contact'`;
      await store.query(`update ${table} set ${id} = $2::bigint${also} where ${table}id = $1::bigint`, [
        records.id(record),
        goes,
      ]);
    }
    console.log(columns);
    await merge({ ID: stays, MergedContactID: goes });
    for (const { table, id, object } of columns) {
      const also = object === undefined ? '' : ` and ${object} = 'Contact'`;
      const left = await store.query<Row>(`select ${id} as id from ${table} where ${id} = $1::bigint${also}`, [goes]);
      assert.deepEqual(left, [], `${table}.${id}`);
    }
  });
});
