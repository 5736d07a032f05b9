import type { AnswerFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { textField } from '../design/field.ts';
import type { PageCall } from '../page-call.ts';
import { plainTexts } from '../plain-text.ts';
import { countWithNoun } from './import-display.ts';

/** The failed rows of an import, with their cells. */
export type FailedRows = AnswerFor<'importfile/failedrows'>['root'];
/** A failed row. */
export type FailedRow = FailedRows['children'][number];

/** A cell of a failed row. */
interface Cell {
  readonly column: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly isAbsent: boolean;
}

/** What was entered, by the name of the cell's field. */
export type EnteredCells = ReadonlyMap<string, string>;

/** How the cells of a row are shown. */
interface RowFields {
  /** Precedes the columns, where several rows are corrected at once: `2/`. */
  readonly prefix: string;
  readonly entered: EnteredCells;
  /** Whether the first wrong cell gets the focus. */
  readonly isFirst: boolean;
}

/**
 * Renders the cells of a failed row to be corrected: wrong ones first, each with its reason, then the others by the
 * element around them, and what was not sent on request.
 */
export function rowFields(row: FailedRow, { prefix, entered, isFirst }: RowFields): Markup {
  const cells = cellsOf(row);
  const wrong = cells.filter(({ problem }) => problem !== undefined);
  const given = cells.filter(({ problem, isAbsent, value }) => problem === undefined && !isAbsent && value !== '');
  const empty = cells.filter(({ problem, isAbsent, value }) => problem === undefined && (isAbsent || value === ''));
  const shown = new Set(wrong.map(({ problem }) => problem));
  const others = reasonsOf(row).filter((reason) => !shown.has(reason));
  const field = (cell: Cell, n: number): Markup => {
    const name = prefix + cell.column;
    const hasFocus = isFirst && n === 0 && cell.problem !== undefined;
    return html`${hiddenField('Column', name)}${hiddenField('Before', cell.value)}
${textField({
  label: cellLabel(cell.column),
  name: 'Cell',
  id: `cell-${name.replace(/[^\w]+/g, '-')}`,
  value: entered.get(name) ?? cell.value,
  error: cell.problem,
  attributes: html`autocomplete="off"${hasFocus && html` autofocus`}`,
})}`;
  };
  return html`${others.map((reason) => banner({ tone: 'danger', text: reason }))}
${wrong.length > 0 && html`<div class="cells wrong">${wrong.map(field)}</div>`}
${sections(given).map(
  ([around, inside]) =>
    html`<fieldset class="cell-group">${
      around !== '' && html`<legend>${around}</legend>`
    }<div class="cells">${inside.map(field)}</div></fieldset>`,
)}
${
  empty.length > 0 &&
  html`<details class="cell-group"${given.length + wrong.length === 0 && html` open`}><summary>${countWithNoun(
    empty.length,
    'value',
  )} not sent</summary><div class="cells">${empty.map(field)}</div></details>`
}`;
}

function cellsOf({ children, attributes: { SourceColumn: wrong, Message: message } }: FailedRow): readonly Cell[] {
  return children.flatMap((node) => {
    if (node.name !== 'Value') return [];
    const { Source: column, Problem: problem, Absent: isAbsent } = node.attributes;
    const isWrong = column.trim().toLowerCase() === wrong?.trim().toLowerCase();
    return [
      { column, value: node.value, problem: problem ?? (isWrong ? message : undefined), isAbsent: isAbsent === true },
    ];
  });
}

function reasonsOf({ children }: FailedRow): readonly string[] {
  return children.flatMap((node) => (node.name === 'Reason' ? [node.value] : []));
}

/** Returns the name of a cell within its section: the last step of its path. */
function cellLabel(column: string): string {
  return (column.split('/').at(-1) ?? column).replace(/^\+/, '').replace(/^@/, '').replace('@', ' ') || column;
}

/** Groups cells by the element around them: `Loan`, `Borrowers, BorrowerItem 2`. Cells of flat files have none. */
function sections(cells: readonly Cell[]): readonly (readonly [around: string, cells: readonly Cell[]])[] {
  const groups = new Map<string, Cell[]>();
  for (const cell of cells) {
    const around = cell.column
      .split('/')
      .slice(0, -1)
      .map((step) => step.replace(/\[(\d+)\]$/, ' $1'))
      .join(', ');
    const group = groups.get(around) ?? [];
    group.push(cell);
    groups.set(around, group);
  }
  return [...groups];
}

/** Returns the cells that differ from what the page showed, as a query string. */
export function changedCells({ form }: PageCall): URLSearchParams {
  const [columns, before, after] = ['Column', 'Before', 'Cell'].map((name) => plainTexts(form[name]));
  const changes = new URLSearchParams();
  for (const [at, column] of (columns ?? []).entries())
    if (before?.[at] !== after?.[at]) changes.set(column, after?.[at] ?? '');
  return changes;
}

/** Returns what was entered, by column. */
export function enteredCells({ form }: PageCall): EnteredCells {
  const cells = plainTexts(form['Cell']);
  return new Map(plainTexts(form['Column']).map((column, at) => [column, cells[at] ?? '']));
}
