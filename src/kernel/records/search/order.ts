import { bad } from '../../parameters/parse-value.ts';
import type { Column, RecordType } from '../../declare/record.ts';
import { idOf, tablesOf, valueSql, valueSqlType } from '../../database/sql.ts';
import { unknownColumn } from './unknown-column.ts';

/** One column of an order. Empty values come last, whatever the direction. */
export interface OrderKey {
  /** SQL of the value. */
  readonly sql: string;
  /** SQL type of the value. */
  readonly type: string;
  readonly isDescending: boolean;
  readonly canBeEmpty: boolean;
  /** SQL of the same value in joined tables. */
  readonly alsoIn: readonly string[];
}

/** Longest name of a column with its direction. */
const ORDER_CHARACTERS_MAX = 200;

/**
 * Returns the sort keys: the columns of `OrderBy`, then the ID, so that no two rows are equal. Omits keys without
 * effect: repeated columns, and all after the ID.
 */
export function orderKeys(record: RecordType, names: readonly string[]): readonly OrderKey[] {
  const id = orderKey(record, 'ID');
  const keys = new Map<string, OrderKey>();
  for (const key of [...names.map((name) => orderKey(record, name)), id]) {
    if (keys.has(id.sql)) break;
    if (!keys.has(key.sql)) keys.set(key.sql, key);
  }
  return [...keys.values()];
}

function orderKey(record: RecordType, text: string): OrderKey {
  if (text.length > ORDER_CHARACTERS_MAX) throw bad('OrderBy', 'names of columns');
  const name = text.replace(/^[-+]/, '').replace(/\s+(asc|desc)$/i, '');
  const column = record.columns.get(name.toLowerCase() === 'id' ? `${record.table}id` : name.toLowerCase());
  if (!column?.read) throw unknownColumn(record, name);
  if (column.field.kind === 'ssn' || column.field.kind === 'json')
    throw bad('OrderBy', `columns to sort by; ${column.name} cannot be sorted`);
  return {
    sql: valueSql(column),
    type: valueSqlType(column),
    isDescending: text.startsWith('-') || /\sdesc$/i.test(text),
    canBeEmpty: !alwaysHasValue(record, column),
    alsoIn: valueSql(column) === idOf(record) ? derivedIds(record) : [],
  };
}

/** Returns SQL of the id in the tables of a derived type besides the root's. */
function derivedIds(record: RecordType): readonly string[] {
  return tablesOf(record)
    .slice(1)
    .map(({ table }) => `${table}.${table}id`);
}

/** Whether a column has a value in every row of the type. */
export function alwaysHasValue(record: RecordType, { table, column }: Column): boolean {
  return table === record.root.table && (column === `${table}id` || column === 'createddate');
}

/** Returns the ORDER BY list of some keys. */
export function orderSql(keys: readonly OrderKey[]): string {
  return keys.map((key) => `${key.sql}${key.isDescending ? descending(key) : ''}`).join(', ');
}

/** Omits NULLS LAST if a column is never empty: a backward scan of its index returns nulls first. */
function descending({ canBeEmpty }: OrderKey): string {
  return canBeEmpty ? ' desc nulls last' : ' desc';
}
