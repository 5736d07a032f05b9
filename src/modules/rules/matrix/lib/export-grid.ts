import { csvCell } from '../../../../kernel/render/csv.ts';
import type { Table } from './table.ts';
import { typeCell } from './type-line.ts';

/** Rows written at once. */
const ROWS_PER_PIECE = 500;

/** Yields the lines of a table as an import reads them: names, weights, types if there are any, then the rows. */
export function* gridLines({ inputs, outputs, rowNumbers }: Table): Generator<readonly string[]> {
  yield [...inputs, ...outputs].map(({ name }) => name);
  yield [...inputs.map(({ weight }) => String(weight)), ...outputs.map(() => 'output')];
  const types = [
    ...inputs.map(({ type }) => typeCell(type, undefined)),
    ...outputs.map(({ type, objectType }) => typeCell(type, objectType)),
  ];
  if (types.some((type) => type !== '')) yield types;
  const columns = [...inputs, ...outputs].map(({ cells }) => cells);
  for (let row = 0; row < rowNumbers.length; row++)
    yield columns.map(({ texts, codes }) => texts[codes[row] ?? 0] ?? '');
}

/**
 * Yields the lines of a table as comma-separated values. Text that a spreadsheet would run as a formula gets a leading
 * apostrophe, which an import removes.
 */
export function* gridCsv(lines: Iterable<readonly string[]>): Generator<Uint8Array> {
  let piece = '';
  let count = 0;
  for (const line of lines) {
    piece += `${line.map((cell) => csvCell(withFormulaGuard(cell))).join(',')}\r\n`;
    if (++count % ROWS_PER_PIECE !== 0) continue;
    yield Buffer.from(piece);
    piece = '';
  }
  if (piece !== '') yield Buffer.from(piece);
}

/** A cell that begins with an apostrophe gets one more, so that removing one restores it. */
const withFormulaGuard = (cell: string): string => (/^'*[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell);
