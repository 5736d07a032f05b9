import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { item } from '../../../src/kernel/door/answer.ts';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { f, required } from '../../../src/kernel/declare/field.ts';
import { defineOperation, handle } from '../../../src/kernel/declare/operation.ts';
import { expectOk, expectRefused, type Row } from '../../support/client.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';

// 03:30 UTC is still the previous evening in the installation's time zone.
const clock = fixedClock('2026-03-10T03:30:00.000Z');
const TODAY = '2026-03-09';

/** Reads all members of a collection in batches, as operations do that send to each member. */
const whole = defineOperation({
  module: 'memberprobe',
  name: 'Read',
  method: 'POST',
  summary: 'Reads all members in batches.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: { Collection: required(f.text({ doc: 'The collection.' })) },
  returns: {
    Pieces: f.integer({ doc: 'Pieces.' }),
    Members: f.integer({ doc: 'Different members.' }),
    Columns: f.text({ doc: 'Columns.' }),
  },
  errors: [],
  source: 'test',
});
const probe = {
  operation: whole,
  run: handle(whole, async (ctx, { Collection }) => {
    const ids: unknown[] = [];
    const received = { Pieces: 0, Columns: '' };
    await ctx.readNamed('collection/memberlist', { Collection }, async (piece) => {
      if (piece.kind !== 'list') return;
      received.Pieces++;
      received.Columns = piece.shape.map(({ name }) => name).join();
      ids.push(...(piece.rows as Row[]).map((row) => row['ContactID']));
    });
    return item('Members', whole.returns, { ...received, Members: new Set(ids).size });
  }),
};
const on = await testPlatform({ after }, { clock, fixture: { declarations: { operations: [probe] } } });
const post = (route: string, body: object, caller: Caller = on.admin): Promise<TestAnswer> =>
  caller.post(`/api/${route}?Output=Json`, body);
const save = (module: string, body: object, caller: Caller = on.admin): Promise<Row> =>
  expectOk(post(`${module}/save`, body, caller));
const newContact = async (LastName: string, body: object = {}): Promise<number> =>
  Number((await save('contact', { LastName, ...body }))['ContactID']);

async function members(query: string, caller: Caller = on.admin): Promise<Row[]> {
  const body = await expectOk(caller.get(`/api/collection/memberlist?Output=Json&${query}`));
  return (body['CollectionMemberCollection'] as { CollectionMemberItem?: Row[] }).CollectionMemberItem ?? [];
}

describe('collections', () => {
  it('CON-09 CON-14 the statement of the guide returns the members of a day, as memberlist does', async () => {
    const guide = readFileSync(new URL('../../../docs/guides/analysts/contacts.md', import.meta.url), 'utf8');
    const Query = /```sql\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
    const ids = [await newContact('Past'), await newContact('Present'), await newContact('Future')];
    await save('collection', {
      Collection: 'By statement',
      SourceObject: 'Contact',
      Members: [
        { SourceObjectID: ids[0], ExpiresDate: '2026-03-31', Priority: 1 },
        { SourceObjectID: ids[1], EffectiveDate: '2026-04-01', ExpiresDate: '2026-04-30', Priority: 3 },
        { SourceObjectID: ids[2], EffectiveDate: '2026-04-15', Priority: 2 },
      ],
    });
    await save('statement', { ClassName: 'Collection', Statement: 'MembersOn', Query });
    for (const [day, names] of [
      ['2026-03-31', ['Past']],
      ['2026-04-01', ['Present']],
      ['2026-04-30', ['Future', 'Present']],
      ['2026-05-01', ['Future']],
    ] as const) {
      const answer = await expectOk(
        on.admin.get(`/api/collection/memberson?Output=Json&Collection=By statement&Day=${day}`),
      );
      const rows = Object.values(Object.values(answer)[0] as Record<string, Row[]>)[0] ?? [];
      assert.deepEqual(
        rows.map((row) => row['Name'] ?? row['name']),
        names,
        day,
      );
      const listed = await members(`Collection=By statement&AsOf=${day}`);
      assert.deepEqual(
        listed.map((row) => row['Label']),
        names,
        day,
      );
    }
  });

  it('CON-09 memberlist by ID and by name returns the members with their labels, lowest Priority first, page by page', async () => {
    const ids = [await newContact('Ames'), await newContact('Burr'), await newContact('Cole')];
    const made = await save('collection', {
      Collection: 'Notaries',
      SourceObject: 'contact',
      Members: [
        { SourceObjectID: ids[0], Priority: 5 },
        { SourceObjectID: ids[1], Priority: 2 },
        { SourceObjectID: ids[2], CollectionMember: 'The third' },
      ],
    });
    assert.equal(made['SourceObject'], 'Contact');
    const byId = await members(`CollectionID=${String(made['CollectionID'])}`);
    assert.deepEqual(
      byId.map((row) => [row['SourceObjectID'], row['ContactID'], row['Label'], row['Priority']]),
      [
        [ids[1], ids[1], 'Burr', 2],
        [ids[0], ids[0], 'Ames', 5],
        [ids[2], ids[2], 'The third', undefined],
      ],
    );
    assert.deepEqual(await members('Collection=notaries'), byId);
    const [second, ...more] = await members('Collection=Notaries&RecordStart=1&DisplaySize=1');
    assert.deepEqual([second?.['SourceObjectID'], second?.['RecordCount'], more.length], [ids[0], 3, 0]);
    await save('collection', { ID: made['CollectionID'], Members: [{ SourceObjectID: ids[1], Priority: 9 }] });
    assert.deepEqual(
      (await members('Collection=Notaries')).map((row) => row['SourceObjectID']),
      [ids[0], ids[1], ids[2]],
    );
    await expectRefused(on.admin.get('/api/collection/memberlist?Output=Json'), 'MISSING_PARAMETER', 'CollectionID');
    await expectRefused(
      on.admin.get('/api/collection/memberlist?Output=Json&Collection=None'),
      'NOT_FOUND',
      'Collection',
    );
    await expectRefused(
      on.admin.get('/api/collection/memberlist?Output=Json&CollectionID=999999'),
      'NOT_FOUND',
      'CollectionID',
    );
    await expectRefused(
      on.admin.get(`/api/collection/memberlist?Output=Json&Collection=Notaries&DisplaySize=0`),
      'BAD_PARAMETER',
      'DisplaySize',
    );
  });

  it('CON-09 operations that process each member read a long list to its end', async () => {
    const id = (await save('collection', { Collection: 'Many', SourceObject: 'Contact' }))['CollectionID'];
    await on.platform.store.query(
      `with made as (
         insert into contact (recordclass, contact, lastname)
         select 'Contact', 'm' || n, 'm' from generate_series(1, 1201) n
         returning contactid
       )
       insert into collectionmember (collectionid, sourceobjectid) select $1::bigint, contactid from made`,
      [id],
    );
    const read = await expectOk(post('memberprobe/read', { Collection: 'Many' }));
    assert.deepEqual([read['Members'], read['Pieces']], [1_201, 3]);
    assert.match(String(read['Columns']), /Label,ContactID,PersonID/);
    assert.equal((await expectOk(post('memberprobe/read', { Collection: 'many' })))['Members'], 1_201);
  });

  it("CON-14 members count from EffectiveDate through ExpiresDate, in days of the installation's time zone", async () => {
    const cases: [string | undefined, string | undefined, boolean][] = [
      [undefined, undefined, true],
      [TODAY, undefined, true],
      ['2026-03-10', undefined, false],
      [undefined, TODAY, true],
      [undefined, '2026-03-08', false],
      ['2026-01-01', '2026-12-31', true],
      [TODAY, TODAY, true],
    ];
    const rows = await Promise.all(
      cases.map(async ([EffectiveDate, ExpiresDate, counts], n) => ({
        SourceObjectID: await newContact(`Dated ${n}`),
        EffectiveDate,
        ExpiresDate,
        counts,
      })),
    );
    const made = await save('collection', {
      Collection: 'Dated',
      SourceObject: 'Contact',
      Members: rows.map(({ counts: _counts, ...row }) => row),
    });
    const found = new Set(
      (await members(`CollectionID=${String(made['CollectionID'])}`)).map((row) => row['SourceObjectID']),
    );
    for (const row of rows) assert.equal(found.has(row.SourceObjectID), row.counts, JSON.stringify(row));
    clock.advance(3_600_000);
    assert.equal(
      (await members('Collection=Dated')).some((row) => row['SourceObjectID'] === rows[2]?.SourceObjectID),
      true,
    );
    clock.advance(-3_600_000);
    assert.equal(
      (await members('Collection=Dated&AsOf=2026-03-08')).some(
        (row) => row['SourceObjectID'] === rows[4]?.SourceObjectID,
      ),
      true,
    );
    await expectRefused(
      post('collectionmember/save', {
        CollectionID: made['CollectionID'],
        SourceObjectID: rows[0]?.SourceObjectID,
        EffectiveDate: '2026-02-01',
        ExpiresDate: '2026-01-31',
      }),
      'BAD_PARAMETER',
      'ExpiresDate',
    );
  });

  it("CON-14 the database's definition of a current member agrees with a plain reading of the rule", async () => {
    const made = Number((await save('collection', { Collection: 'Oracle', SourceObject: 'Contact' }))['CollectionID']);
    const day = fc.option(
      fc.integer({ min: 1, max: 28 }).map((n) => `2026-02-${String(n).padStart(2, '0')}`),
      { nil: null },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(day, day), { maxLength: 12 }),
        fc.integer({ min: 1, max: 28 }),
        async (spans, n) => {
          const asOf = `2026-02-${String(n).padStart(2, '0')}`;
          const right = spans.filter(([from, to]) => from === null || to === null || from <= to);
          await on.platform.store.query('delete from collectionmember where collectionid = $1::bigint', [made]);
          for (const [i, [from, to]] of right.entries())
            await on.platform.store.query(
              `insert into collectionmember (collectionid, sourceobjectid, effectivedate, expiresdate)
               values ($1::bigint, $2::bigint, $3::date, $4::date)`,
              [made, i + 1, from, to],
            );
          const rows = await on.platform.store.query<{ id: number }>(
            'select sourceobjectid as id from casewright_members($1::bigint, $2::date) order by 1',
            [made, asOf],
          );
          assert.deepEqual(
            rows.map((row) => row.id),
            right.flatMap(([from, to], i) => ((from ?? '') <= asOf && asOf <= (to ?? '9999') ? [i + 1] : [])),
          );
        },
      ),
      { numRuns: 25 },
    );
  });

  it('CON-14 a member is an existing record of type SourceObject, and the type cannot change while there are members', async () => {
    const firm = await on.firm('Members Inc');
    const [process, contact] = [await save('foreclosure', { Foreclosure: 'Case 1' }), await newContact('Someone')];
    const made = await save('collection', { Collection: 'Cases', SourceObject: 'Process' });
    await save('collectionmember', { CollectionID: made['CollectionID'], SourceObjectID: process['ForeclosureID'] });
    await expectRefused(
      post('collectionmember/save', { CollectionID: made['CollectionID'], SourceObjectID: 987_654 }),
      'NOT_FOUND',
      'SourceObjectID',
      /Process 987654 not found/,
    );
    await expectRefused(
      post('collectionmember/save', { CollectionID: made['CollectionID'], SourceObjectID: process['ForeclosureID'] }),
      'DUPLICATE_KEY',
      'SourceObjectID',
    );
    await expectRefused(
      post('collection/save', { ID: made['CollectionID'], SourceObject: 'Contact' }),
      'STATE_REFUSES',
      'SourceObject',
    );
    await expectRefused(
      post('collection/save', { Collection: 'Nothing', SourceObject: 'Nothing' }),
      'BAD_PARAMETER',
      'SourceObject',
    );
    await expectRefused(post('collection/save', { Collection: 'Nothing' }), 'MISSING_PARAMETER', 'SourceObject');
    await expectRefused(post('collection/save', { SourceObject: 'Contact' }), 'MISSING_PARAMETER', 'Collection');
    await expectRefused(
      post('collection/save', { Collection: 'cases', SourceObject: 'Process' }),
      'DUPLICATE_KEY',
      'Collection',
    );
    const team = await save('collection', {
      Collection: 'Team',
      SourceObject: 'Person',
      Members: [{ SourceObjectID: firm.personId }],
    });
    assert.deepEqual(
      (await members(`CollectionID=${String(team['CollectionID'])}`)).map((row) => [
        row['PersonID'],
        row['Label'],
        row['ContactID'],
      ]),
      [[firm.personId, 'user of Members Inc', undefined]],
    );
    await save('collectionmember', {
      CollectionID: (await save('collection', { Collection: 'Gone', SourceObject: 'Contact' }))['CollectionID'],
      SourceObjectID: contact,
    });
    await expectOk(post('contact/delete', { ID: contact }));
    assert.deepEqual(await members('Collection=Gone'), []);
  });

  it("CON-14 a collection created from a template has the template's member type", async () => {
    const template = await save('collectiontemplate', { CollectionTemplate: 'Team of users', AppliesTo: 'Person' });
    const made = await save('collection', { Collection: 'Night team', Template: 'Team of users' });
    assert.deepEqual(
      [made['SourceObject'], made['CollectionTemplateID']],
      ['Person', template['CollectionTemplateID']],
    );
    await expectRefused(
      post('collection/save', { Collection: 'Other team', Template: 'Team of users', SourceObject: 'Contact' }),
      'BAD_PARAMETER',
      'SourceObject',
      /Person/,
    );
  });

  it("CON-14 a task's team and a message template's recipients must be existing collections", async () => {
    const team = await save('collection', { Collection: 'Assigned', SourceObject: 'Person' });
    const task = await save('importform', { ImportForm: 'x', AssignedCollectionID: team['CollectionID'] });
    assert.equal(task['AssignedCollectionID'], team['CollectionID']);
    await expectRefused(post('collection/delete', { ID: team['CollectionID'] }), 'IN_USE', '');
    assert.notEqual((await post('importform/save', { ImportForm: 'x', AssignedCollectionID: 999_999 })).status, 200);
  });

  it('CON-09 KRN-18 a firm can access only its own collections, may reuse names of others, and adds only records it can access', async () => {
    await save('role', {
      Role: 'Collector',
      Permissions: 'CollectionSave CollectionMemberSave CollectionMemberList ContactSave *Select *Search',
    });
    const [one, two] = [await on.firm('Collect One', 'Collector'), await on.firm('Collect Two', 'Collector')];
    const staff = await save('collection', {
      Collection: 'Friends',
      SourceObject: 'Contact',
      Members: [{ SourceObjectID: await newContact('Friend') }],
    });
    const own = await save('collection', { Collection: 'Friends', SourceObject: 'Contact' }, one.caller);
    const mine = Number(
      (await save('contact', { LastName: 'Mine', Object: 'Organization', ObjectID: one.organizationId }, one.caller))[
        'ContactID'
      ],
    );
    await save('collectionmember', { CollectionID: own['CollectionID'], SourceObjectID: mine }, one.caller);
    await expectRefused(
      post(
        'collectionmember/save',
        { CollectionID: own['CollectionID'], SourceObjectID: await newContact('Not yours') },
        one.caller,
      ),
      'NOT_FOUND',
      'SourceObjectID',
    );
    await expectRefused(
      post('collectionmember/save', { CollectionID: staff['CollectionID'], SourceObjectID: mine }, one.caller),
      'NOT_FOUND',
      'CollectionID',
    );
    assert.deepEqual(
      (await members('Collection=Friends', one.caller)).map((row) => row['Label']),
      ['Mine'],
    );
    assert.deepEqual(
      (await members('Collection=Friends')).map((row) => row['Label']),
      ['Friend'],
    );
    await expectRefused(
      two.caller.get('/api/collection/memberlist?Output=Json&Collection=Friends'),
      'NOT_FOUND',
      'Collection',
    );
    await expectRefused(
      two.caller.get(`/api/collection/memberlist?Output=Json&CollectionID=${String(own['CollectionID'])}`),
      'NOT_FOUND',
      'CollectionID',
    );
  });

  it('KRN-18 CON-09 CON-14 an error names the blocking record only if the caller can see it', async () => {
    await save('role', {
      Role: 'Remover',
      Permissions: 'CollectionSave CollectionDelete CollectionMemberSave ContactSave *Search',
    });
    await save('role', { Role: 'Blind remover', Permissions: 'CollectionDelete', UniversalAccess: true });
    const firm = await on.firm('Remove One', 'Remover');
    const blind = await on.user('a blind remover', 'Blind remover');
    const refusalOf = async (answer: Promise<TestAnswer>): Promise<unknown[]> => {
      const { Code, Message, Object: of, ObjectID } = ((await answer).json() as never as { Error: Row }).Error;
      return [Code, of, ObjectID, String(Message)];
    };
    const own = await save('collection', { Collection: 'Own', SourceObject: 'Contact' }, firm.caller);
    const remove = (caller: Caller): Promise<unknown[]> =>
      refusalOf(post('collection/delete', { ID: own['CollectionID'] }, caller));
    const hidden = await save('importform', { ImportForm: 'Hidden task', AssignedCollectionID: own['CollectionID'] });
    assert.deepEqual(
      await remove(firm.caller),
      ['IN_USE', undefined, undefined, 'Other records still refer to this one.'],
      'records that the caller cannot see are not named',
    );
    assert.deepEqual(await remove(on.admin), [
      'IN_USE',
      'ImportForm',
      hidden['ImportFormID'],
      `ImportForm ${String(hidden['ImportFormID'])} "Hidden task" still refers to this record; other records ` +
        'may too.',
    ]);
    assert.deepEqual(
      await remove(blind.caller),
      [
        'IN_USE',
        'ImportForm',
        hidden['ImportFormID'],
        `ImportForm ${String(hidden['ImportFormID'])} still refers to this record; other records may too.`,
      ],
      'the name is shown only to users who may search',
    );
    const process = await save('foreclosure', { Foreclosure: 'Case of the firm', OrganizationID: firm.organizationId });
    await save('importformtemplate', {
      ImportFormTemplate: 'Seen by firms',
      AppliesTo: 'Foreclosure',
      ExtranetEnabled: 'Self',
    });
    const seen = await save('importform', {
      ImportForm: 'Seen task',
      Template: 'Seen by firms',
      AssignedCollectionID: own['CollectionID'],
      Object: 'Foreclosure',
      ObjectID: process['ForeclosureID'],
    });
    assert.deepEqual((await remove(firm.caller)).slice(0, 3), ['IN_USE', 'ImportForm', seen['ImportFormID']]);

    const mine = Number(
      (await save('contact', { LastName: 'Mine', Object: 'Organization', ObjectID: firm.organizationId }, firm.caller))[
        'ContactID'
      ],
    );
    const member = await save(
      'collectionmember',
      { CollectionID: own['CollectionID'], SourceObjectID: mine },
      firm.caller,
    );
    const twice = (): Promise<TestAnswer> =>
      post('collectionmember/save', { CollectionID: own['CollectionID'], SourceObjectID: mine }, firm.caller);
    assert.deepEqual((await refusalOf(twice())).slice(0, 3), [
      'DUPLICATE_KEY',
      'CollectionMember',
      member['CollectionMemberID'],
    ]);
    const [first, second] = [
      await save('collection', { Collection: 'Première', SourceObject: 'Contact' }),
      await save('collection', { Collection: 'Second', SourceObject: 'Contact' }),
    ];
    const held = [
      'DUPLICATE_KEY',
      'Collection',
      first['CollectionID'],
      `Collection: Collection ${String(first['CollectionID'])} "Première" already has this value.`,
    ];
    assert.deepEqual(
      await refusalOf(post('collection/save', { Collection: 'PREMIERE', SourceObject: 'Contact' })),
      held,
      'compared like in the index',
    );
    assert.deepEqual(
      await refusalOf(post('collection/save', { ID: second['CollectionID'], Collection: 'première' })),
      held,
      'unsent values are compared as stored',
    );

    const rivals = await save('organization', { Organization: 'Rivals', ProviderCode: 'RIVALS' });
    assert.deepEqual(
      (await refusalOf(post('organization/save', { Organization: 'Rivals again', ProviderCode: 'RIVALS' }))).slice(
        0,
        3,
      ),
      ['DUPLICATE_KEY', 'Organization', rivals['OrganizationID']],
      'of a type that derives from another',
    );
  });

  it('CON-09 records that the caller cannot search can neither be added to a collection nor are listed in one', async () => {
    const staff = await on.user('staff who collects', 'Staff');
    const [entry] = await on.platform.store.query<{ id: number }>(
      'select securitylogid as id from securitylog limit 1',
    );
    const own = await save('collection', { Collection: 'Entries', SourceObject: 'SecurityLog' }, staff.caller);
    await expectRefused(
      post('collectionmember/save', { CollectionID: own['CollectionID'], SourceObjectID: entry?.id }, staff.caller),
      'NO_PERMISSION',
      '',
      /SecurityLogSearch/,
    );
    await save('collectionmember', { CollectionID: own['CollectionID'], SourceObjectID: entry?.id });
    await expectRefused(
      staff.caller.get('/api/collection/memberlist?Output=Json&Collection=Entries'),
      'NO_PERMISSION',
      '',
      /SecurityLogSearch/,
    );
    assert.equal((await members('Collection=Entries')).length, 1);
  });
});
