/** Which tables SQL texts read and write, and who may: each rule refuses what it claims to refuse. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tablesIn } from '../../../tools/architecture/sql-tables.ts';
import { textsOf } from '../../../tools/architecture/sql-texts.ts';
import { sourcesUnder } from '../../../tools/architecture/source.ts';
import { checkTables } from '../../../tools/architecture/tables.ts';
import { formatProblem } from '../../../tools/architecture/tree.ts';

const record = (name: string): string =>
  `import { defineRecord } from '../../../kernel/declare/record.ts';\n` +
  `export const ${name.toLowerCase()} = defineRecord({ name: '${name}', fields: {} });\n`;

/** Two areas with one record type each, and a file of the first with the given code. */
const house = (code: string, more: Record<string, string> = {}): Map<string, string> =>
  new Map(
    Object.entries({
      'src/modules/cases/records/loan.record.ts': record('Loan'),
      'src/modules/work/records/decision.record.ts': record('Decision'),
      'src/modules/cases/loan/lib/a.ts': `// One line before.\n${code}`,
      ...more,
    }),
  );

const READS = 'src/modules/cases/reads.ts';
const declared = (owner: string, table: string, reason = 'Because.'): string =>
  `export const reads = { ${owner}: { ${table}: '${reason}' } } as const satisfies TableReads;`;

function problemsOf(files: Map<string, string>): string[] {
  return checkTables(files).map(formatProblem);
}

function refuses(files: Map<string, string>, at: string, words: RegExp): void {
  const [first = 'no problem', ...more] = problemsOf(files);
  assert.deepEqual(more, [], `more than: ${first}`);
  assert.ok(first.startsWith(`${at}: `), first);
  assert.match(first, words);
}

const allows = (files: Map<string, string>): void => {
  assert.deepEqual(problemsOf(files), []);
};

const FILE = 'src/modules/cases/loan/lib/a.ts';

describe('tables of other areas', () => {
  test('are not written', () => {
    allows(house("query('update loan set version = 1');"));
    const writes = [
      "insert into decision (decision) values ('x')",
      'update decision set version = 1',
      'update public.decision d set version = 1 from loan where loan.loanid = d.decisionid',
      'delete from decision',
      'truncate decision',
      'drop table if exists public.decision cascade',
      'lock table decision in exclusive mode',
      'copy decision (decision) from stdin',
      'with gone as (delete from decision returning *) select * from gone',
      'merge into decision using loan on true when matched then delete',
      'update loan set version = 1 from (select 1) x returning (select 1); delete from decision',
      'with a as (select 1), b as (update decision set version = 2 returning 1) select * from a, b',
      "select nextval(pg_get_serial_sequence('decision', 'decisionid'))",
      'do $$ begin delete from decision; end $$',
      "do $$ begin if true then execute 'delete from decision'; end if; end $$",
      'create function f() returns void language sql as $$ delete from decision $$',
      'create or replace function f() returns trigger language plpgsql as $$ begin update decision set a = 1; end $$',
      'create function f() returns integer begin atomic delete from decision; select 1; end',
    ];
    for (const text of writes) {
      refuses(house(`query(\`${text}\`);`), `${FILE}:2`, /writes decision, expected a call of the owner's operation/);
    }
    const problems = problemsOf(
      house("query('update decision set version = 1');", { [READS]: declared('work', 'decision') }),
    );
    assert.match(problems.join('\n'), /no SQL of cases reads/);
    assert.match(problems.join('\n'), /writes decision/, 'a declared read allows no write');
  });

  test('are read only if it is declared', () => {
    const code = "query('select 1 from loan join decision d on true');";
    refuses(house(code), `${FILE}:2`, /reads decision, expected .* declared in src\/modules\/cases\/reads\.ts/);
    allows(house(code, { [READS]: declared('work', 'decision') }));
    refuses(house("query('select 1 from loan where exists (select from decision)');"), `${FILE}:2`, /reads decision/);
  });

  test('are found wherever a statement names them', () => {
    const reads = [
      'with d as (select * from decision) select * from d, loan',
      'with recursive d as (select 1 union all select 1 from decision) select * from d',
      'select * from (with decision as (select 1) select * from decision) x, decision',
      'select (select count(*) from decision) from loan',
      'select 1 from loan union all select 1 from decision',
      'select 1 from loan, lateral (select from decision limit 1) d',
      'select 1 from loan /* and */ join -- more\n decision on true',
      'update loan set version = d.version from decision d',
      'insert into loan (loanid) select decisionid from decision',
      'insert into loan (loanid) values (1) on conflict (loanid) do update set version = (select 1 from decision)',
      'copy (select * from decision) to stdout',
      'create table x as select * from decision',
      'do $$ declare n integer; begin select count(*) into n from decision; end $$',
      'do $$ declare n integer; begin n := (select count(*) from decision); end $$',
      'do $$ declare r record; begin for r in select 1 from decision loop null; end loop; end $$',
      'create function f() returns integer language sql as $$ select 1 from decision $$',
      'explain select 1 from decision',
    ];
    for (const text of reads) {
      const problems = problemsOf(house(`query(\`${text}\`);`)).join('\n');
      assert.match(problems, /reads decision, expected a call of the owner/, text);
    }
    refuses(
      house('query("do $$ begin delete frm x; end $$");'),
      `${FILE}:2`,
      /SQL that cannot be parsed: syntax error/,
    );
  });

  test('are found in the pieces of a statement', () => {
    const pieces = [
      'const part = `left join decision d on d.decisionid = ${id}`;',
      'const part = (id) => { return ` and exists (select from decision where decisionid = ${id})`; };',
      "class A { part() { return [1].map((id) => ', x as (select * from decision)'); } }",
      'query(`select 1 from loan ${isOpen ? "join decision on true" : ""}`);',
      'query(`select 1 from loan ${parts.map((part) => `join decision d${part} on true`).join(" ")}`);',
      "const part = ', decision d where d.decisionid = loan.loanid';",
      "const part = ' join/* */decision d on true';",
    ];
    for (const code of pieces) {
      assert.match(problemsOf(house(code)).join('\n'), /reads decision, expected a call of the owner/, code);
    }
  });

  test('are declared with a reason, of their owner, and only if they are read', () => {
    const code = "query('select 1 from decision');";
    refuses(house(code, { [READS]: declared('work', 'decision', ' ') }), `${READS}:1`, /no reason for decision/);
    refuses(house('', { [READS]: declared('work', 'decision') }), `${READS}:1`, /which no SQL of cases reads/);
    const [wrong] = problemsOf(house(code, { [READS]: declared('rules', 'decision') }));
    assert.match(wrong ?? '', /decision is not a table of rules, expected work/);
  });

  test('are not reached from the kernel, a surface or a provider either', () => {
    const text = "query('select 1 from loan');";
    for (const path of ['src/kernel/a.ts', 'src/surfaces/http/a.ts', 'src/providers/geocoder/x/a.ts', 'src/app/a.ts']) {
      refuses(house('', { [path]: text }), `${path}:1`, /reads loan/);
    }
    const kernel = { 'src/kernel/a.ts': text, 'src/kernel/reads.ts': declared('cases', 'loan') };
    assert.match(problemsOf(house('', kernel)).join(), /the kernel reads the tables of others/);
    allows(house('', { 'src/surfaces/http/a.ts': text, 'src/surfaces/http/reads.ts': declared('cases', 'loan') }));
  });
});

describe('owners of tables', () => {
  test('declare tables without a record type in tables.ts', () => {
    const schema = { 'db/schema.sql': 'CREATE TABLE upload (id bigint);' };
    refuses(house('', schema), 'db/schema.sql:1', /the table upload has no owner/);
    const tables = { 'src/modules/cases/tables.ts': "export const tables = ['upload'] as const;" };
    allows(house("query('delete from upload');", { ...schema, ...tables }));
    refuses(house("query('delete from uploads');", tables), `${FILE}:2`, /writes the unknown table uploads/);
    const second = { 'src/modules/work/tables.ts': "export const tables = ['loan'] as const;" };
    assert.match(problemsOf(house('', second)).join(), /the table loan belongs to/);
    refuses(
      house('', { 'src/modules/cases/tables.ts': 'export const table = 1;' }),
      'src/modules/cases/tables.ts:1',
      /no list of tables/,
    );
  });

  test('read tables of PostgreSQL and of their own queries', () => {
    allows(house("query('select 1 from pg_class, information_schema.tables');"));
    allows(house("query('with decision as (select 1) select * from decision');"));
    refuses(
      house("query('with decision as (select * from decision) select * from decision');"),
      `${FILE}:2`,
      /reads decision/,
    );
  });
});

describe('areas', () => {
  test('do not depend on one another in a circle', () => {
    const reads = {
      [READS]: declared('work', 'decision'),
      'src/modules/work/reads.ts': declared('cases', 'loan'),
      'src/modules/work/decision/lib/b.ts': "query('select 1 from loan');",
    };
    refuses(house("query('select 1 from decision');", reads), `${READS}:1`, /in a circle: cases → work → cases/);
    const imports = {
      [READS]: declared('work', 'decision'),
      'src/modules/work/decision/lib/b.ts': "import { close } from '../../../cases/process/lib/close.ts';",
    };
    refuses(house("query('select 1 from decision');", imports), `${READS}:1`, /in a circle: cases → work → cases/);
    const declarations = {
      [READS]: declared('work', 'decision'),
      'src/modules/work/decision/lib/b.ts': "import { loan } from '../../../cases/records/loan.record.ts';",
    };
    allows(house("query('select 1 from decision');", declarations));
  });
});

describe('texts', () => {
  test('that begin like SQL or name a table are parsed', () => {
    refuses(house("query('select 1 frm loan where x y z');"), `${FILE}:2`, /SQL that cannot be parsed/);
    refuses(house("query('delete from decision where where');"), `${FILE}:2`, /SQL that cannot be parsed/);
    allows(house("log('Select a loan from the list, with its decision.');"));
    allows(house("log('update');"));
    allows(house('log(`Loan ${id} cannot be merged into decision ${other}: it is closed.`);'));
    refuses(house("query(' into decision (a) valuess where');"), `${FILE}:2`, /SQL that cannot be parsed/);
  });

  test('hide no table by concatenation, constants or conditions', () => {
    const importing = "import { decision } from '../../../work/records/decision.record.ts';\n";
    const hidden = [
      "query('select 1 fr' + 'om decision');",
      "query('delete from ' + 'decis' + `ion`);",
      "const name = 'decision';\nquery(`select 1 from ${name}`);",
      "const names = { a: 'decision' };\nquery(`select 1 from ${names.a}`);",
      "query(['select 1', 'from decision'].join(' '));",
      "query(`select 1 ${x ? 'from decision' : ''}`);",
      `${importing}query(\`select 1 from \${fromOf(decision)}\`);`,
      `${importing}query(\`select 1 from \${decision.table}\`);`,
      'query("SELECT 1 FROM Decision");',
    ];
    for (const code of hidden)
      assert.match(problemsOf(house(code)).join(), /(?:reads|writes) decision, expected/, code);
    refuses(house("query('select 1 from ' + name);"), `${FILE}:2`, /reads name, expected the table of a record type/);
    refuses(house('query(`delete from ${record.table}`);'), `${FILE}:2`, /writes record\.table/);
    allows(house('query(`select ${columns} from ${record.table} where ${condition} limit ${size}`);'));
  });

  test('include the table that a function of the kernel writes', () => {
    allows(house("deleteBefore(platform, 'loan', 'createddate', before);"));
    refuses(house("deleteBefore(platform, 'decision', 'createddate', before);"), `${FILE}:2`, /writes decision/);
    refuses(house("deleteWhere(platform, name, 'true', []);"), `${FILE}:2`, /writes name/);
    refuses(house("reserveIds(db, 'decision', 10);"), `${FILE}:2`, /writes decision/);
  });

  test('include the record type that a row function of the kernel writes', () => {
    const importing = "import { decision } from '../../../work/records/decision.record.ts';\n";
    const calls = [
      "await updateRow(ctx, ctx.registry.recordType('Decision'), id, values);",
      "const record = ctx.registry.requireRecord('Decision', 'ID');\nawait insertRow(ctx, record, values);",
      `${importing}await deleteMany(ctx, decision, ids);`,
      `${importing}await restoreRow(ctx, decision, deleted, {});`,
      `${importing}await undeleteParts(ctx, decision, 'ObjectID', deletion);`,
      `${importing}await commitWritten(ctx, { record: decision, change: 'update', ids });`,
    ];
    for (const code of calls) {
      assert.match(problemsOf(house(code)).join(), /writes decision, expected a call of the owner/, code);
    }
    allows(
      house("updateRow(ctx, ctx.registry.recordType('Loan'), id, values);\nupdateRow(ctx, ctx.record, id, values);"),
    );
  });

  test('with holes are parsed whatever the holes are for', () => {
    const tables = new Set(['loan', 'decision']);
    const read = (code: string): readonly string[] => {
      const [{ path, source } = { path: '', source: undefined }] = sourcesUnder(new Map([['src/a.ts', code]]), 'src/');
      const [text] = source === undefined ? [] : textsOf(path, source, () => undefined);
      const found = tablesIn(text?.pieces ?? [], tables);
      assert.ok(found !== undefined && 'reads' in found, code);
      return [...found.reads, ...[...found.writes].map((table) => `${table}!`)];
    };
    assert.deepEqual(read('`select ${list} from loan ${joins} where ${all} ${more} order by 1 ${way}`'), ['loan']);
    assert.deepEqual(read('`with ${parts} select * from loan for ${lock}`'), ['loan']);
    assert.deepEqual(read('`update loan set ${sets} where id = $${n}`'), ['loan!']);
    assert.deepEqual(read('`insert into loan (${names}) select * from json_to_recordset($1) x (${types})`'), ['loan!']);
    assert.deepEqual(read('`select * from (${text}) t, loan`'), ['loan']);
    assert.deepEqual(read('` left join loan l on l.loanid = ${id}`'), ['loan']);
    assert.deepEqual(read('`${not}exists (select from loan where ${key} = any($P))`'), ['loan']);
    assert.deepEqual(read('`, x as (delete from loan returning *)`'), ['loan!']);
  });
});

describe('rows that a limited subquery locks', () => {
  test('are changed by statements that evaluate it once', () => {
    const one = 'select loanid from loan order by 1 limit 1 for update skip locked';
    for (const text of [
      `update loan l set version = 1 from (${one}) d where l.loanid = d.loanid`,
      `update loan set version = 1 where loanid in (${one})`,
      `delete from loan where loanid in (select loanid from (${one}) d)`,
      `delete from loan l using (${one}) d where l.loanid = d.loanid`,
      `with gone as (delete from loan where loanid in (${one}) returning 1) select count(*) from gone`,
    ])
      refuses(house(`query(\`${text}\`);`), `${FILE}:2`, /expected a common table expression/);
    for (const text of [
      `with d as materialized (${one}) update loan l set version = 1 from d where l.loanid = d.loanid`,
      `update loan set version = 1 where loanid = any(array(${one}))`,
      `update loan set version = 1 where loanid = (${one})`,
      `select * from (${one}) d`,
      'update loan set version = 1 where loanid in (select loanid from loan limit 1)',
    ])
      allows(house(`query(\`${text}\`);`));
  });
});
