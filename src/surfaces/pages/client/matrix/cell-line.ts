import type { GridColumn } from '../../../../lib/decision-tables/grid.ts';
import type { InputType } from '../../../../lib/decision-tables/input-value.ts';
import { readCell, storedText } from '../../../../lib/decision-tables/read-cell.ts';

/** The line above the grid: which cell is active, what was typed, and how it is read. */
export class CellLine {
  private readonly place = document.getElementById('cell-place');
  private readonly reading = document.getElementById('cell-reading');
  private readonly input = document.getElementById('cell-text') as HTMLInputElement | null;
  private column: GridColumn | undefined;

  /** `write` stores what is typed in the line. */
  constructor(write: (text: string) => void) {
    const { input } = this;
    if (!input) return;
    input.closest('.cell-line')?.classList.add('ready');
    input.addEventListener('input', () => this.column && this.read(this.column, input.value));
    input.addEventListener('change', () => write(input.value));
    input.addEventListener('keydown', ({ key }) => {
      if (key !== 'Enter' && key !== 'Escape') return;
      if (key === 'Enter') write(input.value);
      document.querySelector<HTMLElement>('matrix-grid td[tabindex="0"]')?.focus();
    });
  }

  /** Shows the active cell. */
  show(row: number, column: GridColumn, text: string): void {
    this.column = column;
    if (this.place) this.place.textContent = `Row ${row + 1}, ${column.name}`;
    if (this.input && document.activeElement !== this.input) this.input.value = text;
    this.read(column, text);
  }

  /** Shows how a text would be read while it is typed in the cell. */
  preview(column: GridColumn, text: string): void {
    if (this.input) this.input.value = text;
    this.read(column, text);
  }

  private read({ kind, type }: GridColumn, typed: string): void {
    if (!this.reading) return;
    if (kind === 'Output') {
      this.reading.textContent = type ?? 'Text, as it is written';
      this.reading.classList.remove('wrong');
      return;
    }
    const valueType = (type ?? undefined) as InputType;
    const reading = readCell(storedText(typed, valueType), valueType);
    this.reading.classList.toggle('wrong', reading.kind === 'unreadable');
    this.reading.textContent = wordsOf(reading);
  }
}

function wordsOf(reading: ReturnType<typeof readCell>): string {
  if (reading.kind === 'any') return 'Any: matches everything, adds no weight';
  if (reading.kind === 'unreadable') return `Expected ${reading.expected}`;
  return reading.advice === undefined ? reading.text : `${reading.text}. ${reading.advice}`;
}
