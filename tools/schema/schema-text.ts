/**
 * The present schema as one readable text: what all migrations together have made, read from a migrated database.
 *
 * The text is the same on every supported version of PostgreSQL, so that a test can compare it with `db/schema.sql` on
 * each. Left out is what is not designed here but made: the history functions of single tables (compiled from their
 * columns by `casewright_history_compile`), the monthly partitions of the history, and the bodies of the report views
 * (made from the declarations by src/app/report-views.ts).
 */
import type postgres from 'postgres';

const LINE_COLUMNS_MAX = 120;
/** Partitions of the history are made at run time. */
const PARTITION = /^history_(\d{6}|default)$/;

/** Returns the schema of a migrated database as SQL, with one section for each table. Ends with a line break. */
export async function schemaText(sql: postgres.Sql): Promise<string> {
  const [head, functions, tables, views] = await Promise.all([
    prologue(sql),
    functionSections(sql),
    tableSections(sql),
    viewSection(sql),
  ]);
  return `${[head, ...functions, ...tables, views].join('\n\n')}\n`;
}

async function prologue(sql: postgres.Sql): Promise<string> {
  const migrations = await sql<{ name: string }[]>`select name from migration order by name`;
  const collations = await sql<{ name: string; provider: string; locale: string; deterministic: boolean }[]>`
    select collname as name, collprovider as provider,
      coalesce(to_jsonb(c) ->> 'colliculocale', to_jsonb(c) ->> 'colllocale') as locale,
      collisdeterministic as deterministic
    from pg_collation c where collnamespace = 'public'::regnamespace order by 1`;
  const roles = await sql<{ name: string }[]>`
    select rolname as name from pg_roles where rolname like 'casewright\_%' and not rolcanlogin order by 1`;
  const last = migrations.at(-1)?.name ?? 'none';
  return [
    `-- size: the whole schema in one place, to be read by table.`,
    `-- The present schema: what the migrations of db/ up to ${last} have made together. ` +
      'Written by `npm run schema`,',
    '-- compared with a migrated database by a test. Not executed: change it by a migration.',
    '',
    '-- Roles',
    ...roles.map(({ name }) => `create role ${name};`),
    '',
    '-- Collations',
    ...collations.map(({ name, provider, locale, deterministic }) => {
      const library = provider === 'i' ? 'icu' : provider;
      const options = `provider = ${library}, locale = '${locale}', deterministic = ${deterministic}`;
      return `create collation ${name} (${options});`;
    }),
  ].join('\n');
}

async function functionSections(sql: postgres.Sql): Promise<string[]> {
  const functions = await sql<{ name: string; text: string }[]>`
    select proname as name, pg_get_functiondef(oid) as text from pg_proc
    where pronamespace = 'public'::regnamespace order by proname, pg_get_function_identity_arguments(oid)`;
  const own = functions.filter(({ name }) => !name.startsWith('casewright_history_of_'));
  return ['-- Functions', ...own.map(({ text }) => functionText(text))];
}

/** The definition as the server writes it, with its head in lower case; the body is left as the migration has it. */
function functionText(definition: string): string {
  const at = definition.search(/^(AS |RETURN |BEGIN ATOMIC)/m);
  const head = lowerCase(definition.slice(0, at)).replace('create or replace function public.', 'create function ');
  const lines = head
    .trimEnd()
    .split('\n')
    .map((line) => line.trim());
  const [first = '', ...options] = lines;
  const rest = `${definition.slice(at).trimEnd()};`;
  // An SQL-standard body is printed from its tree, on one line; any other is the migration's own text.
  const body = rest.startsWith('RETURN') ? wrapped(lowerCase(rest), '  ') : [rest.replace(/^AS /, 'as ')];
  return [...wrapped(first), ...wrapped(options.join(' '), '  '), ...body].join('\n');
}

/** Writes keywords in lower case, as the migrations do; what is quoted stays. */
function lowerCase(text: string): string {
  return text.replace(/'(?:[^']|'')*'|"[^"]*"|[A-Z]+/g, (word) =>
    word.startsWith("'") || word.startsWith('"') ? word : word.toLowerCase(),
  );
}

/** Breaks a line before the last space that fits, outside of quoted text, and indents what follows. */
function wrapped(line: string, indent = ''): string[] {
  if (indent.length + line.length <= LINE_COLUMNS_MAX) return [indent + line];
  let quoted = false;
  let at = -1;
  for (let index = 0; index < line.length && indent.length + index <= LINE_COLUMNS_MAX; index += 1) {
    if (line[index] === "'") quoted = !quoted;
    if (line[index] === ' ' && !quoted) at = index;
  }
  if (at < 1) return [indent + line];
  return [indent + line.slice(0, at), ...wrapped(line.slice(at + 1), indent === '' ? '  ' : indent)];
}

interface TableParts {
  readonly name: string;
  readonly kind: string;
  readonly partitioning: string | null;
  readonly security: boolean;
}

async function tableSections(sql: postgres.Sql): Promise<string[]> {
  const tables = await sql<TableParts[]>`
    select relname as name, relkind as kind, pg_get_partkeydef(oid) as partitioning, relrowsecurity as security
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by relname`;
  const [columns, constraints, indexes, triggers, policies, grants] = await Promise.all([
    columnLines(sql),
    constraintLines(sql),
    indexLines(sql),
    triggerLines(sql),
    policyLines(sql),
    grantLines(sql),
  ]);
  return tables
    .filter(({ name }) => !PARTITION.test(name))
    .map((table) => {
      const inside = [...(columns.get(table.name) ?? []), ...(constraints.get(table.name) ?? []).map(lowerCase)];
      const end = table.kind === 'p' ? `) partition by ${table.partitioning ?? ''};` : ');';
      return [
        `-- Table ${table.name}`,
        `create table ${table.name} (\n${inside.map((line) => wrapped(line, '  ').join('\n  ')).join(',\n')}\n${end}`,
        ...[
          ...(indexes.get(table.name) ?? []).map(lowerCase),
          ...(triggers.get(table.name) ?? []).map(lowerCase),
          ...(table.security ? [`alter table ${table.name} enable row level security;`] : []),
          ...(policies.get(table.name) ?? []),
          ...(grants.get(table.name) ?? []),
        ].flatMap((line) => wrapped(line)),
      ].join('\n');
    });
}

type Lines = Map<string, string[]>;

function byTable(rows: readonly { readonly table: string; readonly line: string }[]): Lines {
  const lines: Lines = new Map();
  for (const { table, line } of rows) lines.set(table, [...(lines.get(table) ?? []), line]);
  return lines;
}

async function columnLines(sql: postgres.Sql): Promise<Lines> {
  return byTable(
    await sql<{ table: string; line: string }[]>`
      select c.relname as table, quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
        || case when a.attcollation <> t.typcollation then ' collate ' || quote_ident(l.collname) else '' end
        || case when a.attstorage <> t.typstorage then ' storage '
             || case a.attstorage
                  when 'p' then 'plain'
                  when 'e' then 'external'
                  when 'm' then 'main'
                  else 'extended' end
           else '' end
        || case a.attidentity
             when 'a' then ' generated always as identity'
             when 'd' then ' generated by default as identity'
             else '' end
        || case when a.attgenerated = 's' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
           when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end
        || case when a.attnotnull then ' not null' else '' end as line
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        join pg_type t on t.oid = a.atttypid left join pg_collation l on l.oid = a.attcollation
        left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by c.relname, a.attnum`,
  );
}

/** Later versions have `not null` as a constraint of its own, which the columns say already. */
async function constraintLines(sql: postgres.Sql): Promise<Lines> {
  return byTable(
    await sql<{ table: string; line: string }[]>`
      select r.relname as table,
        'constraint ' || quote_ident(conname) || ' ' || pg_get_constraintdef(c.oid, true) as line
      from pg_constraint c join pg_class r on r.oid = c.conrelid
      where r.relnamespace = 'public'::regnamespace and contype in ('p', 'u', 'c', 'f', 'x') and conparentid = 0
      order by r.relname, position(contype::text in 'puxcf'), conname`,
  );
}

async function indexLines(sql: postgres.Sql): Promise<Lines> {
  return byTable(
    await sql<{ table: string; line: string }[]>`
      select r.relname as table,
        replace(replace(pg_get_indexdef(i.indexrelid), ' public.', ' '), ' USING btree', '') || ';' as line
      from pg_index i join pg_class r on r.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
      where r.relnamespace = 'public'::regnamespace
        and not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u', 'x'))
      order by r.relname, x.relname`,
  );
}

async function triggerLines(sql: postgres.Sql): Promise<Lines> {
  return byTable(
    await sql<{ table: string; line: string }[]>`
      select r.relname as table, replace(pg_get_triggerdef(t.oid, true), ' public.', ' ') || ';' as line
      from pg_trigger t join pg_class r on r.oid = t.tgrelid
      where r.relnamespace = 'public'::regnamespace and not t.tgisinternal and t.tgparentid = 0
      order by r.relname, tgname`,
  );
}

async function policyLines(sql: postgres.Sql): Promise<Lines> {
  return byTable(
    await sql<{ table: string; line: string }[]>`
      select tablename as table,
        format('create policy %I on %I for %s to %s', policyname, tablename, lower(cmd), array_to_string(roles, ', '))
        || coalesce(' using (' || qual || ')', '') || coalesce(' with check (' || with_check || ')', '') || ';' as line
      from pg_policies where schemaname = 'public' order by tablename, policyname`,
  );
}

/** What others than the owner may do with a table, or with some of its columns. */
async function grantLines(sql: postgres.Sql): Promise<Lines> {
  return byTable(
    await sql<{ table: string; line: string }[]>`
      select tablename as table,
        format('grant %s on %I to %s;', string_agg(privilege, ', ' order by privilege), tablename, role) as line
      from (
        select c.relname as tablename, g.grantee::regrole::text as role, lower(g.privilege_type) as privilege
        from pg_class c cross join lateral aclexplode(c.relacl) g
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and g.grantee <> c.relowner
        union all
        select c.relname, g.grantee::regrole::text,
          lower(g.privilege_type) || ' (' || string_agg(quote_ident(a.attname), ', ' order by a.attnum) || ')'
        from pg_attribute a join pg_class c on c.oid = a.attrelid cross join lateral aclexplode(a.attacl) g
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        group by c.relname, g.grantee, g.privilege_type
      ) as grants group by tablename, role order by tablename, role`,
  );
}

async function viewSection(sql: postgres.Sql): Promise<string> {
  const views = await sql<{ line: string }[]>`
    select
      format('create view report.%I: %s', c.relname, string_agg(quote_ident(a.attname), ', ' order by a.attnum)) as line
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'report'::regnamespace and c.relkind = 'v' group by c.relname order by c.relname`;
  return [
    '-- Report views: what saved statements see, made from the declarations of the record types',
    ...views.flatMap(({ line }) => wrapped(line, '-- ')),
  ].join('\n');
}
