import { clipboardText, parseClipboard } from '../../../../lib/decision-tables/clipboard.ts';
import type { Differences } from '../../../../lib/decision-tables/differences.ts';
import { applyEdit, inverseOf, type CellText, type Grid, type GridEdit } from '../../../../lib/decision-tables/grid.ts';
import { storedText } from '../../../../lib/decision-tables/read-cell.ts';
import type { InputType } from '../../../../lib/decision-tables/input-value.ts';
import { announce } from '../announce.ts';
import { marksOf, MATRIX_DATA_ID, type MatrixData, type RowMark, type SentFinding } from '../../shared/matrix-cell.ts';
import { CellLine } from './cell-line.ts';
import { fitColumns } from './column-widths.ts';
import { newRow, removedRow, showCell, showGutter } from './cell-view.ts';
import { resolveConflict } from './conflict.ts';
import { DraftSaver } from './draft-saver.ts';
import { commandOf, type GridCommand } from './keys.ts';
import { refreshPanels, showStatus } from './panels.ts';
import { Selection, type CellPlace } from './selection.ts';

/** One change of the user: it is undone and repeated as a whole. */
interface Step {
  readonly edits: readonly GridEdit[];
  readonly inverse: readonly GridEdit[];
  /** The cell that was active before. */
  readonly at: CellPlace;
}

/** The grid of a matrix: moves, edits, copies and pastes by keyboard, and saves the draft by itself. */
export class MatrixGridElement extends HTMLElement {
  private grid: Grid = { columns: [], rows: [] };
  private rows: HTMLElement[] = [];
  private table!: HTMLElement;
  private selection!: Selection;
  private saver!: DraftSaver;
  private line!: CellLine;
  private differences!: Differences;
  private marks: readonly RowMark[] = [];
  private undone: Step[] = [];
  private done: Step[] = [];
  /** The field in the active cell while it is edited. */
  private input: HTMLInputElement | undefined;

  connectedCallback(): void {
    const data = JSON.parse(document.getElementById(MATRIX_DATA_ID)?.textContent ?? 'null') as MatrixData | null;
    const table = this.querySelector<HTMLElement>('table');
    if (data) fitColumns(this, data.grid);
    if (!data?.mayEdit || !table) return;
    this.table = table;
    this.grid = data.grid;
    this.differences = data.differences;
    this.marks = data.marks;
    this.rows = [...table.querySelectorAll<HTMLElement>('tr.rule')];
    for (const row of this.rows) row.querySelector('.row-number a')?.setAttribute('tabindex', '-1');
    this.selection = new Selection(
      () => this.rows,
      () => this.grid.columns.length,
    );
    this.line = new CellLine((text) => this.write([{ ...this.selection.active, text }]));
    this.saver = new DraftSaver(data.id, data.version, data.grid, {
      saved: (answer, grid) => this.afterSave(answer, grid),
      conflict: () => void this.conflict(),
      status: showStatus,
    });
    this.listen();
    this.showActive();
    const unsent = this.saver.unsent();
    if (unsent.length > 0) this.perform(unsent);
  }

  private listen(): void {
    this.addEventListener('keydown', (event) => this.onKey(event));
    this.addEventListener('mousedown', (event) => this.onPointer(event));
    this.addEventListener('dblclick', ({ target }) => {
      if (this.placeOf(target) && !this.input) this.edit();
    });
    this.addEventListener('focusin', ({ target }) => {
      const place = this.placeOf(target);
      if (place && !this.input) this.moveTo(place, false, false);
    });
    this.addEventListener('copy', (event) => this.onCopy(event, false));
    this.addEventListener('cut', (event) => this.onCopy(event, true));
    this.addEventListener('paste', (event) => this.onPaste(event));
    this.addEventListener('change', ({ target }) => {
      if (target instanceof HTMLInputElement && target.dataset['weight'] !== undefined) this.setWeight(target);
    });
    document.addEventListener('click', (event) => this.onCommandButton(event));
    const changes = document.getElementById('show-changes');
    changes?.closest('.check')?.classList.add('ready');
    changes?.addEventListener('change', () => this.classList.toggle('plain', !changes.matches(':checked')));
    document.addEventListener('matrix-reset', (event) => this.onReset(event as CustomEvent<MatrixData>));
  }

  private placeOf(target: EventTarget | null): CellPlace | undefined {
    const cell = target instanceof Element ? target.closest<HTMLElement>('tbody td[role=gridcell]') : null;
    const row = cell?.closest<HTMLElement>('tr.rule');
    if (!cell || !row || !this.contains(row)) return undefined;
    const [at, column] = [this.rows.indexOf(row), [...row.children].indexOf(cell) - 2];
    return at < 0 || column < 0 ? undefined : { row: at, column };
  }

  private onPointer(event: MouseEvent): void {
    const place = this.placeOf(event.target);
    if (!place || event.target === this.input) return;
    this.endEdit(true);
    if (!(event.target instanceof Element && event.target.closest('a'))) event.preventDefault();
    this.moveTo(place, event.shiftKey);
  }

  private onKey(event: KeyboardEvent): void {
    if (this.input) {
      this.onEditKey(event);
      return;
    }
    if (!this.placeOf(event.target)) return;
    const command = commandOf(event);
    if (command) {
      event.preventDefault();
      this.run(command);
    } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      this.edit(event.key);
    }
  }

  private onEditKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      Enter: [event.shiftKey ? -1 : 1, 0],
      Tab: [0, event.shiftKey ? -1 : 1],
    };
    const move = moves[event.key];
    if (move) {
      event.preventDefault();
      this.endEdit(true);
      this.moveTo(this.selection.moved(...move));
    } else if (event.key === 'Escape') {
      event.preventDefault();
      this.endEdit(false);
    }
  }

  /** Carries out a command of a key or a button. */
  private run(command: GridCommand): void {
    const { row } = this.selection.active;
    const { first, last } = this.selection.range();
    const actions: Readonly<Record<GridCommand['name'], () => void>> = {
      move: () => this.moveTo(this.selection.moved(command.rows ?? 0, command.columns ?? 0), command.isExtending),
      edge: () => this.moveTo(this.selection.edge(command.rows ?? 0, command.columns ?? 0), command.isExtending),
      edit: () => this.edit(),
      clear: () => this.write(this.selection.cells().map((place) => ({ ...place, text: '' }))),
      fill: () => this.fillDown(),
      newRow: () => this.insertRow(row + 1),
      insert: () => this.insertRow(row),
      append: () => this.insertRow(this.grid.rows.length),
      delete: () => this.removeRows(first.row, last.row),
      up: () => this.moveRow(row, row - 1),
      down: () => this.moveRow(row, row + 1),
      undo: () => this.undo(),
      redo: () => this.redo(),
      selectAll: () => this.selectAll(),
    };
    actions[command.name]();
  }

  private onCommandButton(event: MouseEvent): void {
    const target = event.target instanceof Element ? event.target : undefined;
    const { command, cells = '{}', cell = '' } = target?.closest<HTMLElement>('[data-command]')?.dataset ?? {};
    if (target && this.goToRow(target)) event.preventDefault();
    if (command === undefined) return;
    event.preventDefault();
    if (command === 'fill') this.addSuggested(cells);
    else if (command === 'set') this.setSuggested(JSON.parse(cell) as CellText);
    else this.run({ name: command as GridCommand['name'] });
  }

  /** Goes to the row that a link names, if it is one of the grid's. */
  private goToRow(target: Element): boolean {
    const { hash = '' } = target.closest<HTMLAnchorElement>('a[data-goto]') ?? {};
    const row = Number(/^#row-(\d+)$/.exec(hash)?.[1] ?? 0) - 1;
    if (!this.rows[row]) return false;
    this.moveTo({ row, column: this.marks.find((mark) => mark.row === row)?.column ?? 0 });
    return true;
  }

  /** Writes the cell that ends a tie. */
  private setSuggested(cell: CellText): void {
    this.write([cell]);
    this.moveTo(cell);
  }

  /** Adds the row that fills a gap, and edits its first output. */
  private addSuggested(json: string): void {
    const cells = JSON.parse(json) as Readonly<Record<string, string>>;
    const { columns, rows } = this.grid;
    const row = columns.map(({ kind, name }) => (kind === 'Input' ? (cells[name] ?? '') : ''));
    this.perform([{ kind: 'insert', at: rows.length, rows: [row] }]);
    this.moveTo({
      row: rows.length,
      column: Math.max(
        0,
        columns.findIndex(({ kind }) => kind === 'Output'),
      ),
    });
  }

  private moveTo(place: CellPlace, isExtending = false, takesFocus = true): void {
    if (this.rows.length === 0) return;
    this.selection.moveTo(place, isExtending, takesFocus);
    this.showActive();
  }

  private showActive(): void {
    const { row, column } = this.selection.active;
    const head = this.grid.columns[column];
    const text = this.grid.rows[row]?.[column];
    if (head && text !== undefined) this.line.show(row, head, text);
  }

  /** Begins to edit the active cell; a typed character replaces its text. */
  private edit(typed?: string): void {
    const cell = this.selection.cell();
    const { row, column } = this.selection.active;
    const head = this.grid.columns[column];
    if (!cell || !head) return;
    const input = document.createElement('input');
    input.className = 'cell-input';
    input.value = typed ?? this.grid.rows[row]?.[column] ?? '';
    input.setAttribute('aria-label', `${head.name}, row ${row + 1}`);
    input.autocomplete = 'off';
    input.spellcheck = false;
    input.addEventListener('input', () => this.line.preview(head, input.value));
    input.addEventListener('blur', () => this.endEdit(true, false));
    this.input = input;
    cell.replaceChildren(input);
    cell.classList.add('editing');
    input.focus();
    if (typed === undefined) input.select();
    this.line.preview(head, input.value);
  }

  private endEdit(isStored: boolean, takesFocus = true): void {
    const { input } = this;
    if (!input) return;
    this.input = undefined;
    input.parentElement?.classList.remove('editing');
    const place = this.selection.active;
    const text = input.value;
    this.showRow(place.row);
    if (isStored) this.write([{ ...place, text }]);
    if (takesFocus) this.selection.cell()?.focus();
    this.showActive();
  }

  /** Writes texts into cells, as they are stored. Does nothing where they are the same. */
  private write(cells: readonly CellText[]): void {
    const changed = cells
      .map(({ row, column, text }) => ({ row, column, text: this.storedText(column, text) }))
      .filter(({ row, column, text }) => this.grid.rows[row]?.[column] !== text);
    if (changed.length > 0) this.perform([{ kind: 'set', cells: changed }]);
  }

  private storedText(column: number, text: string): string {
    const head = this.grid.columns[column];
    return head?.kind === 'Input' ? storedText(text, (head.type ?? undefined) as InputType) : text.trim();
  }

  private fillDown(): void {
    const { first, last } = this.selection.range();
    const from = first.row === last.row ? first.row - 1 : first.row;
    const source = this.grid.rows[from];
    if (!source) return;
    const cells = this.selection.cells().filter(({ row }) => row > from);
    this.write(cells.map((place) => ({ ...place, text: source[place.column] ?? '' })));
  }

  private insertRow(at: number): void {
    this.perform([{ kind: 'insert', at, rows: [this.grid.columns.map(() => '')] }]);
    this.moveTo({ row: at, column: 0 });
  }

  private removeRows(first: number, last: number): void {
    if (this.grid.rows.length === 0) return;
    this.perform([{ kind: 'remove', at: first, count: last - first + 1 }]);
    announce(`${last - first + 1} ${first === last ? 'row' : 'rows'} deleted. Ctrl Z brings them back.`);
    this.moveTo({ row: Math.min(first, this.grid.rows.length - 1), column: this.selection.active.column });
  }

  private moveRow(from: number, to: number): void {
    if (to < 0 || to >= this.grid.rows.length) return;
    this.perform([{ kind: 'move', from, to }]);
    this.moveTo({ row: to, column: this.selection.active.column });
    announce(`Row ${from + 1} is now row ${to + 1}.`);
  }

  private setWeight(input: HTMLInputElement): void {
    const column = Number(input.dataset['weight']);
    const text = input.value.trim();
    const isValid = /^\d{1,7}(?:\.\d{1,4})?$/.test(text) && Number(text) <= 1_000_000;
    input.setAttribute('aria-invalid', String(!isValid));
    if (!isValid) showStatus('A weight is a number from 0 to 1,000,000 with at most four decimals.', 'failed');
    else if (text !== this.grid.columns[column]?.weight) this.perform([{ kind: 'weight', column, weight: text }]);
  }

  private selectAll(): void {
    this.selection.moveTo({ row: 0, column: 0 }, false, false);
    this.selection.moveTo({ row: this.rows.length - 1, column: this.grid.columns.length - 1 }, true);
  }

  private onCopy(event: ClipboardEvent, isCut: boolean): void {
    if (this.input || !this.placeOf(event.target)) return;
    const { first, last } = this.selection.range();
    const rows = this.grid.rows.slice(first.row, last.row + 1).map((row) => row.slice(first.column, last.column + 1));
    event.clipboardData?.setData('text/plain', clipboardText(rows));
    event.preventDefault();
    if (isCut) this.run({ name: 'clear' });
  }

  /** Pastes cells from the active one on. Rows beyond the last are added. */
  private onPaste(event: ClipboardEvent): void {
    if (this.input || !this.placeOf(event.target)) return;
    event.preventDefault();
    const pasted = parseClipboard(event.clipboardData?.getData('text/plain') ?? '');
    if (pasted.length === 0) return;
    const { first } = this.selection.range();
    const { columns, rows } = this.grid;
    const missing = first.row + pasted.length - rows.length;
    const empty = Array.from({ length: Math.max(0, missing) }, () => columns.map(() => ''));
    const cells = pasted.flatMap((texts, down) =>
      texts.slice(0, columns.length - first.column).map((text, right): CellText => {
        const column = first.column + right;
        return { row: first.row + down, column, text: this.storedText(column, text) };
      }),
    );
    this.perform([
      ...(empty.length > 0 ? [{ kind: 'insert' as const, at: rows.length, rows: empty }] : []),
      { kind: 'set', cells },
    ]);
    const width = Math.max(...pasted.map((texts) => texts.length));
    this.selection.moveTo(first, false, false);
    this.moveTo(
      { row: first.row + pasted.length - 1, column: Math.min(first.column + width, columns.length) - 1 },
      true,
    );
    const added = empty.length === 0 ? '' : `, ${empty.length} added`;
    announce(`${pasted.length} ${pasted.length === 1 ? 'row' : 'rows'} pasted${added}.`);
  }

  private perform(edits: readonly GridEdit[]): void {
    const at = this.selection.active;
    const inverse: GridEdit[] = [];
    let { grid } = this;
    for (const edit of edits) {
      inverse.unshift(inverseOf(grid, edit));
      grid = applyEdit(grid, edit);
    }
    this.done.push({ edits, inverse, at });
    this.undone = [];
    this.apply(edits);
  }

  private undo(): void {
    const step = this.done.pop();
    if (!step) return;
    this.undone.push(step);
    this.apply(step.inverse);
    this.moveTo(this.selection.within(step.at));
  }

  private redo(): void {
    const step = this.undone.pop();
    if (!step) return;
    this.done.push(step);
    this.apply(step.edits);
    this.moveTo(this.selection.within(step.at));
  }

  /** Changes the table, shows what changed, and has it saved. */
  private apply(edits: readonly GridEdit[]): void {
    for (const edit of edits) {
      this.grid = applyEdit(this.grid, edit);
      this.show(edit);
    }
    this.saver.add(edits, this.grid);
    this.showActive();
  }

  private show(edit: GridEdit): void {
    if (edit.kind === 'set') for (const row of new Set(edit.cells.map((cell) => cell.row))) this.showRow(row);
    else if (edit.kind === 'weight') {
      const input = this.querySelector<HTMLInputElement>(`[data-weight="${edit.column}"]`);
      if (input) input.value = edit.weight;
    } else if (edit.kind === 'insert' || edit.kind === 'remove' || edit.kind === 'move') this.showStructure(edit);
  }

  private showStructure(edit: Extract<GridEdit, { readonly kind: 'insert' | 'remove' | 'move' }>): void {
    if (edit.kind === 'insert') {
      const added = edit.rows.map(() => newRow(this.grid.columns));
      const next = this.rows[edit.at];
      if (next) next.before(...added);
      else this.lastGroup().append(...added);
      this.rows.splice(edit.at, 0, ...added);
      for (const at of added.keys()) this.showRow(edit.at + at);
    } else if (edit.kind === 'remove') {
      for (const row of this.rows.splice(edit.at, edit.count)) row.remove();
    } else {
      const [row] = this.rows.splice(edit.from, 1);
      const next = this.rows[edit.to];
      if (row && next) next.before(row);
      else if (row) this.lastGroup().append(row);
      if (row) this.rows.splice(edit.to, 0, row);
    }
    this.number();
    this.selection.forget();
  }

  private lastGroup(): Element {
    return this.table.querySelector('tbody:nth-last-child(2)') as Element;
  }

  /** Numbers the rows again. */
  private number(): void {
    for (const [at, row] of this.rows.entries()) {
      const id = `row-${at + 1}`;
      if (row.id === id) continue;
      row.id = id;
      row.children[1]?.replaceChildren(String(at + 1));
    }
  }

  /** Shows the cells of a row with their differences, and its margin. */
  private showRow(at: number): void {
    const row = this.rows[at];
    if (!row) return;
    const difference = this.differences.rows.find((each) => each.kind !== 'removed' && each.after === at);
    const before = new Map(
      difference?.kind === 'changed' ? difference.cells.map((cell) => [cell.column, cell.before]) : [],
    );
    const marks = this.marks.filter((mark) => mark.row === at);
    for (const [column, head] of this.grid.columns.entries()) {
      const cell = row.children[column + 2] as HTMLElement;
      showCell(cell, head, this.grid.rows[at]?.[column] ?? '', before.get(column));
      const fault = marks.find((mark) => mark.column === column);
      if (fault?.severity === 'error') cell.classList.add('error');
    }
    row.classList.remove('added', 'changed');
    if (difference) row.classList.add(difference.kind);
    showGutter(row, marks, difference?.kind);
  }

  /** Shows what the server found out about the table that it has saved. */
  private afterSave(answer: Readonly<Record<string, unknown>>, grid: Grid): void {
    const touched = this.touchedRows();
    this.differences = answer['Differences'] as Differences;
    this.marks = marksOf(answer['Findings'] as readonly SentFinding[], grid);
    for (const row of new Set([...touched, ...this.touchedRows()])) if (!this.isEdited(row)) this.showRow(row);
    this.showRemoved();
    void refreshPanels(location.pathname);
    document.dispatchEvent(new CustomEvent('matrix-saved'));
  }

  private isEdited(row: number): boolean {
    return this.input !== undefined && this.selection.active.row === row;
  }

  private touchedRows(): number[] {
    const changed = this.differences.rows.flatMap((row) => (row.kind === 'removed' ? [] : [row.after]));
    return [...changed, ...this.marks.map(({ row }) => row)];
  }

  private showRemoved(): void {
    for (const row of this.table.querySelectorAll('tr.removed')) row.remove();
    for (const row of this.differences.rows) {
      if (row.kind !== 'removed') continue;
      const shown = removedRow(this.grid.columns, row.cells);
      const next = this.rows[row.at];
      if (next) next.before(shown);
      else this.lastGroup().append(shown);
    }
  }

  private async conflict(): Promise<void> {
    await resolveConflict(this, { saver: this.saver, mine: this.grid });
  }

  /** Begins again with the table that somebody else saved, and repeats edits on it. */
  private onReset({ detail }: CustomEvent<MatrixData & { readonly edits?: readonly GridEdit[] }>): void {
    this.saver.reset(detail.version, detail.grid);
    this.grid = detail.grid;
    this.differences = detail.differences;
    this.marks = detail.marks;
    this.done = [];
    this.undone = [];
    for (const row of this.rows) row.remove();
    this.rows = detail.grid.rows.map(() => newRow(detail.grid.columns));
    this.lastGroup().append(...this.rows);
    for (const at of this.rows.keys()) this.showRow(at);
    this.number();
    this.showRemoved();
    this.selection.forget();
    if (detail.edits && detail.edits.length > 0) this.perform(detail.edits);
    this.moveTo(this.selection.within(this.selection.active));
  }
}
