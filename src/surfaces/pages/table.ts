import type { ListAnswer, Row } from '../../kernel/door/answer.ts';
import type { Field } from '../../kernel/declare/field-types.ts';
import type { RecordType } from '../../kernel/declare/record.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import type { Labels } from './labels.ts';
import type { PageCall } from './page-call.ts';
import { fieldLabel, recordPath, displayValue } from './display-values.ts';

/** One column of a table of records. */
export interface TableColumn {
  readonly name: string;
  readonly field: Field;
}

/** Columns that say nothing in a list, or are shown otherwise. */
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
/** Columns of a list unless the reader chooses others. */
const COLUMNS_MAX = 7;
/** Columns of texts of at most so many characters are listed whatever is in them. */
const SHORT_TEXT_MAX = 500;
/** Columns of longer texts are listed where no value has more characters. */
const SHORT_VALUE_MAX = 80;

/** The columns in which a record type's rows are listed: the label and where it stands first, then what the rows have values in. */
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

/** Whether a column fits a list: by its type, or since no value of these rows is long, such as the cells of a matrix, which could be. */
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

/** A table of records, the first column linking to each. `caption` names it for screen readers. */
export function recordTable(
  call: PageCall,
  record: RecordType,
  rows: readonly Row[],
  of: {
    readonly columns: readonly TableColumn[];
    readonly labels: Labels;
    readonly caption: string;
    readonly head?: (column: TableColumn) => Markup;
  },
): Markup {
  const { columns, labels, caption, head = ({ name, field }) => html`${fieldLabel(name, field)}` } = of;
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table><caption class="hidden">${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col"${isNumber(column.field) && html` class="number"`}>${head(column)}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${columns.map((column, at) => cell(call, record, row, column, at, labels))}</tr>\n`)}</tbody></table></div>`;
}

function cell(call: PageCall, record: RecordType, row: Row, column: TableColumn, at: number, labels: Labels): Markup {
  const value = displayValue(call, column.field, row[column.name], labels);
  if (at > 0) return html`<td${isNumber(column.field) && html` class="number"`}>${value}</td>`;
  const label = String(row[column.name] ?? '') || `${record.name} ${String(row[record.idField])}`;
  return html`<th scope="row"><a href="${recordPath(record.module, Number(row[record.idField]))}">${label}</a></th>`;
}

function isNumber({ kind }: Field): boolean {
  return kind === 'money' || kind === 'decimal' || kind === 'integer';
}

/** The rows of a search, and how many there are in all. */
export function rowsOf(answer: ListAnswer): {
  readonly rows: readonly Row[];
  readonly count: number;
  readonly isEstimate: boolean;
} {
  const rows = answer.rows;
  return {
    rows,
    count: Number(rows[0]?.['RecordCount'] ?? rows.length),
    isEstimate: rows[0]?.['RecordCountIsEstimate'] === true,
  };
}
