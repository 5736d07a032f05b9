import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import postgres from 'postgres';
import { migrate, migrations } from '../../../src/app/migrate.ts';
import { runOnline, splitMigration } from '../../../src/app/online-statements.ts';
import { readDownMigration, migrateDown, planDown } from '../../../src/app/migrate-down.ts';
import { builtinRoles } from '../../../src/modules/access/role/lib/builtin-roles.ts';
import { atEnd } from '../../support/at-end.ts';
import { emptyTestDatabase, testDatabase, type CleanUp, type TestDatabase } from '../../support/database.ts';
import { refusedDb, runDb } from '../../support/processes/db-tool.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const files = migrations();
/** The oldest migration down to which all that came later can be undone. */
const lowest =
  files.findLast(({ name }) => 'reason' in (readDownMigration(name) ?? { reason: '' }))?.name.slice(0, 4) ?? '';

const newest = files.at(-1)?.name.slice(0, 4) ?? '';

function client(cleanUp: CleanUp, database: TestDatabase): postgres.Sql {
  const sql = postgres({ ...database, max: 1, onnotice: () => undefined, connection: { application_name: 'test' } });
  atEnd(cleanUp, () => sql.end());
  return sql;
}

/** Definitions of the objects that migrations create, by relation (0: the functions), and of which state they are. */
type Definitions = Map<string, { readonly state: string; readonly text: string }>;

/**
 * Returns the definition of every object that migrations create, without the order of columns: a column that was
 * dropped and created again comes last. `known` keeps them: only those of relations with a change in the catalog are
 * read again, since all take 0.1 s, and three hundred schemas are compared.
 */
async function schema(sql: postgres.Sql, known: Definitions = new Map()): Promise<string> {
  const states = await catalogStates(sql);
  for (const relation of known.keys()) if (!states.has(relation)) known.delete(relation);
  const changed = [...states].filter(([relation, state]) => known.get(relation)?.state !== state);
  const texts = await definitions(
    sql,
    changed.map(([relation]) => relation),
  );
  for (const [relation, state] of changed) known.set(relation, { state, text: texts.get(relation) ?? '' });
  return [...known.values()]
    .map(({ text }) => text)
    .sort()
    .join('\n');
}

/**
 * Returns, by relation, a value that changes whenever a row of the catalog does from which its definitions are written:
 * its own, and those of functions and other relations that its constraints, triggers and expressions name.
 */
async function catalogStates(sql: postgres.Sql): Promise<Map<string, string>> {
  const rows = await sql<{ relation: string; state: string }[]>`
    with own as (
      select oid from pg_class
      where relnamespace::regnamespace::text in ('public', 'report') and relkind in ('r', 'p', 'v')
    ), part (relation, catalog, id, version) as (
      select oid, 'pg_class', oid::text, xmin::text from pg_class
      union all select indrelid, 'pg_index', indexrelid::text, i.xmin || ' ' || c.xmin
        from pg_index i join pg_class c on c.oid = indexrelid
      union all select attrelid, 'pg_attribute', attnum::text, xmin::text from pg_attribute where attnum > 0
      union all select adrelid, 'pg_attrdef', oid::text, xmin::text from pg_attrdef
      union all select conrelid, 'pg_constraint', oid::text, xmin::text from pg_constraint
      union all select tgrelid, 'pg_trigger', oid::text, xmin::text from pg_trigger
      union all select polrelid, 'pg_policy', oid::text, xmin::text from pg_policy
    ), named as (
      select sum(hashtextextended(oid || ' ' || proname, 0)) as names from pg_proc where oid >= 16384
    ), alone as (
      select relation, sum(hashtextextended(catalog || id || ' ' || version, 0)) as state
      from part join own on own.oid = relation
      group by relation
    )
    select alone.relation::text, alone.state || ' ' || coalesce(sum(other.state)::text, '') || ' ' || names as state
      from alone cross join named
      left join pg_constraint on conrelid = alone.relation and contype = 'f'
      left join alone other on other.relation = confrelid
      group by alone.relation, alone.state, names
    union all select '0', coalesce(sum(hashtextextended(oid || ' ' || xmin, 0))::text, '') from pg_proc
      where oid >= 16384`;
  return new Map(rows.map(({ relation, state }) => [relation, state]));
}

/** Returns the definitions of these relations, and for 0 those of the functions, each in one text of sorted lines. */
async function definitions(sql: postgres.Sql, relations: readonly string[]): Promise<Map<string, string>> {
  if (relations.length === 0) return new Map();
  const rows = await sql<{ relation: string; text: string }[]>`
    with own as (select unnest(${relations}::oid[]) as own)
    select own::text as relation, string_agg(what, E'\\n' order by what collate "C") as text from (
    select own, 'column ' || attrelid::regclass || '.' || attname || ' ' || format_type(atttypid, atttypmod) || ' '
        || attnotnull || ' ' || attstorage::text || ' ' || coalesce(pg_get_expr(d.adbin, d.adrelid), '') || ' '
        || coalesce(a.attacl::text, '') as what
      from own
      join pg_attribute a on attrelid = own
      left join pg_attrdef d on d.adrelid = attrelid and d.adnum = attnum
      where attnum > 0 and not attisdropped
    union all select own, 'function ' || pg_get_functiondef(oid) || coalesce(proacl::text, '')
      from own join pg_proc on own = 0
      where pronamespace::regnamespace::text in ('public', 'report')
    union all select own, 'trigger ' || pg_get_triggerdef(oid)
      from own join pg_trigger on tgrelid = own
      where not tgisinternal
    union all select own, 'index ' || pg_get_indexdef(indexrelid)
      from own join pg_index on indrelid = own
    union all select own, 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
      from own join pg_constraint on conrelid = own
    union all select own, 'policy ' || tablename || '.' || policyname || roles::text
        || coalesce(qual, '') || coalesce(with_check, '')
      from own join pg_class on oid = own
      join pg_policies on tablename = relname and schemaname::regnamespace = relnamespace
    -- The owner's own privileges are the default, stated or not.
    union all select own, 'table ' || oid::regclass || ' ' || relrowsecurity || ' ' || coalesce((
        select string_agg(a::text, ',' order by a::text collate "C")
        from unnest(relacl) a
        where a::text <> all (acldefault('r', relowner)::text[])), '')
      from own join pg_class on oid = own
    ) as definition
    group by own`;
  return new Map(rows.map(({ relation, text }) => [relation, text]));
}

/** Fails with the lines that differ. */
function assertSameSchema(actual: string, expected: string, what?: string): void {
  if (actual === expected) return;
  const [present, required] = [actual.split('\n'), expected.split('\n')];
  const [known, expectedLines] = [new Set(present), new Set(required)];
  assert.deepEqual(
    present.filter((line) => !expectedLines.has(line)),
    required.filter((line) => !known.has(line)),
    what,
  );
  assert.fail(what);
}

/** A migration that can be undone, and the schema before it. */
interface AppliedMigration {
  readonly name: string;
  readonly text: string;
  readonly down: string;
  readonly before: string;
}

/** Fails if a migration with definitions left the schema as it was. */
function assertChangedBy(migration: AppliedMigration | undefined, after: string): void {
  if (migration && /^(?:create|alter|drop) /m.test(migration.text))
    assert.notEqual(after, migration.before, migration.name);
}

describe('undoing migrations', () => {
  it('each migration declares how it is undone, or why it cannot be', () => {
    const silent = files.filter(({ name }) => readDownMigration(name) === undefined).map(({ name }) => name);
    assert.deepEqual(
      silent,
      [],
      'expected a file of the same name in db/down/: "-- down: " with what is lost, and the statements; ' +
        'or "-- none: " with the reason',
    );
    const orphans = readdirSync(new URL('../../../db/down/', import.meta.url)).filter(
      (name) => !files.some((file) => file.name === name),
    );
    assert.deepEqual(orphans, []);
  });

  it(
    'each one that can be undone leaves the schema of the version before, and can be applied again',
    { timeout: 120_000 },
    async (t) => {
      const database = await emptyTestDatabase(t);
      const sql = client(t, database);
      const known: Definitions = new Map();
      const apply = async (text: string): Promise<void> => {
        const { transaction, online } = splitMigration(text);
        await sql.unsafe(transaction);
        await runOnline(sql, online);
      };
      /** Consecutive migrations that can be undone. */
      let run: AppliedMigration[] = [];
      let undone = 0;
      const undoRun = async (): Promise<void> => {
        if (run.length === 0) return;
        const after = await schema(sql, known);
        assertSameSchema(after, await schema(sql), 'read by change');
        assertChangedBy(run.at(-1), after);
        for (const { name, down, before } of run.toReversed()) {
          await sql.unsafe(down);
          assertSameSchema(await schema(sql, known), before, `undone: ${name}`);
        }
        for (const { text } of run) await apply(text);
        assertSameSchema(await schema(sql, known), after, 'made again');
        undone += run.length;
        run = [];
      };
      for (const { name, text } of files) {
        const down = readDownMigration(name);
        if (down === undefined || 'reason' in down) {
          await undoRun();
          await apply(text);
          continue;
        }
        const before = await schema(sql, known);
        assertChangedBy(run.at(-1), before);
        run.push({ name, text, down: down.text, before });
        await apply(text);
      }
      await undoRun();
      assert.ok(undone >= 3);
    },
  );

  it('WEB-06 an upgrade denies the roles of an installation what new record types add to administration and configuration', async (t) => {
    const database = await testDatabase(t);
    const sql = client(t, database);
    const at = files.findIndex(({ name }) => name.endsWith('_roles_of_new_modules.sql'));
    await migrateDown(database, files[at - 1]?.name.slice(0, 4) ?? '', () => undefined);
    await sql`delete from role`;
    for (const { Role, Permissions } of builtinRoles) {
      const before = Permissions.replaceAll(
        / -(?:(?:Preference|Follow|Notification)\*|PageLayout\w+|ViewShare|AttachmentRelease(?:Hold|Quarantine))/g,
        '',
      );
      await sql`insert into role (role, permissions) values (${Role}, ${before})`;
    }
    await sql`insert into role (role, permissions) values ('Own', '* -LoanSave -ScheduleSaved')`;
    await migrate(database, () => undefined);
    const roles = await sql<
      { role: string; permissions: string }[]
    >`select role, permissions from role order by roleid`;
    assert.deepEqual(
      roles.map(({ role, permissions }) => [role, permissions]),
      [...builtinRoles.map(({ Role, Permissions }) => [Role, Permissions]), ['Own', '* -LoanSave -ScheduleSaved']],
    );
  });

  it('stops at a migration that cannot be undone, and says why', async (t) => {
    const database = await testDatabase(t);
    const sql = client(t, database);
    await assert.rejects(
      migrateDown(database, '0001', () => undefined),
      new RegExp(
        String.raw`migration 0\d{3}_\w+\.sql cannot be undone: .*\. ` +
          'Nothing was changed; restore the backup that was taken before it',
      ),
    );
    await assert.rejects(
      planDown(database, '7'),
      /--to: expected the number of a migration that this database has, one of 0001, 0002/,
    );
    await assert.rejects(planDown(database, '9999'), /--to: expected the number/);
    assert.equal((await sql`select 1 from migration`).length, files.length);
  });
});

/** Rows of an older version of the schema, and what the upgrade makes of them. */
interface Upgrade {
  readonly title: string;
  /** The migration above the older version. */
  readonly above: string;
  /** Before any migration is undone. */
  readonly begin?: (sql: postgres.Sql) => Promise<void>;
  /** On the older version. */
  readonly prepare: (sql: postgres.Sql) => Promise<void>;
  /** After the upgrade. */
  readonly check: (sql: postgres.Sql, database: TestDatabase) => Promise<void>;
}

/** Returns the number of the migration below the one with this name. */
function below(name: string): string {
  return files[files.findIndex((file) => file.name.slice(5) === `${name}.sql`) - 1]?.name.slice(0, 4) ?? '';
}

const upgrades: readonly Upgrade[] = [teamLeadRoles(), statesOfEvents(), hashesOfSealedFiles(), sharedLoanNumbers()];

/** The lines of the migrations undone after the upgrade, whose tests go down one after the other on one database. */
const printed: string[] = [];
const database = await testDatabase({ after });
const sql = client({ after }, database);
for (const { begin } of upgrades) await begin?.(sql);
for (const { above, prepare } of upgrades.toSorted((a, b) => (below(a.above) > below(b.above) ? -1 : 1))) {
  await migrateDown(database, below(above), () => undefined);
  await prepare(sql);
}
await migrate(database, () => undefined);

describe('rows of older versions, written on the way down, after the upgrade', () => {
  for (const { title, check } of upgrades) it(title, () => check(sql, database));
});

describe('undoing all migrations that can be undone, and applying them again', async () => {
  const { host, port, user } = database;
  const env = {
    DATABASE_URL: `postgres://${user}@/${database.database}?host=${encodeURIComponent(host)}&port=${port}`,
    CASEWRIGHT_DATA: temporaryFolder({ after }),
  };
  const whole = await schema(sql);
  await sql`insert into contact (contact, recordclass, usssncipher, usssnindex)
    values ('c', 'Contact', '\\x01', '\\x02')`;
  await sql`update contact set lastname = 'changed' where contact = 'c'`;

  it('a step that fails is rolled back completely, and earlier steps stay undone', async () => {
    await sql`insert into secretkeyrotation (phase, newkey, currentkey, oldkeys)
      values ('sealing', '\\x01020304', '\\x01020304', '{}')`;
    await assert.rejects(
      migrateDown(database, lowest, (line) => printed.push(line)),
      /the keys are being rotated: finish that first/,
    );
    assert.equal((await sql`select 1 from secretkeyrotation`).length, 1);
    const undone = files.filter(({ name }) => name > '0017').map(({ name }) => `undid migration ${name}`);
    assert.deepEqual(printed, undone.toReversed());
    assert.equal((await sql`select 1 from migration where name like '0016%'`).length, 1);
    assert.equal((await sql`select 1 from migration where name > '0017'`).length, 0);
    await sql`delete from secretkeyrotation`;
  });

  it('is refused while a process is connected, and without --yes after listing what would be lost', async (t) => {
    const serving = postgres({ ...database, max: 1, connection: { application_name: 'casewright' } });
    await serving`select 1`;
    assert.match(
      await refusedDb(t, ['migrate', '--to', lowest, '--yes'], { env }),
      /the store is in use by casewright \(connection \d+\)\. Nothing was changed; stop every process/,
    );
    await serving.end();
    assert.match(
      await refusedDb(t, ['migrate', '--to', lowest], { env }),
      new RegExp(
        String.raw`undoing these migrations loses the data listed above\. ` +
          'Take a backup, stop every process of the installation, and repeat the command with --yes',
      ),
    );
    assert.equal((await sql`select 1 from migration where name like '0016%'`).length, 1);
    const listed = files.filter(({ name }) => name.slice(0, 4) > lowest && name < '0016');
    const done = listed.reverse().map(({ name }) => String.raw`undid migration ${name.replace('.', String.raw`\.`)}\n`);
    assert.match(
      await runDb(t, ['migrate', '--to', lowest, '--yes'], { env }),
      new RegExp(
        String.raw`0016_key_rotation\.sql: which processes[\s\S]*` +
          String.raw`undid migration 0016_key_rotation\.sql\n${done.join('')}[\s\S]*start the older version now`,
      ),
    );
    assert.equal((await sql`select 1 from pg_class where relname = 'secretkeyrotation'`).length, 0);
  });

  it('down and up again with rows in the tables: the schema is as before, and records and history survive', async (t) => {
    await sql`update contact set lastname = 'history goes on' where contact = 'c'`;
    assert.equal((await sql`select 1 from history where tablename = 'contact'`).length, 2);
    assert.match(
      await runDb(t, ['migrate'], { env }),
      /applied migration 0016_key_rotation\.sql\n[\s\S]*the schema is up to date/,
    );
    assert.match(await runDb(t, ['migrate', '--to', newest], { env }), /nothing to undo: \d{4} is the last migration/);
    assertSameSchema(await schema(sql), whole);
    assert.deepEqual(
      (await sql`select lastname, usssncipher from contact where contact = 'c'`).map((row) => [
        row['lastname'],
        Buffer.from(row['usssncipher'] as Uint8Array).toString('hex'),
      ]),
      [['history goes on', '01']],
    );
  });
});

function teamLeadRoles(): Upgrade {
  return {
    title:
      'WL-02 an installation that has roles gets the roles Team lead, with what its own staff may do, and Analyst ' +
      'beside them',
    above: 'team_lead',
    async prepare(sql) {
      await sql`delete from role`;
      await sql`insert into role (role, permissions, universalaccess) values ('Staff', '* -LoanSave', true)`;
    },
    async check(sql) {
      const roles = await sql<{ role: string; permissions: string; universalaccess: boolean }[]>`
        select role, permissions, universalaccess from role order by roleid`;
      assert.deepEqual(
        roles.map(({ role }) => role),
        ['Staff', 'Team lead', 'Analyst'],
      );
      assert.equal(roles[0]?.permissions, '* -LoanSave');
      assert.match(roles[1]?.permissions ?? '', /^\* -LoanSave .*SmartWorklistMemberReassign /);
      assert.equal(roles[1]?.universalaccess, true);
      assert.equal(roles[2]?.permissions, builtinRoles.find(({ Role }) => Role === 'Analyst')?.Permissions);
    },
  };
}

function statesOfEvents(): Upgrade {
  const states = async (sql: postgres.Sql): Promise<unknown> => [
    await sql`select processid::integer as id, at::text, code, status, importfileid::integer as file, made
      from eventstate`,
    await sql`select decisiondelayid::integer as id, at::text, code, organizationid::integer as firm,
      loanid::integer as loan, delaytype, delaystart::text from decisiondelaystate`,
  ];
  let before: unknown;
  return {
    title: 'the last events of cases and holds are in one table below 0041 and in two above, with the same rows',
    above: 'hold_states',
    async begin(sql) {
      // A case and a hold of the same id.
      await sql`insert into eventstate (processid, at, code, status, importfileid, made)
        values (7, '2026-01-02 03:04:05+00', 'A1', 'Closed', 3, true)`;
      await sql`insert into decisiondelaystate
        (decisiondelayid, at, code, organizationid, loanid, delaytype, delaystart)
        values (7, '2026-02-03 04:05:06+00', 'B2', 5, 6, 'Weather', '-infinity')`;
      before = await states(sql);
    },
    async prepare(sql) {
      assert.deepEqual(
        [
          ...(await sql`select object, objectid::integer as id, code, made, delaytype from eventstate
            order by object`),
        ],
        [
          { object: 'DecisionDelay', id: 7, code: 'B2', made: false, delaytype: 'Weather' },
          { object: 'Process', id: 7, code: 'A1', made: true, delaytype: null },
        ],
      );
    },
    async check(sql) {
      assert.deepEqual(await states(sql), before);
    },
  };
}

function sharedLoanNumbers(): Upgrade {
  const loans = (sql: postgres.Sql): Promise<unknown> =>
    sql`select l.loan, l.reachorganizationid::text as firms from loan l
      order by l.loanid`.then((rows) => [...rows]);
  let before: unknown;
  return {
    title:
      'KRN-18 loans that share a number are marked by the upgrade, nothing else of them changes, and going down ' +
      'loses none',
    above: 'loan_numbers',
    async prepare(sql) {
      await sql`insert into contact (contact, recordclass) values ('Firm', 'Organization')`;
      await sql`insert into organization (organizationid) select contactid from contact`;
      await sql`insert into loan (loan, agency)
        values ('7', null), ('7', null), ('7', 'A'), ('8', null), (null, null), (null, null)`;
      await sql`insert into process (process, recordclass, loanid, organizationid, loanassigned)
        select 'P' || loanid, 'Foreclosure', loanid, (select organizationid from organization), true from loan`;
      before = await loans(sql);
    },
    async check(sql, database) {
      assert.deepEqual(await loans(sql), before, 'numbers and access are unchanged');
      assert.deepEqual(
        [...(await sql`select loanid::integer as id, assignmentstatus as status from loan order by loanid`)].map(
          (row) => [row['id'], row['status']],
        ),
        [1, 2, 3, 4, 5, 6].map((id) => [id, id === 2 ? 'Duplicate' : null]),
        'all but the oldest of one number',
      );
      await assert.rejects(sql`insert into loan (loan) values ('8')`, /loan_loan_key/);
      await sql`insert into loan (loan, agency, assignmentstatus) values ('7', 'A', 'Waiting')`;
      await migrateDown(database, below('loan_numbers'), (line) => printed.push(line));
      assert.deepEqual(
        [...(await sql`select loan from loan order by loanid`)].map((row) => row['loan'] as string | null),
        ['7', '7 (2)', '7', '8', null, null, '7 (8)'],
        'the identifier that the refused loan had is not used again',
      );
    },
  };
}

function hashesOfSealedFiles(): Upgrade {
  return {
    title: 'REF-06 the hashes of sealed files stored before are cleared, in the history too, without a new version',
    above: 'no_hashes_of_sealed_files',
    async prepare(sql) {
      await sql`insert into attachment (attachment, sealed, filehash)
        values ('sealed', true, 'a0'), ('plain', false, 'b0'), ('sealed later', null, 'c0'), ('deleted', true, 'd0')`;
      await sql`update attachment set sealed = true, filehash = 'c1' where attachment = 'sealed later'`;
      await sql`update attachment set filehash = 'b1' where attachment = 'plain'`;
      await sql`delete from attachment where attachment = 'deleted'`;
    },
    async check(sql) {
      const rows = await sql<{ name: string; hash: string | null; version: number }[]>`
        select attachment as name, filehash as hash, version from attachment order by attachmentid`;
      assert.deepEqual(
        rows.map((row) => ({ ...row })),
        [
          { name: 'sealed', hash: null, version: 1 },
          { name: 'plain', hash: 'b1', version: 1 },
          { name: 'sealed later', hash: null, version: 1 },
        ],
      );
      const history = await sql<{ change: string; hash: string | null }[]>`
        select change, old ->> 'filehash' as hash from history where tablename = 'attachment' order by historyid`;
      assert.deepEqual(
        history.map((row) => ({ ...row })),
        [
          { change: 'update', hash: null },
          { change: 'update', hash: 'b0' },
          { change: 'delete', hash: null },
        ],
      );
    },
  };
}
