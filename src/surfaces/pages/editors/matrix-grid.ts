import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { Differences } from '../../../lib/decision-tables/differences.ts';
import type { Grid, GridColumn } from '../../../lib/decision-tables/grid.ts';
import { icon } from '../design/icons.ts';
import { isNumeric, shownCell, type RowMark, type SentFinding } from '../shared/matrix-cell.ts';

/** A table to render, with what is marked in it. */
export interface ShownGrid {
  readonly address: string;
  readonly name: string;
  readonly grid: Grid;
  readonly differences: Differences;
  readonly marks: readonly RowMark[];
  readonly findings: readonly SentFinding[];
  readonly mayEdit: boolean;
}

/** Renders the rules as a grid. Rows lead to forms, for browsers without script. */
export function matrixGrid(shown: ShownGrid): Markup {
  const { grid, name, address, mayEdit } = shown;
  const rows = grid.rows.map((cells, at) => gridRow(shown, cells, at));
  // Removed rows are where they were, after the row before them.
  const removed = shown.differences.rows.filter((row) => row.kind === 'removed').reverse();
  for (const row of removed) rows.splice(row.at, 0, removedRow(grid, row.cells));
  return html`<matrix-grid class="matrix-scroll scroll">
<table class="matrix ${widthClass(grid.columns.length)}" role="grid" aria-label="Rules of ${name}"
aria-rowcount="${grid.rows.length + 2}">
<thead role="rowgroup">
<tr role="row"><td class="gutter" role="gridcell"></td><td class="row-number" role="gridcell"></td>${grid.columns.map(
    columnHead,
  )}</tr>
${weightRow(grid, mayEdit)}
</thead>
${groupsOf(rows).map((group) => html`<tbody role="rowgroup">${group}</tbody>`)}
${gapRows(shown)}
</table>
${
  mayEdit &&
  html`<p class="matrix-new"><a class="button quiet" href="${address}/rows/new" data-command="append">${icon(
    'plus',
    14,
  )}<span>New row</span><span class="keys"><kbd>Ctrl</kbd><kbd>Enter</kbd></span></a></p>`
}
</matrix-grid>`;
}

/** Most gaps that the grid offers to fill; the others are among the problems. */
const GAPS_SHOWN_MAX = 5;

/** Renders a row for each of the first gaps, with the cells of a row that would fill it. */
function gapRows({ grid, findings, address, mayEdit }: ShownGrid): Markup {
  const gaps = findings
    .filter(({ Finding, Cells, AcceptedReason }) => Finding === 'Gap' && Cells && typeof AcceptedReason !== 'string')
    .slice(0, GAPS_SHOWN_MAX);
  const outputs = grid.columns.filter(({ kind }) => kind === 'Output').length;
  return html`<tbody role="rowgroup" id="gaps">${gaps.map(({ Cells = {}, Description }) => {
    const query = new URLSearchParams(
      Object.entries(Cells ?? {}).map(([name, cell]): [string, string] => [`cell.${name}`, cell]),
    );
    const cells = grid.columns.flatMap((column, at) =>
      column.kind === 'Input'
        ? [
            html`<td role="gridcell" class="${classesOf(column, at, grid.columns)}">${shownText(
              Cells?.[column.name] ?? '',
              column,
            )}</td>`,
          ]
        : [],
    );
    const add =
      mayEdit &&
      html` <a class="link" href="${address}/rows/new?${query.toString()}" data-command="fill"
data-cells="${JSON.stringify(Cells)}">Add a row</a>`;
    return html`<tr role="row" class="gap"><td class="gutter" role="gridcell"><span class="mark warning"
title="${Description}">${icon('warning', 14)}<span class="hidden">Gap</span></span></td>
<th scope="row" role="rowheader" class="row-number"><span class="hidden">Gap</span></th>${cells}<td role="gridcell"
class="output first-output" colspan="${Math.max(1, outputs)}">No row covers this.${add}</td></tr>`;
  })}</tbody>`;
}

/** Renders the gaps as a table by themselves: the script of the editor takes its rows after a save. */
export function gapTable(shown: ShownGrid): Markup {
  return html`<table class="matrix" role="grid" aria-label="Values that no row covers">${gapRows(shown)}</table>`;
}

/** Rows of a group, which browsers lay out together. */
const GROUP_ROWS = 50;

function groupsOf(rows: readonly Markup[]): (readonly Markup[])[] {
  const groups = Array.from({ length: Math.ceil(rows.length / GROUP_ROWS) }, (_, at) =>
    rows.slice(at * GROUP_ROWS, (at + 1) * GROUP_ROWS),
  );
  return groups.length === 0 ? [[]] : groups;
}

/** The style sheet knows the width of tables with at most so many columns. */
const WIDTH_STEPS = [8, 12, 16, 24, 48, 200];

const widthClass = (columns: number): string => `columns-${WIDTH_STEPS.find((step) => columns <= step) ?? 200}`;

function columnHead(column: GridColumn, at: number, columns: readonly GridColumn[]): Markup {
  const unit = unitOf(column);
  return html`<th scope="col" role="columnheader" class="${classesOf(column, at, columns)}">${column.name}${
    unit !== '' && html`<span class="unit">${unit}</span>`
  }</th>`;
}

/** The unit or type of a column, as its head shows it. */
function unitOf({ type, objectType }: GridColumn): string {
  if (type === 'Money') return '$';
  if (type === 'Object') return objectType ?? '';
  if (type === 'Boolean') return 'yes or no';
  if (type === 'Date' || type === 'Number') return type.toLowerCase();
  return '';
}

function classesOf({ kind, type }: GridColumn, at: number, columns: readonly GridColumn[]): string {
  const isFirst = kind === 'Output' && columns[at - 1]?.kind !== 'Output';
  return [
    ...(kind === 'Output' ? ['output'] : []),
    ...(isFirst ? ['first-output'] : []),
    ...(isNumeric(type) ? ['number'] : []),
  ].join(' ');
}

function weightRow({ columns }: Grid, mayEdit: boolean): Markup {
  const most = Math.max(1, ...columns.map(({ weight }) => Number(weight ?? 0)));
  const cells = columns.map((column, at) => {
    if (column.kind === 'Output') {
      const isFirst = columns[at - 1]?.kind !== 'Output';
      return html`<td role="gridcell" class="${classesOf(column, at, columns)}">${
        isFirst && html`<span class="muted small">Highest sum wins.</span>`
      }</td>`;
    }
    const width = Math.round((Number(column.weight ?? 0) / most) * 36);
    const field = mayEdit
      ? html`<input class="input number" value="${column.weight}" inputmode="decimal" data-weight="${at}"
aria-label="Weight of ${column.name}">`
      : html`<span>${column.weight}</span>`;
    return html`<td role="gridcell"><span class="row">${field}<svg width="36" height="4" viewBox="0 0 36 4"
aria-hidden="true"><rect
 class="track" width="36" height="4" rx="2"/><rect class="fill" width="${width}" height="4" rx="2"/></svg></span></td>`;
  });
  return html`<tr role="row" class="weights"><td class="gutter" role="gridcell"></td><th scope="row" role="rowheader"
 class="row-number">${icon('settings', 14)}<span class="hidden">Weights</span></th>${cells}</tr>`;
}

function gridRow(
  { address, grid, differences, marks, mayEdit }: ShownGrid,
  cells: readonly string[],
  at: number,
): Markup {
  const difference = differences.rows.find((row) => row.kind !== 'removed' && row.after === at);
  const own = marks.filter(({ row }) => row === at);
  const former = new Map(
    difference?.kind === 'changed' ? difference.cells.map((cell) => [cell.column, cell.before]) : [],
  );
  const number = mayEdit ? html`<a href="${address}/rows/${at + 1}">${at + 1}</a>` : html`${at + 1}`;
  const kind = difference === undefined ? '' : ` ${difference.kind}`;
  return html`<tr role="row" id="row-${at + 1}" class="rule${kind}"><td class="gutter" role="gridcell">${gutter(
    own,
    difference?.kind,
  )}</td><th scope="row" role="rowheader" class="row-number">${number}</th>${cells.map((text, column) => {
    const head = grid.columns[column] as GridColumn;
    const fault = own.find((mark) => mark.column === column);
    const isFirstCell = at === 0 && column === 0;
    return html`<td role="gridcell" class="${[
      classesOf(head, column, grid.columns),
      former.has(column) && 'differs',
      fault?.severity,
    ]
      .filter(Boolean)
      .join(' ')}"${isFirstCell && html` tabindex="0"`}${
      fault?.severity === 'error' && html` aria-invalid="true" title="${fault.text}"`
    }>${cellContent(text, head, former.get(column))}</td>`;
  })}</tr>`;
}

function gutter(marks: readonly RowMark[], difference: 'added' | 'changed' | 'removed' | undefined): Markup {
  const worst = marks.find(({ severity }) => severity === 'error') ?? marks[0];
  if (worst)
    return html`<a class="mark ${worst.severity}" href="#problems"
title="${marks.map(({ text }) => text).join('\n')}">${icon(
      worst.severity,
      14,
    )}<span class="hidden">${marks.map(({ text }) => text).join(' ')}</span></a>`;
  if (difference === undefined) return html``;
  const sign = { added: '+', changed: '±', removed: '−' }[difference];
  return html`<span class="change-mark ${difference}" title="${difference} in this draft">${sign}<span class="hidden">
${difference} in this draft</span></span>`;
}

/** Renders the content of a cell, with its text before where the draft changes it. */
function cellContent(text: string, column: GridColumn, before: string | undefined): Markup {
  const now = shownText(text, column);
  if (before === undefined) return now;
  return html`<del>${shownText(before, column)}</del> <ins>${now}</ins>`;
}

function shownText(text: string, column: GridColumn): Markup {
  const shown = shownCell(text, column);
  if (shown.isAny) return html`<span class="any">any</span>`;
  return html`${shown.isNegated && html`<span class="not">not</span> `}${shown.text}`;
}

function removedRow({ columns }: Grid, cells: readonly string[]): Markup {
  const shown = columns.map(
    (column, at) =>
      html`<td role="gridcell" class="${classesOf(column, at, columns)}">${shownText(cells[at] ?? '', column)}</td>`,
  );
  return html`<tr role="row" class="removed"><td class="gutter" role="gridcell">${gutter([], 'removed')}</td>
<th scope="row" role="rowheader" class="row-number"><span class="hidden">removed</span></th>${shown}</tr>`;
}
