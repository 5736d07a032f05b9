import { groupDigits, withCents } from '../shared/amounts.ts';
import { announce } from './announce.ts';

/** Stands for the place of a row in the template of new ones. */
const NEW_ROW = '[#]';

/** What the server says about an answer with rows. */
export interface EvaluatedRows {
  readonly Columns?: readonly { readonly Name: string; readonly Total?: string }[];
  readonly CellProblems?: readonly { readonly Row: number; readonly Column?: string; readonly Text: string }[];
}

type CellField = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * The table in which the rows of an answer are entered: adds and removes rows. Its answer is a JSON list with an object
 * for each row. `data-rows`: the name of the question; `data-max`: most rows.
 */
export class AnswerRows extends HTMLElement {
  private removed: { readonly row: HTMLTableRowElement; readonly next: Element | null } | undefined;
  private nextPlace = 0;
  private isReady = false;

  connectedCallback(): void {
    // The empty rows for users without script.
    for (const row of this.querySelectorAll('tr.without-script')) row.remove();
    this.nextPlace = Math.max(this.nextPlace, this.rows.length);
    if (this.isReady) return;
    this.isReady = true;
    this.addEventListener('click', this.press);
    this.addEventListener('keydown', this.enter);
  }

  /** The name of the question. */
  get question(): string {
    return this.dataset['rows'] ?? '';
  }

  /** The rows as one text, with empty ones in their places; empty if all are. */
  get answer(): string {
    const rows = this.rows.map((row) =>
      Object.fromEntries(cellsOf(row).flatMap(([name, { value }]) => (value.trim() === '' ? [] : [[name, value]]))),
    );
    const count = rows.findLastIndex((row) => Object.keys(row).length > 0) + 1;
    return count === 0 ? '' : JSON.stringify(rows.slice(0, count));
  }

  /** Shows these rows instead of those that are there. */
  fill(answer: string): void {
    const rows = answer === '' ? [] : (JSON.parse(answer) as readonly Readonly<Record<string, string>>[]);
    for (const row of this.rows) row.remove();
    const shown: readonly Readonly<Record<string, string>>[] = rows.length === 0 ? [{}] : rows;
    for (const cells of shown) {
      const row = this.appendRow();
      for (const [name, field] of row ? cellsOf(row) : []) field.value = cells[name] ?? '';
    }
  }

  /** Shows the sums of amounts, and what is wrong with cells. */
  show({ Columns: columns = [], CellProblems: problems = [] }: EvaluatedRows): void {
    for (const output of this.querySelectorAll<HTMLElement>('[data-total]')) {
      const total = columns.find(({ Name }) => Name === output.dataset['total'])?.Total ?? '';
      output.textContent = total === '' ? '–' : groupDigits(withCents(total));
    }
    for (const [at, row] of this.rows.entries())
      for (const [name, field] of cellsOf(row)) {
        const problem = problems.find(({ Row: number, Column: column }) => number === at + 1 && column === name);
        showCell(field, (problem?.Text ?? '').replace(`${this.question}[${at + 1}].${name}: `, ''));
      }
  }

  private get rows(): readonly HTMLTableRowElement[] {
    return [...this.querySelectorAll<HTMLTableRowElement>('tbody tr[data-row]')];
  }

  private readonly press = (event: MouseEvent): void => {
    const pressed = event.target instanceof Element ? event.target.closest('button') : null;
    if (!pressed) return;
    const { dataset } = pressed;
    if (dataset['addRow'] !== undefined) {
      // Without script the button sends the form.
      event.preventDefault();
      this.add();
    } else if (dataset['removeRow'] !== undefined) this.removeRow(pressed.closest('tr'));
    else if (dataset['undo'] !== undefined) this.restore();
  };

  /** Enter goes to the same column of the next row, and adds one after the last. */
  private readonly enter = (event: KeyboardEvent): void => {
    const { target, key } = event;
    if (key !== 'Enter' || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!(target instanceof HTMLInputElement)) return;
    event.preventDefault();
    const row = target.closest('tr');
    const name = target.closest<HTMLElement>('[data-cell]')?.dataset['cell'];
    const next = this.rows[this.rows.findIndex((each) => each === row) + 1];
    if (next) fieldOf(next, name)?.focus();
    else {
      target.dispatchEvent(new Event('change', { bubbles: true }));
      this.add();
    }
  };

  /** Adds an empty row at the end, with the focus in its first cell. */
  private add(): void {
    const row = this.appendRow();
    if (!row) {
      this.note(`At most ${this.dataset['max'] ?? ''} rows are possible.`, false);
      return;
    }
    this.note('', false);
    fieldOf(row)?.focus();
    announce(`Row ${this.rows.length} added.`);
  }

  private appendRow(): HTMLTableRowElement | undefined {
    const template = this.querySelector('template');
    if (!template || this.rows.length >= Number(this.dataset['max'])) return undefined;
    const row = document.importNode(template.content, true).querySelector('tr');
    if (!row) return undefined;
    const place = `[${this.nextPlace++}]`;
    for (const element of row.querySelectorAll('*'))
      for (const { name, value } of [...element.attributes])
        if (value.includes(NEW_ROW)) element.setAttribute(name, value.replaceAll(NEW_ROW, place));
    this.querySelector('tbody')?.append(row);
    this.renumber();
    return row;
  }

  private removeRow(row: HTMLTableRowElement | null): void {
    if (!row) return;
    const at = this.rows.indexOf(row);
    this.removed = { row, next: row.nextElementSibling };
    row.remove();
    if (this.rows.length === 0) this.appendRow();
    this.renumber();
    this.note(`Row ${at + 1} removed.`, true);
    this.querySelector<HTMLElement>('[data-undo]')?.focus();
    this.changed();
  }

  /** Puts the row that was removed last back in its place. */
  private restore(): void {
    if (!this.removed) return;
    const { row, next } = this.removed;
    this.removed = undefined;
    if (next?.isConnected === true) next.before(row);
    else this.querySelector('tbody')?.append(row);
    this.renumber();
    this.note('', false);
    fieldOf(row)?.focus();
    announce('Row restored.');
    this.changed();
  }

  /** Says what happened beside the buttons, where it can be undone. */
  private note(text: string, canUndo: boolean): void {
    const note = this.querySelector('[data-removed]');
    if (note) note.textContent = text;
    const undo = this.querySelector<HTMLElement>('[data-undo]');
    if (undo) undo.hidden = !canUndo;
  }

  private renumber(): void {
    for (const [at, row] of this.rows.entries()) {
      for (const number of row.querySelectorAll('[data-number]')) number.textContent = String(at + 1);
      const remove = row.querySelector('[data-remove-row] .hidden:last-of-type');
      if (remove) remove.textContent = ` ${at + 1}`;
    }
  }

  private changed(): void {
    this.dispatchEvent(new Event('change', { bubbles: true }));
  }
}

/** Returns the fields of a row by the names of their columns. */
function cellsOf(row: HTMLTableRowElement): readonly (readonly [name: string, field: CellField])[] {
  return [...row.querySelectorAll<HTMLElement>('[data-cell]')].flatMap((cell) => {
    const field = cell.querySelector<CellField>('.input');
    return field ? [[cell.dataset['cell'] ?? '', field] as const] : [];
  });
}

/** Returns the field of a column, or the first one of the row. */
function fieldOf(row: HTMLTableRowElement, name?: string): CellField | undefined {
  const cells = cellsOf(row);
  return (cells.find(([column]) => column === name) ?? cells[0])?.[1];
}

function showCell(field: CellField, problem: string): void {
  const wrong = field.closest('[data-cell]')?.querySelector<HTMLElement>('.wrong');
  if (!wrong) return;
  wrong.hidden = problem === '';
  const text = wrong.querySelector('span');
  if (text) text.textContent = problem.charAt(0).toUpperCase() + problem.slice(1);
  if (problem === '') field.removeAttribute('aria-invalid');
  else field.setAttribute('aria-invalid', 'true');
}

/** Registers the element; a second time it does nothing. */
export function defineAnswerRows(): void {
  if (!customElements.get('answer-rows')) customElements.define('answer-rows', AnswerRows);
}
