import type { SearchColumns } from '../../kernel/declare/catalog.ts';
import type { ListAnswer, Row } from '../../kernel/door/answer.ts';
import type { Field } from '../../kernel/declare/field-types.ts';
import type { Column, RecordType } from '../../kernel/declare/record.ts';

/** One column of a table of records. */
export interface TableColumn {
  readonly name: string;
  readonly field: Field;
}

/** Columns that are not useful in a list, or are shown in another way. */
const hiddenColumns = new Set([
  'Version',
  'CreatedPersonID',
  'UpdatedPersonID',
  'CreatedDate',
  'RecordClass',
  'Object',
  'ObjectID',
  'FileHash',
  'FilePath',
  'FileObject',
]);
/** Columns of a list, besides the label and the date of the last change. */
const COLUMNS_MAX = 7;
/** Columns of texts up to this many characters are listed whatever they contain. */
const SHORT_TEXT_MAX = 500;
/** Columns of longer texts are listed where no value has more characters. */
const SHORT_VALUE_MAX = 80;

/**
 * Returns the columns in which rows of a record type are listed: its label, status and type first, then the others in
 * which any row has a value.
 */
export function listColumns(
  record: RecordType,
  rows: readonly Row[],
  except: readonly string[] = [],
): readonly TableColumn[] {
  const first = [record.name, 'Status', `${record.name}Type`];
  const useful = onceEach(record.shown).filter(
    ({ name, field }) =>
      !hiddenColumns.has(name) &&
      name !== record.idField &&
      // A number of something that has no page says nothing.
      (field.kind !== 'id' || field.to !== undefined) &&
      !except.includes(name) &&
      isShort(
        field,
        rows.map((row) => row[name]),
      ) &&
      rows.some((row) => hasValue(row[name])),
  );
  const ordered = [
    ...useful.filter(({ name }) => first.includes(name)),
    ...useful.filter(({ name }) => !first.includes(name) && name !== 'UpdatedDate'),
  ];
  const chosen = ordered.slice(0, COLUMNS_MAX);
  const updated = useful.find(({ name }) => name === 'UpdatedDate');
  const shown = chosen.some(({ name }) => name === record.name)
    ? chosen
    : [...record.shown.filter(({ name }) => name === record.name), ...chosen];
  return updated ? [...shown, updated] : shown;
}

/** Returns columns without those that read the same stored value: a derived type may redeclare one of its base. */
export function onceEach(columns: readonly Column[]): readonly Column[] {
  const seen = new Set<string>();
  return columns.filter(({ table, column, field }) => {
    const key = `${table}.${column}`;
    if (field.computed || !seen.has(key)) {
      seen.add(key);
      return true;
    }
    return false;
  });
}

/** Whether a column fits a list: by its type, or because none of its values is long, such as the cells of a matrix. */
function isShort(field: Field, values: readonly unknown[]): boolean {
  if (field.kind === 'json' || field.kind === 'xml') return false;
  if (field.kind !== 'text' || (field.max ?? Number.MAX_SAFE_INTEGER) <= SHORT_TEXT_MAX) return true;
  return values.every(
    (value) =>
      !hasValue(value) || (typeof value === 'string' && value.length <= SHORT_VALUE_MAX && !/[\r\n]/.test(value)),
  );
}

function hasValue(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '';
}

/** Returns the rows of a search, and how many there are in all. */
export function rowsOf<R extends SearchColumns>(
  answer: ListAnswer<R>,
): {
  readonly rows: readonly R[];
  readonly count: number;
  readonly isEstimate: boolean;
} {
  const { rows } = answer;
  const [first] = rows;
  return { rows, count: first?.RecordCount ?? rows.length, isEstimate: first?.RecordCountIsEstimate ?? false };
}
