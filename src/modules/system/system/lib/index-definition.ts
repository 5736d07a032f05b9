import type { ConcurrentIndex } from '../../../../kernel/database/concurrent-index.ts';
import { tablesOf, valueSql } from '../../../../kernel/database/sql.ts';
import type { Column, RecordType } from '../../../../kernel/declare/record.ts';
import type { Registry } from '../../../../kernel/declare/registry.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { alwaysHasValue } from '../../../../kernel/records/search/order.ts';

/** Value: equality, ranges and sorting. Contains: `*` searches in text. */
export type IndexKind = 'Value' | 'Contains';

/** A requested index. Columns as in `OrderBy`: a leading minus means descending. */
export interface IndexRequest {
  readonly recordType: string;
  readonly kind: IndexKind;
  readonly columns: readonly string[];
}

/** A checked request: the record type whose table has the columns, and the columns in their declared spelling. */
export interface IndexDefinition extends Omit<ConcurrentIndex, 'name'> {
  readonly recordType: string;
  readonly kind: IndexKind;
  readonly columns: string;
  /** The table's columns in index order, without the ID appended to every index. */
  readonly keys: readonly IndexKey[];
}

/** One column of an index: its name in the table, and its direction in SQL. */
export interface IndexKey {
  readonly column: string;
  readonly direction: '' | ' desc' | ' desc nulls last';
}

/** Most columns of one index. */
const COLUMNS_MAX = 4;
/** Longest text column in a Value index, in characters. */
const TEXT_MAX = 500;
/**
 * Most characters that the text columns of a Value index can have together. PostgreSQL refuses rows whose index entry
 * exceeds 2,704 bytes; a character takes up to four, and the ID and other values add to that.
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
    throw bad(
      'Columns',
      `columns of one table; ${elsewhere.column.name} is not stored in the table of ${table} records`,
    );
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

/** Throws BAD_PARAMETER for a column for which an index would be useless. */
function assertIndexable({ name, field, custom, table, column }: Column, kind: IndexKind): void {
  if (custom) throw bad('Columns', `no custom fields; set IsIndexed on the custom field ${name} instead`);
  if (field.classification === 'secret' || field.classification === 'staff' || field.kind === 'json')
    throw bad('Columns', `sortable columns; ${name} is not`);
  if (column === `${table}id`) throw bad('Columns', `columns that have no index yet; ${name} has one`);
  if (kind === 'Contains' && field.kind !== 'text') throw bad('Columns', `a text column; ${name} is not`);
  const isLong = (field.kind === 'text' && !field.values && (field.max ?? Infinity) > TEXT_MAX) || field.kind === 'xml';
  if (kind === 'Value' && isLong)
    throw bad('Columns', `columns of at most ${TEXT_MAX} characters; ${name} can be longer`);
}

/** Throws BAD_PARAMETER for columns whose longest texts exceed an index entry: such rows could not be saved. */
function assertEntryFits(columns: readonly Column[], kind: IndexKind): void {
  const characters = columns.reduce((sum, { field }) => sum + (field.max ?? 0), 0);
  if (kind === 'Value' && characters > TEXTS_MAX)
    throw bad('Columns', `text columns of at most ${TEXTS_MAX} characters in all; these have ${characters}`);
}

/** SQL of the trigrams of the text, folded as searches fold it. */
function containsIndex([column]: readonly Column[]): string {
  return `using gin ((casewright_fold(${column ? valueSql(column) : ''}) collate "C") gin_trgm_ops)`;
}

/** SQL of the columns' directions. Searches sort empty values last in either direction. */
function indexKey(record: RecordType, column: Column, isDescending: boolean): IndexKey {
  const descending = alwaysHasValue(record, column) ? ' desc' : ' desc nulls last';
  return { column: column.column, direction: isDescending ? descending : '' };
}

/** SQL of the index columns, followed by the ID, which every search sorts by last. */
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
