import type { SearchColumns } from '../../kernel/declare/catalog.ts';
import { recordId, type ListAnswer, type Row } from '../../kernel/door/answer.ts';
import type { Field } from '../../kernel/declare/field-types.ts';
import type { RecordType } from '../../kernel/declare/record.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { dataTable } from './components.ts';
import { fieldLabel } from '../../kernel/declare/labels.ts';
import { displayValue, openPath } from './display-values.ts';
import type { Labels } from './labels.ts';
import type { PageCall } from './page-call.ts';
import { columnText } from './plain-text.ts';

/** One column of a table of records. */
export interface TableColumn {
  readonly name: string;
  readonly field: Field;
}

/** Records of one type, with the columns in which they are shown. */
export interface RecordRows {
  readonly record: RecordType;
  readonly rows: readonly Row[];
  readonly columns: readonly TableColumn[];
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
  const useful = record.shown.filter(
    ({ name, field }) =>
      !hiddenColumns.has(name) &&
      name !== record.idField &&
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

/** How a table of records is shown. `caption` names it for screen readers; `head` renders a column's head. */
export interface RecordTableOptions {
  readonly labels: Labels;
  readonly caption: string;
  readonly head?: (column: TableColumn) => Markup;
  /** Renders what follows the name of a record. */
  readonly mark?: (id: number) => Markup | false;
}

/** Renders a table of records whose first column links to each of them. */
export function recordTable(call: PageCall, list: RecordRows, options: RecordTableOptions): Markup {
  const { record, rows, columns } = list;
  const { labels, caption, mark, head = ({ name, field }: TableColumn) => html`${fieldLabel(name, field)}` } = options;
  const cell = (row: Row, column: TableColumn, at: number): Markup =>
    at === 0 ? labelCell(record, row, column, mark) : valueCell(call, row, column, labels);
  return dataTable({
    label: caption,
    caption,
    heads: columns.map((column) => ({ text: head(column), isNumber: isNumber(column.field) })),
    rows: rows.map((row) => html`<tr>${columns.map((column, at) => cell(row, column, at))}</tr>\n`),
  });
}

function labelCell(
  record: RecordType,
  row: Row,
  { name }: TableColumn,
  mark: RecordTableOptions['mark'] = () => false,
): Markup {
  const id = recordId(record, row);
  const label = columnText(row, name) || `${record.title} ${columnText(row, record.idField)}`;
  return html`<th scope="row"><a href="${openPath(record.module, id)}">${label}</a>${mark(id)}</th>`;
}

function valueCell(call: PageCall, row: Row, { name, field }: TableColumn, labels: Labels): Markup {
  return html`<td${isNumber(field) && html` class="number"`}>${displayValue(call, field, row[name], labels)}</td>`;
}

function isNumber({ kind }: Field): boolean {
  return kind === 'money' || kind === 'decimal' || kind === 'integer';
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
