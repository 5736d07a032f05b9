import { setImmediate as nextTurn } from 'node:timers/promises';
import { IMPORT_ENGINE, type ImportSource, type ImportTemplate } from '../../../../contracts/import-engine.ts';
import { readAll } from '../../../../kernel/parameters/body-parameters.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { FACTS_MAX, TABLE_BYTES_MAX, TABLE_CELLS_MAX } from './limits.ts';

/** One line of a table as submitted. */
export interface GridLine {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Reads a table with the readers of imports, as rows of cells: the header line is data here. */
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

/** Lines before the rows: names and weights. */
export const HEAD_LINES = 2;

/** Bytes and lines read before yielding to other work. */
const BYTES_PER_TURN = 256 * 1024;
const LINES_PER_TURN = 1_000;

/**
 * Reads the table in the call's body: delimited text, or the first worksheet of a workbook. Removes the apostrophe that
 * an export puts before text that a spreadsheet would run. @throws BAD_PARAMETER if the body is not a table, TOO_LARGE
 */
export async function readGrid(ctx: Context): Promise<GridLine[]> {
  const bytes = ctx.body ? await readAll(ctx.body.bytes, TABLE_BYTES_MAX) : Buffer.alloc(0);
  if (ctx.body?.mime.startsWith('multipart/') === true)
    throw new PlatformError('BAD_PARAMETER', {
      message: 'Send the table as the request body, not as part of a form, and name the matrix in the address.',
    });
  if (bytes.length === 0)
    throw new PlatformError('MISSING_PARAMETER', {
      message:
        'Send the table as the body: delimited text or a workbook (.xlsx), with the names of inputs and ' +
        'outputs in its first row.',
    });
  const isText = !bytes.subarray(0, 2).equals(Buffer.from('PK'));
  const engine = ctx.providers.get(IMPORT_ENGINE, plain.engine);
  const source = sourceOf(bytes);
  const { columns } = await engine.preview(source, plain, HEAD_LINES);
  // A wide table of empty cells is a small file, but fills memory once parsed.
  const linesMax = Math.min(FACTS_MAX + HEAD_LINES, Math.floor(TABLE_CELLS_MAX / Math.max(1, columns.length)));
  const { rows } = await engine.preview(source, plain, linesMax + 1);
  if (rows.length > linesMax)
    throw new PlatformError('TOO_LARGE', {
      message:
        `The table has more than ${linesMax} lines of ${columns.length} columns; the limit ` +
        `is ${TABLE_CELLS_MAX} cells, including empty ones.`,
    });
  const [first] = rows;
  const lines: GridLine[] = [];
  for (const row of rows) {
    if (row.sheet !== first?.sheet) continue;
    if (row.problem !== undefined)
      throw new PlatformError('BAD_PARAMETER', {
        message: withColumnNames(row.problem, columns, first),
        details: { Line: row.line },
      });
    const cells = columns.map((column) => (row.values[column] ?? '').trim());
    lines.push({ line: row.line, cells: isText ? cells.map(withoutFormulaGuard) : cells });
    if (lines.length % LINES_PER_TURN === 0) await nextTurn();
  }
  return lines;
}

/** Names the columns of a reader's message as the table's first line does: the reader has numbered them. */
function withColumnNames(
  problem: string,
  columns: readonly string[],
  first: { readonly values: Readonly<Record<string, string>> } | undefined,
): string {
  return problem.replace(/\bColumn(\d+)\b/g, (numbered, number: string) => {
    const name = first?.values[columns[Number(number) - 1] ?? '']?.trim() ?? '';
    return name === '' ? numbered : name;
  });
}

/** Removes the apostrophe that the export puts before text that looks like a formula. */
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
