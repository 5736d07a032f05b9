import type { Row } from '../../door/answer.ts';
import type { ColumnName } from '../../declare/columns.ts';
import { trackingNames, type Column, type RecordType } from '../../declare/record.ts';
import { valueText } from '../../parameters/value-text.ts';
import { physicalColumns } from '../../database/sql.ts';

/** A column whose value is never returned, or only masked. */
interface HiddenColumn {
  readonly column: Column;
  /**
   * `table.column` to compare. Of a protected number the blind index, because sealing it twice gives different bytes.
   */
  readonly key: string;
}

const hiddenByRecord = new WeakMap<RecordType, readonly HiddenColumn[]>();

/** Returns the columns that are compared by their stored form, because their values are hidden or masked. */
function hiddenColumns(record: RecordType): readonly HiddenColumn[] {
  let hidden = hiddenByRecord.get(record);
  if (!hidden) {
    const columns = new Map(
      [...record.columns.values()]
        .filter((c) => c.read === null || c.field.kind === 'ssn')
        .map((c) => [`${c.table}.${c.column}`, c]),
    );
    hidden = [...columns.values()].map((column) => ({
      column,
      key: `${column.table}.${physicalColumns(column).at(-1)?.column ?? column.column}`,
    }));
    hiddenByRecord.set(record, hidden);
  }
  return hidden;
}

/**
 * Returns a continuation of the select list: what {@link changedColumns} needs of the old row besides the shown
 * columns.
 */
export function hiddenSelectList(record: RecordType): string {
  return hiddenColumns(record)
    .map(({ key }) => `, ${key} as "${key}"`)
    .join('');
}

/**
 * Returns the names of the columns that an update changed, tracking columns aside. `before` was selected with
 * {@link hiddenSelectList}; `stored` holds the values written, by `table.column`.
 */
export function changedColumns<R extends RecordType>(
  record: R,
  before: Row,
  after: Row,
  stored: ReadonlyMap<string, unknown>,
): ColumnName<R>[] {
  const hidden = hiddenColumns(record);
  const masked = new Set(hidden.map(({ column }) => column.name));
  return [
    ...record.shown
      .filter(
        (c) =>
          !trackingNames.has(c.name) &&
          !masked.has(c.name) &&
          comparableText(before[c.name]) !== comparableText(after[c.name]),
      )
      .map((c) => c.name),
    ...hidden
      .filter(({ key }) => stored.has(key) && comparableText(before[key]) !== comparableText(stored.get(key)))
      .map(({ column }) => column.name),
  ];
}

/** Returns the names of the columns in which a new row has a value, tracking columns aside. */
export function filledColumns<R extends RecordType>(record: R, row: Row): ColumnName<R>[] {
  return record.shown.filter((c) => !trackingNames.has(c.name) && (row[c.name] ?? null) !== null).map((c) => c.name);
}

function comparableText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  // The mark keeps a text that looks like JSON apart from an object.
  return typeof value === 'object' ? JSON.stringify(value) : `=${valueText(value)}`;
}
