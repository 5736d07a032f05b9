import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ImportEngine, ImportSource, ImportTemplate } from '../../../../contracts/import-engine.ts';
import { readAll } from '../../../../kernel/parameters/body-parameters.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { FACTS_MAX, TABLE_BYTES_MAX, TABLE_CELLS_MAX } from './limits.ts';

/** One line of a table as a person wrote it. */
export interface GridLine {
  readonly line: number;
  readonly cells: readonly string[];
}

/** A table is read like any import, as rows of cells: its header is not the reader's. */
const plain: ImportTemplate = {
  id: 0,
  name: 'Matrix',
  engine: 'DelimitedEngine',
  appliesTo: undefined,
  options: new Map([['header', 'false']]),
  maps: [],
  operationsAllowed: 0,
  importStatement: undefined,
  schema: undefined,
};

/** The lines before the rows: names, and weights. */
export const HEAD_LINES = 2;

/** As many bytes are read, and as many lines taken, before others get their turn. */
const BYTES_PER_TURN = 256 * 1024;
const LINES_PER_TURN = 1_000;

/**
 * Reads the table that is the call's body: delimited text, or the first worksheet of a workbook. What an export has put before text
 * that a spreadsheet would run is taken away again. @throws BAD_PARAMETER for what is no table, TOO_LARGE
 */
export async function readGrid(ctx: Context): Promise<GridLine[]> {
  const bytes = ctx.body ? await readAll(ctx.body.bytes, TABLE_BYTES_MAX) : Buffer.alloc(0);
  if (ctx.body?.mime.startsWith('multipart/') === true)
    throw new PlatformError('BAD_PARAMETER', {
      message: 'The table is the body itself, not a part of a form; the name of the matrix stands in the address.',
    });
  if (bytes.length === 0)
    throw new PlatformError('MISSING_PARAMETER', {
      message:
        'The table is sent as the body: delimited text or a workbook (.xlsx), with the names of inputs and outputs in its first row.',
    });
  const isText = !bytes.subarray(0, 2).equals(Buffer.from('PK'));
  const engine = ctx.providers.get<ImportEngine>('import-engine', plain.engine);
  const source = sourceOf(bytes);
  const { columns } = await engine.preview(source, plain, HEAD_LINES);
  // A wide table of empty cells is small as a file, and fills the memory once it is taken apart.
  const linesMax = Math.min(FACTS_MAX + HEAD_LINES, Math.floor(TABLE_CELLS_MAX / Math.max(1, columns.length)));
  const { rows } = await engine.preview(source, plain, linesMax + 1);
  if (rows.length > linesMax)
    throw new PlatformError('TOO_LARGE', {
      message: `The table has more than ${linesMax} lines of ${columns.length} columns; expected at most ${TABLE_CELLS_MAX} cells, empty ones too.`,
    });
  const [first] = rows;
  const lines: GridLine[] = [];
  for (const row of rows) {
    if (row.sheet !== first?.sheet) continue;
    if (row.problem !== undefined)
      throw new PlatformError('BAD_PARAMETER', { message: row.problem, details: { Line: row.line } });
    const cells = columns.map((column) => (row.values[column] ?? '').trim());
    lines.push({ line: row.line, cells: isText ? cells.map(withoutFormulaGuard) : cells });
    if (lines.length % LINES_PER_TURN === 0) await nextTurn();
  }
  return lines;
}

/** See the export: one apostrophe stands before what a spreadsheet would take for a formula. */
const withoutFormulaGuard = (cell: string): string => (/^'+[=+\-@\t\r\n]/.test(cell) ? cell.slice(1) : cell);

function sourceOf(bytes: Buffer): ImportSource {
  const part = async function* (start: number, end: number): AsyncIterable<Uint8Array> {
    for (let at = start; at < end; at += BYTES_PER_TURN) {
      await nextTurn();
      yield bytes.subarray(at, Math.min(end, at + BYTES_PER_TURN));
    }
  };
  return { fileName: 'matrix', size: bytes.length, open: () => part(0, bytes.length), part };
}
