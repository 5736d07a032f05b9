import type { Row } from '../../door/answer.ts';
import type { Column, RecordType } from '../../declare/record.ts';
import { physical } from '../../database/sql.ts';

/** Columns that change with every save and say nothing of their own. */
const tracking = new Set(['Version', 'CreatedDate', 'CreatedPersonID', 'UpdatedDate', 'UpdatedPersonID']);

interface Hidden {
  readonly column: Column;
  /** `table.column` of what is compared: a protected number's index, because it is sealed anew each time. */
  readonly key: string;
}

const hiddenByRecord = new WeakMap<RecordType, readonly Hidden[]>();

/** The columns whose values never leave, or leave masked; what is stored of them tells whether they changed. */
function hiddenOf(record: RecordType): readonly Hidden[] {
  let hidden = hiddenByRecord.get(record);
  if (!hidden) {
    const columns = new Map(
      [...record.columns.values()]
        .filter((c) => c.read === null || c.field.kind === 'ssn')
        .map((c) => [`${c.table}.${c.column}`, c]),
    );
    hidden = [...columns.values()].map((column) => ({
      column,
      key: `${column.table}.${physical(column).at(-1)?.column ?? column.column}`,
    }));
    hiddenByRecord.set(record, hidden);
  }
  return hidden;
}

/** More of a select list: what {@link changedColumns} needs of a row as it was beside what an answer shows. */
export function hiddenListOf(record: RecordType): string {
  return hiddenOf(record)
    .map(({ key }) => `, ${key} as "${key}"`)
    .join('');
}

/** The names of the columns that an update changed. `before` was selected with {@link hiddenListOf}; `stored` is what was written, by `table.column`. */
export function changedColumns(
  record: RecordType,
  before: Row,
  after: Row,
  stored: ReadonlyMap<string, unknown>,
): string[] {
  const hidden = hiddenOf(record);
  const masked = new Set(hidden.map(({ column }) => column.name));
  return [
    ...record.shown
      .filter(
        (c) => !tracking.has(c.name) && !masked.has(c.name) && canonical(before[c.name]) !== canonical(after[c.name]),
      )
      .map((c) => c.name),
    ...hidden
      .filter(({ key }) => stored.has(key) && canonical(before[key]) !== canonical(stored.get(key)))
      .map(({ column }) => column.name),
  ];
}

/** The names of the columns in which a new row has a value. */
export function filledColumns(record: RecordType, row: Row): string[] {
  return record.shown.filter((c) => !tracking.has(c.name) && (row[c.name] ?? null) !== null).map((c) => c.name);
}

function canonical(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'object' ? JSON.stringify(value) : `=${String(value)}`;
}
