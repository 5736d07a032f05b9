/**
 * Writes the files that new record types need: `npm run draft-migration -- contact organization`. For record types
 * whose tables db/schema.sql has, writes the migration that adds the columns of new fields.
 *
 * Written are the migration, how it is undone, the rows of docs/internals/visibility.md, and a row of
 * docs/security/data-map.md for types with fields that are not public. What needs a decision is printed as a list.
 * `--print` prints the SQL alone. The migration is a draft: check constraints, visibility triggers and further indexes
 * are added by hand.
 */
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { allowsCustomFields, CUSTOM_COLUMN } from '../src/kernel/declare/custom-field.ts';
import { isConfiguration, type Column, type RecordType } from '../src/kernel/declare/record.ts';
import { physicalColumns, storedColumns } from '../src/kernel/database/sql.ts';

const VISIBILITY = 'docs/internals/visibility.md';
const DATA_MAP = 'docs/security/data-map.md';

main(await loadRecords());

function main(records: ReadonlyMap<string, RecordType>): void {
  const { values, positionals } = parseArgs({ options: { print: { type: 'boolean' } }, allowPositionals: true });
  if (positionals.length === 0)
    throw new Error('Name the record types: npm run draft-migration -- contact organization');
  const chosen = positionals.map((name) => {
    const record = records.get(name.toLowerCase());
    if (!record) throw new Error(`no record type ${name}; known: ${[...records.keys()].join(', ')}`);
    storedColumns(record);
    return record;
  });
  const stored = storedTables();
  const existing = chosen.filter(({ table }) => stored.has(table));
  if (existing.length > 0 && existing.length < chosen.length)
    throw new Error('Name either new record types or those that have a table.');
  const drafts = existing
    .map((record) => addColumns(record, stored.get(record.table) ?? '', records))
    .filter(({ columns }) => columns.length > 0);
  if (existing.length > 0 && drafts.length === 0)
    throw new Error('The tables have all columns of their record types already.');
  const sql =
    existing.length > 0
      ? drafts.map(({ up }) => up).join('\n\n')
      : chosen.map((record) => createTable(record, records)).join('\n\n');
  if (values.print) console.log(sql);
  else if (existing.length > 0) writeColumns(drafts);
  else writeTables(chosen, sql);
}

function writeTables(chosen: readonly RecordType[], sql: string): void {
  const file = `${nextNumber()}_${chosen.map(({ table }) => table).join('_')}.sql`;
  writeFileSync(`db/${file}`, `-- ${chosen.map(({ name, doc }) => `${name}: ${doc}`).join('\n-- ')}\n\n${sql}\n`);
  const drops = chosen.toReversed().map(({ table }) => `drop view if exists report.${table};\ndrop table ${table};`);
  writeFileSync(
    `db/down/${file}`,
    `-- down: the records of ${chosen.map(({ name }) => name).join(', ')}\n${drops.join('\n')}\n`,
  );
  const documents = [addVisibility(chosen), addToDataMap(chosen)].filter((path) => path !== undefined);
  console.log([`Written: db/${file}, db/down/${file}`, ...documents].join(', '));
  console.log(['Then:', ...remainingSteps(chosen)].join('\n  - '));
}

/** Returns the definitions of all tables by name. */
function storedTables(): ReadonlyMap<string, string> {
  const found = readFileSync('db/schema.sql', 'utf8').matchAll(/^create table (\w+) \(\n([\s\S]*?)\n\)/gm);
  return new Map([...found].map(([, table = '', definition = '']) => [table, definition]));
}

/** The columns that a table lacks. */
interface ColumnsDraft {
  readonly record: RecordType;
  readonly columns: readonly Column[];
  readonly up: string;
  readonly down: string;
}

function addColumns(record: RecordType, definition: string, records: ReadonlyMap<string, RecordType>): ColumnsDraft {
  const { table } = record;
  const columns = ownColumns(record).filter(({ column, field }) => {
    const name = field.kind === 'ssn' ? `${column}cipher` : column;
    return !new RegExp(`^  "?${name}"? `, 'm').test(definition);
  });
  const lines = columns.flatMap((column) => columnLines(column, records)).map((line) => `  add column ${line.trim()}`);
  const names = lines.map((line) => line.split(' ')[4] ?? '');
  const online = indexesOf(table, columns).map((index) =>
    index.replace('create index ', 'create index concurrently if not exists '),
  );
  return {
    record,
    columns,
    up: [
      `alter table ${table}\n${lines.join(',\n')};`,
      ...(online.length > 0 ? [`\n-- online: ${table} may be large`, ...online] : []),
    ].join('\n'),
    down: dropColumns(table, names),
  };
}

/** Returns statements that drop columns; the report view, which has them too, is created again without. */
function dropColumns(table: string, names: readonly string[]): string {
  return `do $$
declare
  definition text;
begin
  if to_regclass('report.${table}') is not null then
    definition := regexp_replace(pg_get_viewdef('report.${table}'::regclass),
      ',\\s+(\\w+\\.)?(${names.join('|')})(\\s+AS\\s+\\S+?)?(?=,|\\s+FROM)', '', 'gi');
    drop view report.${table};
    execute 'create view report.${table} with (security_invoker = true) as ' || definition;
    grant select on report.${table} to casewright_report, casewright_report_all;
  end if;
end $$;
alter table ${table} ${names.map((name) => `drop column ${name}`).join(', ')};`;
}

function writeColumns(drafts: readonly ColumnsDraft[]): void {
  const described = drafts.map(
    ({ record, columns }) => `${record.name}: ${columns.map(({ name }) => name).join(', ')}`,
  );
  const file = `${nextNumber()}_${drafts.map(({ record }) => record.table).join('_')}_columns.sql`;
  writeFileSync(`db/${file}`, `-- ${described.join('\n-- ')}\n\n${drafts.map(({ up }) => up).join('\n\n')}\n`);
  writeFileSync(`db/down/${file}`, `-- down: ${described.join('; ')}\n${drafts.map(({ down }) => down).join('\n')}\n`);
  console.log(`Written: db/${file}, db/down/${file}`);
  console.log(['Then:', ...columnSteps(drafts.flatMap(({ columns }) => columns))].join('\n  - '));
}

function columnSteps(columns: readonly Column[]): string[] {
  const required = columns.filter(({ field }) => field.required);
  const hidden = columns.filter(({ field }) => field.classification !== 'public');
  return [
    'complete the migration: check constraints, unique keys, values of existing rows',
    ...required.map(({ name }) => `${name} is required: give existing rows a value before it is not null`),
    ...hidden.map(({ name, field }) => `${DATA_MAP}: ${name} is ${field.classification}`),
    ...hidden
      .filter(({ field }) => field.classification === 'secret')
      .map(({ name }) => `create the history trigger again, which must not copy ${name}`),
    'npm run generate, npm run schema, npm test -- database/schema migrate-down',
    'CHANGELOG.md, under Unreleased',
  ];
}

async function loadRecords(): Promise<Map<string, RecordType>> {
  const records = new Map<string, RecordType>();
  for (const file of globSync(['src/modules/*/*/*.record.ts', 'src/kernel/records/types/*.record.ts'])) {
    const exported = (await import(`../${file}`)) as Record<string, unknown>;
    for (const value of Object.values(exported)) {
      if (typeof value === 'object' && value !== null && 'shown' in value)
        records.set((value as RecordType).table, value as RecordType);
    }
  }
  return records;
}

function nextNumber(): string {
  const last = readdirSync('db')
    .filter((name) => /^\d{4}_/.test(name))
    .sort()
    .at(-1);
  return String(Number(last?.slice(0, 4) ?? 0) + 1).padStart(4, '0');
}

/**
 * Returns the statements that create a record type's table with the columns common to all. The report view comes from
 * the declaration.
 */
function createTable(record: RecordType, records: ReadonlyMap<string, RecordType>): string {
  const { table, base } = record;
  const own = ownColumns(record);
  const id = base
    ? `  ${table}id bigint primary key references ${base.table} on delete cascade`
    : `  ${table}id bigint generated always as identity primary key`;
  const lines = [id, ...own.flatMap((column) => columnLines(column, records)), ...visibilityColumn(record)];
  if (allowsCustomFields(record) && !base)
    lines.push(`  ${CUSTOM_COLUMN} jsonb check (jsonb_typeof(${CUSTOM_COLUMN}) = 'object')`);
  return [`create table ${table} (\n${lines.join(',\n')}\n);`, ...indexes(record), ...afterTable(record)].join('\n');
}

/** The columns of a type's own table, each once, without the identity. */
function ownColumns({ table, columns }: RecordType): Column[] {
  const own = [...columns.values()].filter((column) => column.table === table && column.column !== `${table}id`);
  return [...new Map(own.map((column) => [column.column, column])).values()];
}

function columnLines(column: Column, records: ReadonlyMap<string, RecordType>): string[] {
  const { field, column: name } = column;
  if (field.kind === 'ssn') return [`  ${name}cipher bytea`, `  ${name}index bytea`];
  const target = field.to === undefined || field.computed ? undefined : records.get(field.to.toLowerCase());
  const parts = [
    name,
    typeOf(column),
    field.required ? 'not null' : '',
    trackingDefault(name),
    target ? `references ${target.table}` : '',
  ];
  return [`  ${parts.filter((part) => part !== '').join(' ')}`];
}

function typeOf(column: Column): string {
  const { field } = column;
  switch (field.kind) {
    case 'text': {
      const collation = field.exact ? '"C"' : 'casewright_text';
      return `${field.max === undefined ? 'text' : `varchar(${field.max})`} collate ${collation}`;
    }
    case 'money':
      return 'numeric(19,4)';
    default:
      return physicalColumns(column)[0]?.type ?? 'text';
  }
}

function trackingDefault(name: string): string {
  if (name === 'version') return 'not null default 1';
  return name === 'createddate' || name === 'updateddate' ? 'not null default now()' : '';
}

function visibilityColumn({ reach }: RecordType): string[] {
  if (reach === 'one') return ['  reachorganizationid bigint'];
  return reach === 'many' ? ["  reachorganizationid bigint[] not null default '{}'"] : [];
}

function indexesOf(table: string, columns: readonly Column[]): string[] {
  return columns.flatMap(({ field, column }) => {
    if (field.kind === 'ssn') return [`create index ${table}_${column}index_idx on ${table} (${column}index);`];
    const isReference = field.kind === 'id' && field.to !== undefined && !field.computed;
    return isReference ? [`create index ${table}_${column}_idx on ${table} (${column});`] : [];
  });
}

function indexes(record: RecordType): string[] {
  const { table, base, reach } = record;
  const found = indexesOf(table, ownColumns(record));
  if (base) return found;
  if (record.parent !== undefined) found.push(`create index ${table}_object_idx on ${table} (objectid, object);`);
  if (reach === 'one') found.push(`create index ${table}_reach_idx on ${table} (reachorganizationid, createddate);`);
  if (reach === 'many') found.push(`create index ${table}_reach_idx on ${table} using gin (reachorganizationid);`);
  return found;
}

/** History, row security and the signal that configuration has changed. */
function afterTable(record: RecordType): string[] {
  const { table, reach } = record;
  const secret = ownColumns(record)
    .filter(({ field }) => field.classification === 'secret' && field.kind !== 'ssn')
    .map(({ column }) => `'${column}'`);
  const history =
    `create trigger ${table}_history after update or delete on ${table} ` +
    `for each row execute function casewright_history(${secret.join(', ')});`;
  const links =
    `create trigger ${table}_reach_links after update on ${table} ` +
    'for each row when (new.reachorganizationid is distinct from old.reachorganizationid) ' +
    'execute function casewright_reach_links();';
  const configuration =
    `create trigger ${table}_configuration after insert or update or delete on ${table} ` +
    'for each statement execute function casewright_configuration();';
  return [
    ...(record.history === false ? [] : [history]),
    `select casewright_open('${table}', '${reach}');`,
    ...(reach === 'one' || reach === 'many' ? [links] : []),
    ...(isConfiguration(record) ? [configuration] : []),
  ];
}

/** Adds the types to the table of the visibility document, in the order of their names. Returns the document's path. */
function addVisibility(records: readonly RecordType[]): string {
  const text = readFileSync(VISIBILITY, 'utf8');
  const isRow = (line: string): boolean => /^\| \w+ \| (?:one|many|configuration|none) \|/.test(line);
  const lines = text.split('\n');
  const at = lines.findIndex(isRow);
  const rows = [
    ...lines.filter(isRow),
    ...records.map(({ name, reach, base }) => `| ${name} | ${reach} | ${base ? `${base.name} ` : ''}|`),
  ].sort((a, b) => (rowName(a) < rowName(b) ? -1 : 1));
  const rest = lines.filter((line) => !isRow(line));
  writeFileSync(VISIBILITY, rest.toSpliced(at, 0, ...rows).join('\n'));
  return VISIBILITY;
}

function rowName(row: string): string {
  return row.split('|')[1]?.trim() ?? '';
}

/** Adds a row for each type with personal or secret fields at the end of the data map's first table. */
function addToDataMap(records: readonly RecordType[]): string | undefined {
  const rows = records.flatMap((record) => {
    const fields = ownColumns(record).filter(({ field }) => field.classification !== 'public');
    const names = fields.map(({ name }) => `\`${name}\``).join(', ');
    const classes = [...new Set(fields.map(({ field }) => field.classification))].join(', ');
    return fields.length === 0
      ? []
      : [`| ${record.doc} | ${record.name}: ${names} | ${classes} | plain | (how long) | (where to) |`];
  });
  if (rows.length === 0) return undefined;
  const lines = readFileSync(DATA_MAP, 'utf8').split('\n');
  const start = lines.findIndex((line) => line.startsWith('| Data | Record and fields'));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  writeFileSync(DATA_MAP, lines.toSpliced(end, 0, ...rows).join('\n'));
  return DATA_MAP;
}

function remainingSteps(records: readonly RecordType[]): string[] {
  const visible = records.filter(({ reach, base }) => (reach === 'one' || reach === 'many') && !base);
  const configuration = records.filter((record) => isConfiguration(record));
  return [
    'complete the migration: check constraints, unique keys, further indexes',
    ...visible.map(
      ({ table }) =>
        `write the trigger \`${table}_reach\` that sets ReachOrganizationID, ` +
        `declare it in the record's \`triggers\`, and name its function in ${VISIBILITY}`,
    ),
    ...configuration.map(
      ({ name }) => `decide who changes ${name}: by default all staff; src/modules/access/role/lib/builtin-roles.ts`,
    ),
    `if a test cannot create a ${records.map(({ name }) => name).join(' or ')} from its declaration: ` +
      'a recipe in test/support/records.ts',
    'npm run generate, npm run schema, npm test -- platform/database platform/access/row-security',
    'CHANGELOG.md, under Unreleased',
  ];
}
