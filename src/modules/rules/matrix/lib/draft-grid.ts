import { readCell } from '../../../../lib/decision-tables/read-cell.ts';
import type { Grid, GridColumn } from '../../../../lib/decision-tables/grid.ts';
import type { InputType } from '../../../../lib/decision-tables/input-value.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { outputCell } from './check-cell.ts';
import type { Finding } from './finding.ts';
import type { GridLine } from './read-grid.ts';
import { CellsBuilder, type ColumnCells, type OutputType, type Table } from './table.ts';

/** Returns a stored table as a grid. Its rows are numbered from 1 without gaps. */
export function gridOf({ inputs, outputs, rowNumbers }: Table): Grid {
  const columns = [
    ...inputs.map(({ name, weight, type }): GridColumn => {
      return { kind: 'Input', name, weight: String(weight), type: type ?? null, objectType: null };
    }),
    ...outputs.map(({ name, type, objectType }): GridColumn => {
      return { kind: 'Output', name, weight: null, type: type ?? null, objectType: objectType ?? null };
    }),
  ];
  const cells = [...inputs, ...outputs].map((column) => column.cells);
  const rows = Array.from(rowNumbers, (_, row) => cells.map(({ texts, codes }) => texts[codes[row] ?? 0] ?? ''));
  return { columns, rows };
}

/** A draft as a table that can be looked up, and the cells that cannot be read. */
export interface DraftTable {
  readonly table: Table;
  readonly findings: readonly Finding[];
}

/**
 * Returns a draft as a table, without empty rows and without rows with a condition that cannot be read. Rows keep their
 * numbers in the draft. Columns take ID and XPath from the stored table.
 */
export function tableOfGrid(name: string, grid: Grid, stored: Table): DraftTable {
  const findings: Finding[] = [];
  const unreadable = new Set<number>();
  const isFilled = grid.rows.map((row) => row.some((cell) => cell !== ''));
  for (const [at, column] of grid.columns.entries()) {
    const judge = judgeOf(column);
    for (const [row, cells] of grid.rows.entries()) {
      const expected = judge(cells[at] ?? '');
      if (expected === undefined) continue;
      if (column.kind === 'Input') unreadable.add(row);
      findings.push(unreadableFinding(row + 1, column, cells[at] ?? '', expected));
    }
  }
  const rows = [...grid.rows.keys()].filter((row) => isFilled[row] === true && !unreadable.has(row));
  const cellsOf = (at: number): ColumnCells => {
    const builder = new CellsBuilder(rows.length);
    for (const [place, row] of rows.entries()) builder.set(place, grid.rows[row]?.[at] ?? '');
    return builder.cells();
  };
  const columns = grid.columns.map((column, at) => ({ column, cells: cellsOf(at) }));
  const table: Table = {
    name,
    rowNumbers: Uint32Array.from(rows, (row) => row + 1),
    inputs: columns
      .filter(({ column }) => column.kind === 'Input')
      .map(({ column, cells }) => {
        const known = stored.inputs.find((input) => input.name === (column.formerName ?? column.name));
        const type = (column.type ?? undefined) as InputType;
        return {
          id: known?.id ?? 0,
          name: column.name,
          xpath: known?.xpath,
          weight: Number(column.weight),
          type,
          cells,
        };
      }),
    outputs: columns
      .filter(({ column }) => column.kind === 'Output')
      .map(({ column, cells }) => ({
        id: stored.outputs.find((output) => output.name === (column.formerName ?? column.name))?.id ?? 0,
        name: column.name,
        type: (column.type ?? undefined) as OutputType,
        objectType: column.objectType ?? undefined,
        cells,
      })),
  };
  return { table, findings };
}

/** Returns a function that returns what was expected of a cell that cannot be read. It reads each text once. */
function judgeOf({ kind, name, type }: GridColumn): (text: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (text) => {
    if (text === '') return undefined;
    if (!known.has(text)) known.set(text, kind === 'Input' ? inputFault(text, type) : outputFault(text, type, name));
    return known.get(text);
  };
}

function inputFault(text: string, type: string | null): string | undefined {
  const reading = readCell(text, (type ?? undefined) as InputType);
  return reading.kind === 'unreadable' ? reading.expected : undefined;
}

function outputFault(text: string, type: string | null, column: string): string | undefined {
  try {
    outputCell(text, (type ?? undefined) as OutputType, { row: 0, column });
    return undefined;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return error.message.replace(/^.*?expected /s, '').replace(/\.$/, '');
  }
}

function unreadableFinding(row: number, { kind, name }: GridColumn, text: string, expected: string): Finding {
  return {
    Finding: 'Unreadable',
    Severity: 'Error',
    Row: row,
    ...(kind === 'Input' ? { Input: name } : { Output: name }),
    Title: `Row ${row}, ${name}, cannot be read`,
    Description: `"${text.slice(0, 60)}": expected ${expected}.`,
  };
}

/** Returns a draft as the lines of a table that an import reads. */
export function gridLinesOf({ columns, rows }: Grid): GridLine[] {
  const head = [
    columns.map(({ name }) => name),
    columns.map(({ kind, weight }) => (kind === 'Input' ? (weight ?? '1') : 'output')),
    columns.map(({ type, objectType }) => `type: ${[type ?? 'none', objectType ?? ''].join(' ').trim()}`),
  ];
  return [...head, ...rows].map((cells, at) => ({ line: at + 1, cells: cells.map((cell) => cell.trim()) }));
}
