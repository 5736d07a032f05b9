import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import postgres from 'postgres';
import { migrate } from '../../../src/app/migrate.ts';
import { eventually } from '../../support/eventually.ts';
import { emptyTestDatabase, testDatabase, type TestDatabase } from '../../support/database.ts';

const files = readdirSync(new URL('../../../db/', import.meta.url))
  .filter((name) => /^\d{4}_.*\.sql$/.test(name))
  .sort();
const LOCK = 7_322_094;

function client(t: TestContext, database: TestDatabase): postgres.Sql {
  const sql = postgres({ ...database, max: 2, onnotice: () => undefined });
  t.after(() => sql.end());
  return sql;
}

/** Returns the contents of a database: tables with their columns, functions, policies. */
async function contents(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ what: string }[]>`
    select 'column ' || table_schema || '.' || table_name || '.' || column_name as what
      from information_schema.columns
      where table_schema in ('public', 'report')
    union all select 'function ' || proname from pg_proc where pronamespace = 'public'::regnamespace
    union all select 'policy ' || tablename || '.' || policyname from pg_policies
    union all select 'applied ' || name || ' ' || hash from migration order by 1`;
  return rows.map((r) => r.what);
}
const empty = (t: TestContext): Promise<TestDatabase> => emptyTestDatabase(t);

describe('migrations', () => {
  it('bring an empty database up to date, each file once, and then have nothing to do', async (t) => {
    const database = await empty(t);
    const sql = client(t, database);
    const lines: string[] = [];
    await migrate(database, (line) => lines.push(line));
    assert.deepEqual(
      lines,
      files.map((name) => `applied migration ${name}`),
    );
    const before = await contents(sql);
    const again: string[] = [];
    await migrate(database, (line) => again.push(line));
    assert.deepEqual([again, await contents(sql)], [[], before]);
  });

  it("an operator's views on report views stay when these are replaced, with the columns in their order", async (t) => {
    const database = await testDatabase(t);
    const sql = client(t, database);
    // As an earlier version left it: without a hash, in another order, and without a column that was added since.
    await sql.unsafe(`drop view report.loan;
      create view report.loan with (security_invoker = true) as select loan.status, loan.loan, loan.loanid from loan;
      create view public.own as select loan from report.loan`);
    await migrate(database, () => undefined);
    const columns = await sql<{ name: string }[]>`select attname as name
      from pg_attribute
      where attrelid = 'report.loan'::regclass
      order by attnum`;
    assert.deepEqual(
      columns.slice(0, 3).map(({ name }) => name),
      ['status', 'loan', 'loanid'],
    );
    assert.ok(columns.some(({ name }) => name === 'agency'));
    assert.deepEqual([...(await sql`select * from public.own`)], []);

    await sql.unsafe(`drop view public.own; drop view report.loan;
      create view report.loan with (security_invoker = true) as select loan.loan as former from loan;
      create view public.own as select former from report.loan`);
    await assert.rejects(
      migrate(database, () => undefined),
      /the view report\.loan changed, but other objects of the database depend on it: view own depends on view/,
    );
    await sql`drop view public.own`;
    await migrate(database, () => undefined);
    assert.deepEqual([...(await sql`select loanid, agency from report.loan`)], []);
  });

  it('two processes at the same moment apply each file once between them', async (t) => {
    const database = await empty(t);
    const lines: string[] = [];
    await Promise.all([1, 2, 3].map(() => migrate(database, (line) => lines.push(line))));
    assert.deepEqual(
      lines.filter((line) => !line.startsWith('waiting')).sort(),
      files.map((name) => `applied migration ${name}`),
    );
  });

  it('a process waits while another one migrates', async (t) => {
    const database = await empty(t);
    const sql = client(t, database);
    const holder = await sql.reserve();
    await holder`select pg_advisory_lock(${LOCK})`;
    let done = false;
    const lines: string[] = [];
    const migrating = migrate(database, (line) => lines.push(line)).then(() => (done = true));
    await eventually('it waits for the lock', () =>
      lines.includes('waiting for another process that migrates the database'),
    );
    assert.equal(done, false);
    assert.equal((await sql`select 1 from pg_class where relname = 'contact'`).length, 0);
    await holder`select pg_advisory_unlock(${LOCK})`;
    holder.release();
    await migrating;
    assert.equal(done, true);
  });

  it('a file that was changed after it was applied is refused, and nothing is changed', async (t) => {
    const database = await testDatabase(t);
    const sql = client(t, database);
    await sql`update migration set hash = 'of the file as it was' where name = ${files[1] ?? ''}`;
    // A later file is present and must not be applied either.
    await sql`delete from migration where name = ${files.at(-1) ?? ''}`;
    const before = await contents(sql);
    await assert.rejects(
      migrate(database, () => undefined),
      (error: Error) =>
        error.message.includes(`migration ${files[1]} was changed after it was applied`) &&
        error.message.includes('The database was not modified'),
    );
    assert.deepEqual(await contents(sql), before);
  });

  it('the text that a migration had before it built its indexes online is accepted', async (t) => {
    const database = await testDatabase(t);
    const sql = client(t, database);
    const hash = '685b941a2cbf046edbd7ffb58649874d7cf80cdd78461b4c1ac14fabe4b880cf';
    await sql`update migration set hash = ${hash} where name = '0047_waiting_steps.sql'`;
    await migrate(database, () => undefined);
    await sql`update migration set hash = ${hash} where name = '0048_expected_files.sql'`;
    await assert.rejects(
      migrate(database, () => undefined),
      /0048_expected_files\.sql was changed/,
    );
  });

  it('a database that a newer version migrated is refused, and nothing is changed', async (t) => {
    const database = await testDatabase(t);
    const sql = client(t, database);
    await sql`insert into migration (name, hash) values ('9999_of_the_future.sql', 'x')`;
    await sql`delete from migration where name = ${files.at(-1) ?? ''}`;
    const before = await contents(sql);
    await assert.rejects(
      migrate(database, () => undefined),
      /migrated by a newer version of Casewright: it has the migration 9999_of_the_future\.sql/,
    );
    assert.deepEqual(await contents(sql), before);
  });

  it('a file that fails is rolled back whole; earlier files stay, and the next start continues with it', async (t) => {
    const database = await empty(t);
    const sql = client(t, database);
    // The second file creates this table, after others.
    await sql`create table objectsubscription (inTheWay boolean)`;
    await assert.rejects(
      migrate(database, () => undefined),
      /objectsubscription/,
    );
    assert.deepEqual(
      (await sql<{ name: string }[]>`select name from migration order by name`).map((r) => r.name),
      files.slice(0, 1),
    );
    assert.equal((await sql`select 1 from pg_class where relname = 'contact'`).length, 0);
    await sql`drop table objectsubscription`;
    await migrate(database, () => undefined);
    assert.equal((await sql`select 1 from migration`).length, files.length);
  });

  it('an index of an existing table is built while others write, and again after an interruption', async (t) => {
    const database = await testDatabase(t);
    const sql = client(t, database);
    const writer = client(t, database);
    // As an interruption leaves it: the transaction was committed, and the build of the index had begun.
    await sql`update migration set online = false where name = '0053_loan_numbers.sql'`;
    await sql`update pg_index set indisvalid = false where indexrelid = 'process_loanassigned_idx'::regclass`;
    await sql`insert into loan (loan) values ('same')`;
    let migrating: Promise<void> | undefined;
    const lines: string[] = [];
    await writer.begin(async (transaction) => {
      await transaction`insert into loan (loan) values ('open')`;
      migrating = migrate(database, (line) => lines.push(line));
      await eventually(
        'the build waits for the transaction that writes',
        async () =>
          (await sql`select 1 from pg_stat_progress_create_index where datname = current_database()`).length === 1,
      );
      await sql`set statement_timeout = '5s'`;
      await sql`insert into loan (loan) values ('meanwhile')`;
    });
    await migrating;
    assert.deepEqual(lines, ['applied migration 0053_loan_numbers.sql']);
    const names = ['loan_loan_key', 'loan_waiting_loan_key', 'loan_assignmentstatus_idx', 'process_loanassigned_idx'];
    const [row] = await sql<{ usable: number }[]>`
      select count(*)::integer as usable
      from pg_index
      where indisvalid and indexrelid = any(${names}::regclass[])`;
    assert.equal(row?.usable, names.length);
    assert.equal((await sql`select 1 from migration where not online`).length, 0);
    await assert.rejects(async () => sql`insert into loan (loan) values ('same')`, /loan_loan_key/);
  });

  it('the lock is released whatever happened', async (t) => {
    const database = await empty(t);
    const sql = client(t, database);
    await sql`create table objectsubscription (inTheWay boolean)`;
    await assert.rejects(migrate(database, () => undefined));
    const [row] = await sql<{ free: boolean }[]>`select pg_try_advisory_lock(${LOCK}) as free`;
    assert.equal(row?.free, true);
  });
});
