import { CUSTOM_COLUMN } from '../declare/custom-field.ts';
import type { FieldKind } from '../declare/field-types.ts';
import type { Column, RecordType } from '../declare/record.ts';
import { Cache } from '../time/cache.ts';

/** The PostgreSQL type of each kind of field. Lists are parameters only and never stored. */
export const sqlTypes: Readonly<Record<Exclude<FieldKind, 'idList' | 'textList'>, string>> = {
  text: 'text',
  integer: 'integer',
  id: 'bigint',
  decimal: 'numeric',
  money: 'numeric',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'timestamptz',
  xml: 'text',
  json: 'jsonb',
  ssn: 'bytea',
};

/** Returns the SQL of a column's value for conditions and orders. */
export function valueSql(column: Column): string {
  // Otherwise a condition or an order would reveal to a firm what the answer hides.
  if (column.field.classification === 'staff') return String(column.read);
  return column.custom?.value ?? `${column.table}.${column.column}`;
}

/** Returns the SQL type of values that a column is compared with. */
export function valueSqlType(column: Column): string {
  return column.custom?.type ?? sqlTypes[column.field.kind as keyof typeof sqlTypes];
}

/** A physical column: what an insert or update names, with the cast of its parameter. */
export interface StoredColumn {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

/** Returns a record type and its bases, the root first: one per table. */
export function tablesOf(record: RecordType): readonly RecordType[] {
  return record.base ? [...tablesOf(record.base), record] : [record];
}

const fromTexts = new WeakMap<RecordType, string>();

/** Returns the FROM clause of a record type's tables under their own names: `process join foreclosure on …`. */
export function fromOf(record: RecordType): string {
  let text = fromTexts.get(record);
  if (text === undefined) {
    const [root, ...derived] = tablesOf(record);
    if (!root) throw new Error(`${record.name} has no table`);
    text =
      root.table +
      derived.map((d) => ` join ${d.table} on ${d.table}.${d.table}id = ${root.table}.${root.table}id`).join('');
    fromTexts.set(record, text);
  }
  return text;
}

/** Returns the SQL of a record type's id: `process.processid`. */
export function idOf(record: RecordType): string {
  return `${record.root.table}.${record.root.table}id`;
}

const selectLists = new WeakMap<RecordType, string>();

/** Returns the select list of the shown columns, each under its declared name. */
export function selectListOf(record: RecordType): string {
  let text = selectLists.get(record);
  if (text === undefined) selectLists.set(record, (text = columnList(record.shown)));
  return text;
}

/** Returns a select list of columns, each under its declared name. */
export function columnList(columns: readonly Column[]): string {
  return columns.map((c) => `${String(c.read)} as "${c.name}"`).join(', ');
}

/** Returns every physical column that a save can set, by table. The id and the reach columns are not among them. */
export function storedColumns(record: RecordType): ReadonlyMap<string, readonly StoredColumn[]> {
  const byTable = new Map<string, StoredColumn[]>();
  for (const part of tablesOf(record)) byTable.set(part.table, []);
  const seen = new Set<string>();
  for (const column of record.columns.values()) {
    const key = `${column.table}.${column.custom ? CUSTOM_COLUMN : column.column}`;
    if (seen.has(key) || column.column === `${column.table}id` || column.column === 'recordclass') continue;
    seen.add(key);
    byTable.get(column.table)?.push(...physicalColumns(column));
  }
  return byTable;
}

/**
 * Returns the physical columns behind a declared one. A protected number has a ciphertext and a blind index (its last
 * digits are a column of their own); all custom fields share one column.
 */
export function physicalColumns(column: Column): StoredColumn[] {
  const { table, field } = column;
  if (column.custom) return [{ table, column: CUSTOM_COLUMN, type: 'jsonb' }];
  if (field.kind === 'ssn') {
    return [
      { table, column: `${column.column}cipher`, type: 'bytea' },
      { table, column: `${column.column}index`, type: 'bytea' },
    ];
  }
  return [{ table, column: column.column, type: sqlTypes[field.kind as keyof typeof sqlTypes] }];
}

interface InsertText {
  readonly text: string;
  readonly keys: readonly string[];
}

const insertTexts = new WeakMap<RecordType, InsertText>();

/**
 * Returns one statement that inserts into all tables of a record type and returns the new row. It names every column,
 * so the text is always the same and each connection prepares it once.
 */
export function insertText(record: RecordType): InsertText {
  const known = insertTexts.get(record);
  if (known) return known;
  const keys: string[] = [];
  const parts: string[] = [];
  const byTable = storedColumns(record);
  const [root, ...derived] = tablesOf(record);
  if (!root) throw new Error(`${record.name} has no table`);
  const place = (c: StoredColumn): string => {
    keys.push(`${c.table}.${c.column}`);
    return `$${keys.length}::${c.type}`;
  };
  const rootColumns = [...(byTable.get(root.table) ?? [])];
  const className = hasRecordClass(root)
    ? { names: ', recordclass', values: `, '${record.name}'` }
    : { names: '', values: '' };
  parts.push(
    `${root.table} as (
      insert into public.${root.table} (${rootColumns.map((c) => c.column).join(', ')}${className.names})
      values (${rootColumns.map(place).join(', ')}${className.values})
      returning *)`,
  );
  for (const part of derived) {
    const columns = byTable.get(part.table) ?? [];
    const reach = part.reach === 'one' || part.reach === 'many';
    const names = [`${part.table}id`, ...(reach ? ['reachorganizationid'] : []), ...columns.map((c) => c.column)];
    const values = [
      `${root.table}.${root.table}id`,
      ...(reach ? [`${root.table}.reachorganizationid`] : []),
      ...columns.map(place),
    ];
    parts.push(
      `${part.table} as (
        insert into public.${part.table} (${names.join(', ')})
        select ${values.join(', ')} from ${root.table}
        returning *)`,
    );
  }
  const made = { text: `with ${parts.join(', ')} select ${selectListOf(record)} from ${fromOf(record)}`, keys };
  insertTexts.set(record, made);
  return made;
}

/** Whether a record type is the root of a hierarchy, whose table stores the class of each row. */
export function hasRecordClass(root: RecordType): boolean {
  return root.valueColumns.has('RecordClass');
}

/**
 * Returns one statement that updates the given columns (keys `table.column`) of one record and returns the new row.
 * Parameters: id, required version or null, person, time, then the values in the order of `keys`.
 */
export function updateText(record: RecordType, keys: readonly string[]): string {
  return cachedText(updateTexts, record, keys, makeUpdateText);
}

/**
 * Returns the statement of {@link updateText} for many records, for a record type with one table. The first parameter
 * is the array of their ids.
 */
export function updateManyText(record: RecordType, keys: readonly string[]): string {
  return cachedText(updateManyTexts, record, keys, (of, names) =>
    makeUpdateText(of, names).replace('id = $1::bigint', 'id = any($1::bigint[])'),
  );
}

/** Returns the statement of {@link updateText} without its answer, for a record type with one table. */
export function unansweredUpdateText(record: RecordType, keys: readonly string[]): string {
  return cachedText(unansweredTexts, record, keys, (of, names) => updatesOf(of, names).root);
}

type TextCache = WeakMap<RecordType, Cache<string, string>>;
const updateTexts: TextCache = new WeakMap();
const updateManyTexts: TextCache = new WeakMap();
const unansweredTexts: TextCache = new WeakMap();
/** Most cached texts per record type. Callers choose which columns are updated together. */
const UPDATE_TEXTS_MAX = 500;

function cachedText(
  caches: TextCache,
  record: RecordType,
  keys: readonly string[],
  make: (record: RecordType, keys: readonly string[]) => string,
): string {
  let texts = caches.get(record);
  if (!texts) caches.set(record, (texts = new Cache({ max: UPDATE_TEXTS_MAX })));
  return texts.getOrLoad(keys.join(), () => make(record, keys));
}

function makeUpdateText(record: RecordType, keys: readonly string[]): string {
  const { root, derived } = updatesOf(record, keys);
  const [{ table } = { table: '' }] = tablesOf(record);
  const parts = [`${table} as (${root} returning ${table}.*)`, ...derived];
  return `with ${parts.join(', ')} select ${selectListOf(record)} from ${fromOf(record)}`;
}

/** Returns the update of a record type's root table, and those of its other tables as they follow it in a `with`. */
function updatesOf(
  record: RecordType,
  keys: readonly string[],
): { readonly root: string; readonly derived: readonly string[] } {
  const [root, ...others] = tablesOf(record);
  if (!root) throw new Error(`${record.name} has no table`);
  const types = new Map([...storedColumns(record).values()].flat().map((c) => [`${c.table}.${c.column}`, c.type]));
  const parameterOf = (key: string): string => `$${keys.indexOf(key) + 5}::${types.get(key) ?? 'text'}`;
  const assignment = (key: string): string => {
    // Custom fields share a column: only the members sent are changed, and empty ones are removed.
    if (key.endsWith(`.${CUSTOM_COLUMN}`))
      return `${CUSTOM_COLUMN} = nullif(jsonb_strip_nulls(coalesce(${key}, '{}') || ${parameterOf(key)}), '{}')`;
    const index = key.replace(/cipher$/, 'index');
    // Sealing the same number again gives different bytes, which history would record as a change.
    const value =
      index !== key && keys.includes(index)
        ? `case when ${index} = ${parameterOf(index)} then ${key} else ${parameterOf(key)} end`
        : parameterOf(key);
    return `${key.slice(key.indexOf('.') + 1)} = ${value}`;
  };
  const of = (table: string): string[] => keys.filter((k) => k.startsWith(`${table}.`)).map(assignment);
  const tracking = [
    'updatedpersonid = $3::bigint',
    'updateddate = $4::timestamptz',
    `version = ${root.table}.version + 1`,
  ];
  const derived: string[] = [];
  for (const part of others) {
    const sets = of(part.table);
    if (sets.length === 0) continue;
    derived.push(
      `${part.table} as (
        update public.${part.table} as ${part.table}
        set ${sets.join(', ')}
        from ${root.table}
        where ${part.table}.${part.table}id = ${root.table}.${root.table}id
        returning ${part.table}.*)`,
    );
  }
  return {
    root: `update public.${root.table} as ${root.table}
      set ${[...of(root.table), ...tracking].join(', ')}
      where ${root.table}.${root.table}id = $1::bigint and ($2::integer is null or ${root.table}.version = $2)`,
    derived,
  };
}
