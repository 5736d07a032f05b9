import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import postgres from 'postgres';
import { testPlatform } from '../../support/platform.ts';
import { bulkOn } from '../../support/imports/bulk.ts';

const test = await testPlatform({ after });
const { load, save, rows } = bulkOn(test);
const sql = postgres({ ...test.database, max: 1, onnotice: () => undefined });
after(() => sql.end());

const body = 'Loan,Balance\n1,10\n2,20\n3,30\n';

describe('the ImportStatement of a bulk load', () => {
  it('IMP-18 runs after the load and sees TableName, TargetTableName and ImportFileID', async () => {
    await sql.unsafe(
      `create table staging.totals (loan text primary key, balance numeric, file bigint); grant all on staging.totals
        to casewright_staging`,
    );
    const done = await load(
      {
        options: { TargetTableName: 'totals' },
        fields: {
          ImportStatement: `
      -- Loans without a balance are of no interest.
      delete from {TableName} where balance::numeric < 15;
      merge into {TargetTableName} t using {TableName} s on t.loan = s.loan
        when matched then update set balance = s.balance::numeric
        when not matched then insert (loan, balance, file) values (s.loan, s.balance::numeric, {ImportFileID});
      insert into totals (loan, balance) select 'all', sum(balance) from totals
        on conflict (loan) do update set balance = excluded.balance`,
        },
      },
      body,
    );
    assert.deepEqual([done.status, done.message], ['Complete', undefined]);
    assert.deepEqual(await rows('totals'), [
      ['2', '20', done.id],
      ['3', '30', done.id],
      ['all', '50', null],
    ]);
    assert.equal((await rows(`import${done.id}`)).length, 2);
    assert.deepEqual(
      done.log.map((row) => [row.Status, row.Operation, row.Message]),
      [['Success', 'None', 'ImportStatement: DELETE 1, MERGE 2, INSERT 1.']],
    );
  });

  it('IMP-18 a method signature is called as the user of the run, with the same values', async () => {
    const done = await load(
      { fields: { ImportStatement: 'Property/Save?Address={TableName}&City=file {ImportFileID}' } },
      body,
    );
    assert.equal(done.status, 'Complete');
    const [property] = await sql<
      { address: string; city: string }[]
    >`select address, city from property where address = ${`import${done.id}`}`;
    assert.equal(property?.city, `file ${done.id}`);
  });

  it('IMP-18 a failing statement ends the run with its number and without values of rows; the loaded rows remain', async () => {
    const done = await load(
      {
        fields: {
          ImportStatement: `delete from {TableName} where false; update {TableName}
            set balance = (loan || 'secret')::integer`,
        },
      },
      body,
    );
    assert.equal(done.status, 'Error');
    assert.match(done.message ?? '', /^ImportStatement: statement 2: /);
    assert.doesNotMatch(done.message ?? '', /secret/);
    assert.equal((await rows(`import${done.id}`)).length, 3);
    const unknown = await load({ fields: { ImportStatement: 'update {TableName} set missing = 1' } }, body);
    assert.match(unknown.message ?? '', /statement 1: column "missing" of relation "import\d+" does not exist/);
  });

  const hostile: readonly (readonly [string, string, RegExp])[] = [
    ['a table of the platform', 'delete from public.loan', /tables of public cannot be named/],
    [
      'a view of reports',
      'insert into {TableName} select usssn4 from report.contact',
      /tables of report cannot be named/,
    ],
    [
      'a catalog',
      'insert into {TableName} select rolname from pg_authid',
      /pg_authid is a table of the database itself/,
    ],
    ['a catalog with its schema', 'select * from pg_catalog.pg_authid', /tables of pg_catalog cannot be named/],
    [
      'the information schema',
      'select * from information_schema.tables',
      /tables of information_schema cannot be named/,
    ],
    ['another role', 'reset role; delete from public.loan', /expected INSERT, UPDATE, DELETE or MERGE/],
    ['a function that changes settings', `select set_config('role', 'none', false)`, /set_config is not allowed/],
    [
      'a function that reads files',
      `insert into {TableName} select pg_read_file('/etc/passwd')`,
      /pg_read_file is not allowed/,
    ],
    [
      'a function that waits',
      'update {TableName} set loan = loan where pg_sleep(9) is null',
      /pg_sleep is not allowed/,
    ],
    [
      'a query passed as text',
      `insert into {TableName} select query_to_xml('select 1', true, true, '')::text`,
      /query_to_xml is not allowed/,
    ],
    ['a change of the table', 'alter table {TableName} add column x text', /expected INSERT, UPDATE, DELETE or MERGE/],
    ['emptying a table', 'truncate {TableName}', /expected INSERT, UPDATE, DELETE or MERGE/],
    ['a copy to a program', `copy {TableName} to program 'sh'`, /expected INSERT, UPDATE, DELETE or MERGE/],
    ['a block of code', `do 'begin end'`, /expected INSERT, UPDATE, DELETE or MERGE/],
    ['the end of the transaction', 'commit; delete from {TableName}', /expected INSERT, UPDATE, DELETE or MERGE/],
    ['a lock', 'select * from {TableName} for update', /FOR UPDATE/],
    ['a new table', 'select * into staging.copied from {TableName}', /SELECT INTO/],
    [
      'a change inside a query',
      'with gone as (delete from public.loan returning *) select * from gone',
      /tables of public cannot be named/,
    ],
    ['a missing target', 'delete from {TargetTableName}', /TargetTableName does not name a staging table/],
    [
      'a quoted name',
      `delete from {TableName} where loan = {Loan}`,
      /expected only TableName, TargetTableName or ImportFileID in braces/,
    ],
    ['a type that runs code', `select 'pg_sleep'::regproc`, /the type regproc is not allowed/],
    ['a SELECT whose rows are not used', 'select * from {TableName}', /a SELECT must be inside one of them/],
    ['a RETURNING whose rows are not used', 'delete from {TableName} returning *', /RETURNING is not allowed/],
    [
      'a change of a platform table inside a query',
      'with gone as (delete from public.loan returning *) insert into {TableName} select loan from gone',
      /tables of public cannot be named/,
    ],
    ['nothing', '  -- nothing', /expected at least one statement/],
    ['no such operation', 'Loan/Nonsense?ID=1', /there is no operation nonsense/i],
  ];
  for (const [what, statement, reported] of hostile) {
    it(`IMP-18 is refused when it is saved: ${what}`, async () => {
      const answer = await save({ fields: { ImportStatement: statement } });
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.text, reported);
    });
  }

  it('IMP-18 runs as a role that can access nothing outside staging', async () => {
    const outside = await sql<{ what: string }[]>`
      select format('%I.%I', n.nspname, c.relname) as what
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'm', 'S')
        and n.nspname not in ('pg_catalog', 'information_schema', 'staging') and n.nspname !~ '^pg_'
        and (case c.relkind
          when 'S' then has_sequence_privilege('casewright_staging', c.oid, 'usage, select, update')
          else has_table_privilege('casewright_staging', c.oid, 'select, insert, update, delete, truncate')
            or has_any_column_privilege('casewright_staging', c.oid, 'select, insert, update')
        end)`;
    assert.deepEqual(
      outside.map((row) => row.what),
      [],
    );
    const [rights] = await sql<{ creates: boolean; sees: boolean; inherits: number }[]>`
      select has_schema_privilege('casewright_staging', 'staging', 'create') as creates,
        has_schema_privilege('casewright_staging', 'report', 'usage') as sees,
        (select count(*)::integer from pg_auth_members where member = 'casewright_staging'::regrole) as inherits`;
    assert.deepEqual(rights, { creates: false, sees: false, inherits: 0 });
    const granted = await load({}, body);
    await sql.begin(async (transaction) => {
      await transaction.unsafe('set local role casewright_staging');
      assert.equal((await transaction.unsafe(`select * from staging.import${granted.id}`)).length, 3);
      await assert.rejects(
        transaction.savepoint((inside) => inside.unsafe('select * from public.loan')),
        { code: '42501' },
      );
      await assert.rejects(
        transaction.savepoint((inside) => inside.unsafe(`drop table staging.import${granted.id}`)),
        { code: '42501' },
      );
    });
  });

  it('IMP-18 names in a file never become part of a statement', async () => {
    const header = '"a""; drop table staging.totals; --","Loan"';
    const done = await load(
      {
        options: { UseSafe: 'false', TableName: `x"; drop table staging.totals; --` },
        fields: { ImportStatement: 'delete from {TableName} where false' },
      },
      `${header}\n"'); drop table staging.totals; --",2\n`,
    );
    assert.deepEqual([done.status, done.success], ['Complete', 1]);
    assert.deepEqual(await rows('x_drop_table_staging_totals'), [[`'); drop table staging.totals; --`, '2']]);
    assert.ok((await rows('totals')).length > 0);
  });

  it("IMP-18 a firm's user cannot send a file to a bulk template", async () => {
    const firm = await test.firm('Sender');
    const { load: _, template } = bulkOn(test);
    const name = await template({ options: { TableName: 'totals', Truncate: 'true' } });
    const answer = await firm.caller.send(
      'POST',
      `/api/importfile/importbyobject?Template=${encodeURIComponent(name)}`,
      body,
      { 'Content-Type': 'text/csv' },
    );
    assert.equal(answer.status, 403, answer.text);
    assert.ok((await rows('totals')).length > 0);
  });
});
