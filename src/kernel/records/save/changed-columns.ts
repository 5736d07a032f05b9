import type { Row } from '../../door/answer.ts';
import type { Column, RecordType } from '../../declare/record.ts';
import { physicalColumns } from '../../database/sql.ts';

/** Columns that change with every save and say nothing of their own. */
const tracking = new Set(['Version', 'CreatedDate', 'CreatedPersonID', 'UpdatedDate', 'UpdatedPersonID']);

interface HiddenColumn {
  readonly column: Column;
  /** `table.column` of what is compared: a protected number's index, because it is sealed anew each time. */
  readonly key: string;
}

const hiddenByRecord = new WeakMap<RecordType, readonly HiddenColumn[]>();

/** The columns whose values never leave, or leave masked; what is stored of them tells whether they changed. */
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

/** More of a select list: what {@link changedColumns} needs of a row as it was beside what an answer shows. */
export function hiddenSelectList(record: RecordType): string {
  return hiddenColumns(record)
    .map(({ key }) => `, ${key} as "${key}"`)
    .join('');
}

/** The names of the columns that an update changed. `before` was selected with {@link hiddenSelectList}; `stored` is what was written, by `table.column`. */
export function changedColumns(
  record: RecordType,
  before: Row,
  after: Row,
  stored: ReadonlyMap<string, unknown>,
): string[] {
  const hidden = hiddenColumns(record);
  const masked = new Set(hidden.map(({ column }) => column.name));
  return [
    ...record.shown
      .filter(
        (c) =>
          !tracking.has(c.name) &&
          !masked.has(c.name) &&
          comparableText(before[c.name]) !== comparableText(after[c.name]),
      )
      .map((c) => c.name),
    ...hidden
      .filter(({ key }) => stored.has(key) && comparableText(before[key]) !== comparableText(stored.get(key)))
      .map(({ column }) => column.name),
  ];
}

/** The names of the columns in which a new row has a value. */
export function filledColumns(record: RecordType, row: Row): string[] {
  return record.shown.filter((c) => !tracking.has(c.name) && (row[c.name] ?? null) !== null).map((c) => c.name);
}

function comparableText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'object' ? JSON.stringify(value) : `=${String(value)}`;
}
