/**
 * Prints the tables of record types as SQL, a first draft for a hand-written migration:
 * `node tools/run.mjs tools/draft-migration.ts contact organization`.
 */
import { globSync } from 'node:fs';
import type { Column, RecordType } from '../src/kernel/declare/record.ts';
import { physicalColumns, storedColumns } from '../src/kernel/database/sql.ts';

async function load(): Promise<Map<string, RecordType>> {
  const records = new Map<string, RecordType>();
  for (const file of globSync('src/modules/*/*/*.record.ts')) {
    const exported = (await import(`../${file}`)) as Record<string, unknown>;
    for (const value of Object.values(exported)) {
      if (typeof value === 'object' && value !== null && 'shown' in value)
        records.set((value as RecordType).table, value as RecordType);
    }
  }
  return records;
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

function columnLines(column: Column, records: ReadonlyMap<string, RecordType>): string[] {
  const { field, column: name } = column;
  if (field.kind === 'ssn') return [`  ${name}cipher bytea`, `  ${name}index bytea`];
  const target = field.to === undefined || field.computed ? undefined : records.get(field.to.toLowerCase());
  const references = target ? ` references ${target.table}` : '';
  const rest =
    name === 'version'
      ? ' not null default 1'
      : name === 'createddate' || name === 'updateddate'
        ? ' not null default now()'
        : '';
  return [`  ${name} ${typeOf(column)}${field.required ? ' not null' : ''}${rest}${references}`];
}

function draft(record: RecordType, records: ReadonlyMap<string, RecordType>): string {
  const { table, base } = record;
  const own = [...record.columns.values()].filter((c) => c.table === table && c.column !== `${table}id`);
  const unique = [...new Map(own.map((c) => [c.column, c])).values()];
  const id = base
    ? `  ${table}id bigint primary key references ${base.table} on delete cascade`
    : `  ${table}id bigint generated always as identity primary key`;
  const reach =
    record.reach === 'one'
      ? ['  reachorganizationid bigint']
      : record.reach === 'many'
        ? ["  reachorganizationid bigint[] not null default '{}'"]
        : [];
  const lines = [id, ...unique.flatMap((c) => columnLines(c, records)), ...reach];
  const indexes: string[] = [];
  for (const column of unique) {
    if (column.field.kind === 'id' && column.field.to !== undefined && !column.field.computed)
      indexes.push(`create index ${table}_${column.column}_idx on ${table} (${column.column});`);
    if (column.field.kind === 'ssn')
      indexes.push(`create index ${table}_${column.column}index_idx on ${table} (${column.column}index);`);
  }
  if (record.parent !== undefined && !base)
    indexes.push(`create index ${table}_object_idx on ${table} (objectid, object);`);
  if (record.reach === 'one' && !base)
    indexes.push(`create index ${table}_reach_idx on ${table} (reachorganizationid, createddate);`);
  if (record.reach === 'many' && !base)
    indexes.push(`create index ${table}_reach_idx on ${table} using gin (reachorganizationid);`);
  const secret = unique
    .filter((c) => c.field.classification === 'secret' && c.field.kind !== 'ssn')
    .map((c) => `'${c.column}'`);
  const shown = record.shown.filter((c) => c.field.kind !== 'ssn');
  const names = new Map(shown.map((c) => [c.name.toLowerCase(), c]));
  const from = base ? `${base.table} join ${table} on ${table}.${table}id = ${base.table}.${base.table}id` : table;
  const view =
    record.reach === 'none'
      ? []
      : [
          `create view report.${table} with (security_invoker = true) as select ${[...names].map(([n, c]) => `${c.table}.${c.column}${n === c.column ? '' : ` as ${n}`}`).join(', ')} from ${from};`,
          `select casewright_report('${table}', '${table}id, ${unique
            .filter((c) => c.read !== null && c.field.kind !== 'ssn')
            .map((c) => c.column)
            .join(', ')}');`,
        ];
  const after = [
    ...(record.history === false
      ? []
      : [
          `create trigger ${table}_history after update or delete on ${table} for each row execute function casewright_history(${secret.join(', ')});`,
        ]),
    `select casewright_open('${table}', '${record.reach}');`,
    ...view,
  ];
  return [`create table ${table} (\n${lines.join(',\n')}\n);`, ...indexes, ...after].join('\n');
}

const records = await load();
for (const name of process.argv.slice(2)) {
  const record = records.get(name.toLowerCase());
  if (!record) throw new Error(`no record type ${name}; known: ${[...records.keys()].join(', ')}`);
  storedColumns(record);
  console.log(`${draft(record, records)}\n`);
}
