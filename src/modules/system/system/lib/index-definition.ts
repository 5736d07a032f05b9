import type { ConcurrentIndex } from '../../../../kernel/database/concurrent-index.ts';
import { tablesOf, valueSql } from '../../../../kernel/database/sql.ts';
import type { Column, RecordType } from '../../../../kernel/declare/record.ts';
import type { Registry } from '../../../../kernel/declare/registry.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { alwaysHasValue } from '../../../../kernel/records/search/order.ts';

/** Value: equality, ranges and order. Contains: texts with `*`. */
export type IndexKind = 'Value' | 'Contains';

/** What an administrator asks for. Columns as in `OrderBy`: a leading minus is descending. */
export interface IndexRequest {
  readonly recordType: string;
  readonly kind: IndexKind;
  readonly columns: readonly string[];
}

/** A checked request: the record type whose table has the columns, and these in their declared spelling. */
export interface IndexDefinition extends Omit<ConcurrentIndex, 'name'> {
  readonly recordType: string;
  readonly kind: IndexKind;
  readonly columns: string;
  /** The columns of the table in the order of the index, without the id that ends it. */
  readonly keys: readonly IndexKey[];
}

/** One column of an index: its name in the table, and its direction in SQL. */
export interface IndexKey {
  readonly column: string;
  readonly direction: '' | ' desc' | ' desc nulls last';
}

/** Most columns of one index. */
const COLUMNS_MAX = 4;
/** Longest text in an index of values. */
const TEXT_MAX = 500;
/**
 * Longest texts of an index of values together. PostgreSQL refuses a row whose entry has more than 2,704 bytes: these
 * have four for each character, and the id and other values come to it.
 */
const TEXTS_MAX = 640;

/**
 * Returns the index that a request asks for.
 * @throws BAD_PARAMETER if the columns cannot have it, UNKNOWN_PARAMETER for an unknown record type or column
 */
export function indexDefinition(registry: Registry, { recordType, kind, columns }: IndexRequest): IndexDefinition {
  const record = registry.requireRecord(recordType, 'RecordType');
  if (columns.length === 0 || columns.length > COLUMNS_MAX) throw bad('Columns', `1 to ${COLUMNS_MAX} columns`);
  if (kind === 'Contains' && columns.length > 1) throw bad('Columns', 'one column for an index of the kind Contains');
  const keys = columns.map((text) => ({
    column: columnOf(record, text.replace(/^-/, '')),
    isDescending: text.startsWith('-') && kind === 'Value',
  }));
  for (const { column } of keys) assertIndexable(column, kind);
  assertEntryFits(
    keys.map(({ column }) => column),
    kind,
  );
  const [table = ''] = new Set(keys.map(({ column }) => column.table));
  const elsewhere = keys.find(({ column }) => column.table !== table);
  if (elsewhere)
    throw bad('Columns', `columns of one table; ${elsewhere.column.name} is not in the one of ${table} records`);
  if (new Set(keys.map(({ column }) => column.column)).size < keys.length) throw bad('Columns', 'each column once');
  const sorted = keys.map(({ column, isDescending }) => indexKey(record, column, isDescending));
  const owner = tablesOf(record).find((of) => of.table === table) ?? record;
  return {
    recordType: owner.name,
    kind,
    columns: keys.map(({ column, isDescending }) => `${isDescending ? '-' : ''}${column.name}`).join(),
    keys: sorted,
    table,
    using: kind === 'Contains' ? containsIndex(keys.map(({ column }) => column)) : valueIndex(table, sorted),
  };
}

function columnOf(record: RecordType, name: string): Column {
  const column = record.columns.get(name.toLowerCase() === 'id' ? `${record.table}id` : name.toLowerCase());
  if (column?.read) return column;
  throw bad('Columns', `columns of ${record.name}; it has none named ${name.slice(0, 60)}`);
}

/** Throws BAD_PARAMETER for a column whose searches the index would not serve. */
function assertIndexable({ name, field, custom, table, column }: Column, kind: IndexKind): void {
  if (custom) throw bad('Columns', `declared columns; set IsIndexed of the custom field ${name} instead`);
  if (field.classification === 'secret' || field.classification === 'staff' || field.kind === 'json')
    throw bad('Columns', `columns that can be sorted by; ${name} cannot`);
  if (column === `${table}id`) throw bad('Columns', `columns without an index; ${name} has one`);
  if (kind === 'Contains' && field.kind !== 'text') throw bad('Columns', `a column of texts; ${name} is none`);
  const isLong = (field.kind === 'text' && !field.values && (field.max ?? Infinity) > TEXT_MAX) || field.kind === 'xml';
  if (kind === 'Value' && isLong)
    throw bad('Columns', `texts of at most ${TEXT_MAX} characters; ${name} has longer ones`);
}

/** Throws BAD_PARAMETER for columns whose longest texts no index of values can hold: such rows could not be saved. */
function assertEntryFits(columns: readonly Column[], kind: IndexKind): void {
  const characters = columns.reduce((sum, { field }) => sum + (field.max ?? 0), 0);
  if (kind === 'Value' && characters > TEXTS_MAX)
    throw bad('Columns', `columns whose texts have at most ${TEXTS_MAX} characters together; these have ${characters}`);
}

/** Trigrams of the text as the search folds it. */
function containsIndex([column]: readonly Column[]): string {
  return `using gin ((casewright_fold(${column ? valueSql(column) : ''}) collate "C") gin_trgm_ops)`;
}

/** An order of a search that is descending has the empty values last, unless there are none. */
function indexKey(record: RecordType, column: Column, isDescending: boolean): IndexKey {
  const descending = alwaysHasValue(record, column) ? ' desc' : ' desc nulls last';
  return { column: column.column, direction: isDescending ? descending : '' };
}

/** The id ends the index: it decides between equal rows in every order. */
function valueIndex(table: string, keys: readonly IndexKey[]): string {
  const columns = keys.map(({ column, direction }) => `"${column}"${direction}`);
  return `using btree (${[...columns, `"${table}id"`].join(', ')})`;
}

/** Returns the name of an index in the database. No migration creates such names. */
export function indexName(id: number): string {
  return `searchindex_${id}`;
}

/** Matches the names of the indexes that administrators have added. */
export const INDEX_NAMES = '^searchindex_[0-9]+$';

/** Throws NO_PERMISSION unless the caller has universal access: indexes serve all firms. */
export function assertUniversal(user: { readonly universal: boolean }): void {
  if (!user.universal)
    throw new PlatformError('NO_PERMISSION', {
      message: 'Only users with universal access can see or change indexes.',
    });
}
