import { setImmediate as nextTurn } from 'node:timers/promises';
import { nearest, PlatformError } from '../../../../kernel/door/errors.ts';
import { parseDecimal } from '../../../../kernel/parameters/parse-value.ts';
import { assertInputCell, cellError, outputCell } from './check-cell.ts';
import { assertWeight } from './check-column.ts';
import { COLUMNS_MAX, FACTS_MAX, FAULTS_REPORTED_MAX } from './limits.ts';
import { assertColumnName } from './column-name.ts';
import { HEAD_LINES, type GridLine } from './read-grid.ts';
import { isTypeLine, parseColumnType, type ColumnType } from './type-line.ts';
import { CellsBuilder, type ColumnCells, type OutputType } from './table.ts';
import type { InputType } from '../../../../lib/decision-tables/input-value.ts';

/** A column of a table, from the first two lines. */
export interface GridColumn {
  readonly at: number;
  readonly name: string;
  /** The weight of an input; undefined for an output. */
  readonly weight: string | undefined;
  /** The type that the table gives it; undefined if the table says nothing. */
  readonly type: ColumnType | undefined;
}

/** The columns of a table, and the number of lines before its rows. */
export interface GridHead {
  readonly columns: readonly GridColumn[];
  readonly lines: number;
}

/** The constraints on cells. */
export interface CellRules {
  /** Returns the type that a column will have. */
  type(column: GridColumn): string | undefined;
  /** Longest cell, in characters. */
  readonly charactersMax: number;
}

/** Parses the names, weights and types of a table's columns. @throws BAD_PARAMETER, TOO_LARGE */
export function parseGridHead(lines: readonly GridLine[]): GridHead {
  const columns = parseGridColumns(lines);
  const line = lines[HEAD_LINES];
  if (!line || !isTypeLine(line)) return { columns, lines: HEAD_LINES };
  return {
    columns: columns.map((column) => ({
      ...column,
      type: parseColumnType(line.cells[column.at] ?? '', column.weight === undefined ? 'output' : 'input', {
        row: line.line,
        column: column.name,
        word: 'Line',
      }),
    })),
    lines: HEAD_LINES + 1,
  };
}

function parseGridColumns(lines: readonly GridLine[]): GridColumn[] {
  const [names, kinds] = lines;
  if (!names || !kinds)
    throw new PlatformError('BAD_PARAMETER', {
      message:
        'The table has no second line. Expected the names of inputs and outputs in the first line; in the ' +
        'second a weight under each input and "output" under each output.',
    });
  const width = names.cells.findLastIndex((name) => name !== '') + 1;
  if (width > 2 * COLUMNS_MAX)
    throw new PlatformError('TOO_LARGE', {
      message: `The table has ${width} columns; a matrix has at most ${COLUMNS_MAX} inputs and ${COLUMNS_MAX} outputs.`,
    });
  const columns: GridColumn[] = [];
  for (let at = 0; at < width; at++) {
    const name = names.cells[at] ?? '';
    const kind = kinds.cells[at] ?? '';
    const place = { row: kinds.line, column: name || `column ${at + 1}`, word: 'Line' } as const;
    if (name === '') throw cellError({ ...place, row: names.line }, '', 'the name of an input or output');
    const weight = /^output$/i.test(kind) ? undefined : weightOf(kind, place);
    const isInput = weight !== undefined;
    assertColumnName(
      isInput ? 'input' : 'output',
      name,
      columns.filter((other) => (other.weight !== undefined) === isInput).map((other) => other.name),
      `Line ${names.line}`,
    );
    columns.push({ at, name, weight, type: undefined });
  }
  for (const kind of ['inputs', 'outputs'] as const) {
    const count = columns.filter((column) => (column.weight !== undefined) === (kind === 'inputs')).length;
    if (count > COLUMNS_MAX)
      throw new PlatformError('TOO_LARGE', {
        message: `The table has ${count} ${kind}; a matrix has at most ${COLUMNS_MAX}.`,
      });
  }
  return columns;
}

function weightOf(text: string, place: Parameters<typeof cellError>[0]): string {
  if (text === '') return '1';
  try {
    const weight = parseDecimal(text, 'Weight', 18);
    assertWeight(weight, 'Weight');
    return weight;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const near = nearest(text, ['output'], 1).length > 0 ? ' (did you mean output?)' : '';
    throw cellError(
      place,
      text,
      `${error.message.replace(/^.*?expected /, '').replace(/\.$/, '')}, or "output" under an output${near}`,
    );
  }
}

/** The parsed cells of a table by column, and the line of each row. */
export interface ParsedGrid {
  readonly cells: readonly ColumnCells[];
  readonly lines: readonly number[];
}

/**
 * Returns the parsed cells of a table by column. @throws BAD_PARAMETER that lists the first faults with line and column
 */
export async function parseGridCells(
  lines: readonly GridLine[],
  { columns, lines: headLines }: GridHead,
  rules: CellRules,
): Promise<ParsedGrid> {
  const filled = lines.slice(headLines).filter(({ cells }) => cells.some((cell) => cell !== ''));
  const faults: PlatformError[] = [];
  let facts = 0;
  const cells: ColumnCells[] = [];
  for (const column of columns) {
    const { at, name, weight } = column;
    // A column may have a million cells: yield to other work between columns.
    await nextTurn();
    const builder = new CellsBuilder(filled.length);
    const kind = weight === undefined ? 'output' : 'input';
    const read = cellReader({
      kind,
      type: rules.type(column),
      column: name,
      charactersMax: rules.charactersMax,
    });
    for (const [row, { line, cells: texts }] of filled.entries()) {
      const text = texts[at] ?? '';
      if (text === '') continue;
      if (++facts > FACTS_MAX)
        throw new PlatformError('TOO_LARGE', {
          message: `Line ${line}, ${name}: a matrix has at most ${FACTS_MAX.toLocaleString('en-US')} filled cells.`,
        });
      const fit = collectError(() => read(text, line), faults);
      if (fit !== undefined) builder.set(row, fit);
    }
    cells.push(builder.cells());
  }
  // A cell beyond the named columns must not be dropped silently.
  for (const { line, cells: texts } of filled) {
    const beyond = texts.findIndex((text, at) => text !== '' && at >= columns.length);
    if (beyond >= 0)
      faults.push(
        cellError(
          { row: line, column: `column ${beyond + 1}`, word: 'Line' },
          texts[beyond] ?? '',
          'no value: the first line does not name this column',
        ),
      );
    if (faults.length > FAULTS_REPORTED_MAX) break;
  }
  if (faults.length > 0) throw combinedError(faults);
  return { cells, lines: filled.map(({ line }) => line) };
}

/** Parses each distinct text once, since texts repeat. */
function cellReader({
  kind,
  type,
  column,
  charactersMax,
}: {
  readonly kind: 'input' | 'output';
  readonly type: string | undefined;
  readonly column: string;
  readonly charactersMax: number;
}): (text: string, line: number) => string {
  const known = new Map<string, string>();
  return (text, line) => {
    let read = known.get(text);
    if (read !== undefined) return read;
    const place = { row: line, column, word: 'Line' } as const;
    if (text.length > charactersMax || text.includes('\u0000'))
      throw cellError(place, text, `at most ${charactersMax} characters, none of them NUL`);
    if (kind === 'input') assertInputCell(text, type as InputType, place);
    known.set(text, (read = kind === 'input' ? text : outputCell(text, type as OutputType, place)));
    return read;
  };
}

function collectError(read: () => string, faults: PlatformError[]): string | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    faults.push(error);
    if (faults.length > FAULTS_REPORTED_MAX) throw combinedError(faults);
    return undefined;
  }
}

function combinedError(faults: readonly PlatformError[]): PlatformError {
  // Cells are parsed by column; people search by line.
  const lineOf = ({ details }: PlatformError): number => Number(details?.['Line'] ?? 0);
  const reported = faults.slice(0, FAULTS_REPORTED_MAX).sort((a, b) => lineOf(a) - lineOf(b));
  const more = faults.length > reported.length ? ' There are more.' : '';
  return new PlatformError('BAD_PARAMETER', {
    field: 'Cell',
    message: reported.map((fault) => fault.message).join(' ') + more,
    details: { Faults: reported.map((fault) => fault.details) },
  });
}
