import { fieldLabel } from '../../../kernel/declare/labels.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { recordId, type Row } from '../../../kernel/door/answer.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { today } from '../../../kernel/time/today.ts';
import { table } from '../design/table.ts';
import { openPath } from '../display-values.ts';
import type { Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { columnText } from '../plain-text.ts';
import type { TableColumn } from '../table.ts';
import { isNumber, valueCell } from './list-table.ts';

/** Records of one type inside a page, such as the children of a record. */
export interface RecordTable {
  readonly record: RecordType;
  readonly rows: readonly Row[];
  readonly columns: readonly TableColumn[];
  readonly labels: Labels;
  /** Names the table for screen readers. */
  readonly label: string;
}

/** Renders records with the cells of lists. The first column leads to each of them. */
export function recordTable(call: PageCall, { record, rows, columns, labels, label }: RecordTable): Markup {
  const context = { labels, today: today(call.platform) };
  const cell = (row: Row, column: TableColumn, at: number): Markup =>
    at === 0
      ? labelCell(record, row, column)
      : html`<td${isNumber(column.field) && html` class="number"`}>${valueCell(call, row, column, context)}</td>`;
  return table({
    label,
    heads: columns.map(({ name, field }) => ({ text: fieldLabel(name, field), isNumber: isNumber(field) })),
    rows: rows.map((row) => html`<tr>${columns.map((column, at) => cell(row, column, at))}</tr>\n`),
  });
}

function labelCell(record: RecordType, row: Row, { name }: TableColumn): Markup {
  const id = recordId(record, row);
  const label = columnText(row, name) || `${record.title} ${id}`;
  return html`<th scope="row"><a href="${openPath(record.module, id)}"><bdi>${label}</bdi></a></th>`;
}
