import type { Differences } from '../../../../lib/decision-tables/differences.ts';
import type { GridColumn } from '../../../../lib/decision-tables/grid.ts';
import { readCell } from '../../../../lib/decision-tables/read-cell.ts';
import type { InputType } from '../../../../lib/decision-tables/input-value.ts';
import { isNumeric, shownCell, type RowMark } from '../../shared/matrix-cell.ts';

/** Returns an element with a class and content. */
function element(name: string, className: string, ...content: readonly (string | Node)[]): HTMLElement {
  const made = document.createElement(name);
  if (className !== '') made.className = className;
  made.append(...content);
  return made;
}

/** Shows a cell's text, with the text before where the draft changes it. */
export function showCell(cell: HTMLElement, column: GridColumn, text: string, before?: string): void {
  const now = shownNodes(text, column);
  if (before === undefined) cell.replaceChildren(...now);
  else cell.replaceChildren(element('del', '', ...shownNodes(before, column)), ' ', element('ins', '', ...now));
  cell.classList.toggle('differs', before !== undefined);
  const reading = column.kind === 'Input' ? readCell(text, (column.type ?? undefined) as InputType) : undefined;
  const isWrong = reading?.kind === 'unreadable';
  cell.classList.toggle('error', isWrong);
  if (isWrong) {
    cell.setAttribute('aria-invalid', 'true');
    cell.title = `Expected ${reading.expected}.`;
  } else {
    cell.removeAttribute('aria-invalid');
    cell.removeAttribute('title');
  }
}

function shownNodes(text: string, column: GridColumn): (string | Node)[] {
  const shown = shownCell(text, column);
  if (shown.isAny) return [element('span', 'any', 'any')];
  return shown.isNegated ? [element('span', 'not', 'not'), ' ', shown.text] : [shown.text];
}

/** Returns an empty row of the grid. */
export function newRow(columns: readonly GridColumn[]): HTMLElement {
  const row = element('tr', 'rule');
  row.setAttribute('role', 'row');
  const gutter = element('td', 'gutter');
  gutter.setAttribute('role', 'gridcell');
  const number = element('th', 'row-number');
  number.setAttribute('role', 'rowheader');
  number.setAttribute('scope', 'row');
  row.append(gutter, number);
  for (const [at, column] of columns.entries()) {
    const isFirst = column.kind === 'Output' && columns[at - 1]?.kind !== 'Output';
    const names = [
      column.kind === 'Output' ? 'output' : '',
      isFirst ? 'first-output' : '',
      isNumeric(column.type) ? 'number' : '',
    ];
    const cell = element('td', names.join(' ').trim());
    cell.setAttribute('role', 'gridcell');
    row.append(cell);
  }
  return row;
}

/** Shows a row that the draft removes; it cannot be edited. */
export function removedRow(columns: readonly GridColumn[], cells: readonly string[]): HTMLElement {
  const row = newRow(columns);
  row.className = 'removed';
  row.firstElementChild?.append(changeMark('removed'));
  for (const [at, column] of columns.entries())
    row.children[at + 2]?.replaceChildren(...shownNodes(cells[at] ?? '', column));
  return row;
}

/** What became of a row in the draft. */
export type RowChange = Differences['rows'][number]['kind'];

function changeMark(kind: RowChange): HTMLElement {
  const sign = { added: '+', changed: '±', removed: '−' }[kind];
  const mark = element('span', `change-mark ${kind}`, sign, element('span', 'hidden', ` ${kind} in this draft`));
  mark.title = `${kind} in this draft`;
  return mark;
}

/** Shows in the margin of a row what is wrong with it, or what the draft changes. */
export function showGutter(row: HTMLElement, marks: readonly RowMark[], change: RowChange | undefined): void {
  const gutter = row.firstElementChild as HTMLElement;
  const worst = marks.find(({ severity }) => severity === 'error') ?? marks[0];
  if (!worst) {
    gutter.replaceChildren(...(change === undefined ? [] : [changeMark(change)]));
    return;
  }
  const words = marks.map(({ text }) => text);
  const link = element(
    'a',
    `mark ${worst.severity}`,
    sampleIcon(worst.severity),
    element('span', 'hidden', words.join(' ')),
  );
  link.setAttribute('href', '#problems');
  link.setAttribute('tabindex', '-1');
  link.title = words.join('\n');
  gutter.replaceChildren(link);
}

/** Returns an icon that the page already has in its problems or margins; a sign in words otherwise. */
function sampleIcon(severity: RowMark['severity']): Node {
  const sample = document.querySelector(`.editor-problems .${severity} > .icon, .matrix .mark.${severity} > .icon`);
  if (!sample) return document.createTextNode(severity === 'error' ? '!' : '△');
  const copy = sample.cloneNode(true) as Element;
  copy.setAttribute('class', 'icon icon-14');
  return copy;
}
