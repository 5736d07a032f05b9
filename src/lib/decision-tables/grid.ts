import {
  applyColumnEdit,
  assertColumnEdit,
  columnEditParsers,
  inverseOfColumnEdit,
  isColumnEdit,
  withColumn,
} from './column-edits.ts';
import { GridEditError } from './grid-edit-error.ts';

/** A column of a decision table while it is edited. */
export interface GridColumn {
  readonly kind: 'Input' | 'Output';
  readonly name: string;
  /** Of an input: its weight, as text. */
  readonly weight: string | null;
  readonly type: string | null;
  /** Of an output of records: their type. */
  readonly objectType: string | null;
  /** The name under which it was published, if it was renamed since. */
  readonly formerName?: string;
}

/** A decision table while it is edited: inputs before outputs; of each row the text of each column's cell. */
export interface Grid {
  readonly columns: readonly GridColumn[];
  readonly rows: readonly (readonly string[])[];
}

/** The text of a cell, by its place: both counted from 0. */
export interface CellText {
  readonly row: number;
  readonly column: number;
  readonly text: string;
}

/** A change of a grid. Rows and columns are counted from 0, after the changes before it. */
export type GridEdit =
  | { readonly kind: 'set'; readonly cells: readonly CellText[] }
  | { readonly kind: 'insert'; readonly at: number; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'remove'; readonly at: number; readonly count: number }
  | { readonly kind: 'move'; readonly from: number; readonly to: number }
  | { readonly kind: 'weight'; readonly column: number; readonly weight: string }
  | ColumnEdit;

/** A change of the columns of a grid. Inputs stay before outputs. */
export type ColumnEdit =
  | {
      readonly kind: 'addColumn';
      readonly at: number;
      readonly column: GridColumn;
      /** Its cell in each row; empty ones without. */
      readonly cells?: readonly string[];
    }
  | { readonly kind: 'removeColumn'; readonly column: number }
  | { readonly kind: 'moveColumn'; readonly from: number; readonly to: number }
  | { readonly kind: 'renameColumn'; readonly column: number; readonly name: string }
  | {
      readonly kind: 'typeColumn';
      readonly column: number;
      readonly type: string | null;
      readonly objectType: string | null;
    };

/** Most rows of a table that is edited as a draft; larger ones are edited in a spreadsheet. */
export const DRAFT_ROWS_MAX = 5_000;
/** Most changes that are sent at once. */
export const EDITS_MAX = 1_000;
/** Longest text of a cell. */
const CELL_CHARACTERS_MAX = 4_000;

/** Returns the grid after an edit. @throws GridEditError */
export function applyEdit(grid: Grid, edit: GridEdit): Grid {
  assertFits(grid, edit);
  if (edit.kind === 'weight') return withColumn(grid, edit.column, { weight: edit.weight });
  if (isColumnEdit(edit)) return applyColumnEdit(grid, edit);
  const rows = [...grid.rows];
  if (edit.kind === 'set')
    for (const { row, column, text } of edit.cells) rows[row] = withText(rows[row], column, text);
  if (edit.kind === 'insert') rows.splice(edit.at, 0, ...edit.rows);
  if (edit.kind === 'remove') rows.splice(edit.at, edit.count);
  if (edit.kind === 'move') rows.splice(edit.to, 0, ...rows.splice(edit.from, 1));
  return { ...grid, rows };
}

function withText(row: readonly string[] | undefined, column: number, text: string): readonly string[] {
  return (row ?? []).map((cell, at) => (at === column ? text : cell));
}

/** Returns the edit that undoes another one on the grid before it. */
export function inverseOf(grid: Grid, edit: GridEdit): GridEdit {
  switch (edit.kind) {
    case 'set': {
      const before = edit.cells.map(({ row, column }) => ({ row, column, text: grid.rows[row]?.[column] ?? '' }));
      return { kind: 'set', cells: before };
    }
    case 'insert':
      return { kind: 'remove', at: edit.at, count: edit.rows.length };
    case 'remove':
      return { kind: 'insert', at: edit.at, rows: grid.rows.slice(edit.at, edit.at + edit.count) };
    case 'move':
      return { kind: 'move', from: edit.to, to: edit.from };
    case 'weight':
      return { kind: 'weight', column: edit.column, weight: grid.columns[edit.column]?.weight ?? '' };
    default:
      return inverseOfColumnEdit(grid, edit);
  }
}

/** Checks of each kind of edit, each for one property that it cannot have. */
function assertFits(grid: Grid, edit: GridEdit): void {
  const { columns, rows } = grid;
  if (edit.kind === 'set') edit.cells.forEach((cell) => assertCell(grid, cell));
  if (edit.kind === 'insert') assertInsert(grid, edit.at, edit.rows);
  if (edit.kind === 'remove' && !(hasRow(grid, edit.at) && edit.count >= 1 && hasRow(grid, edit.at + edit.count - 1)))
    throw new GridEditError(`rows from 1 to ${rows.length}`);
  if (edit.kind === 'move' && !(hasRow(grid, edit.from) && hasRow(grid, edit.to)))
    throw new GridEditError(`a row from 1 to ${rows.length}`);
  if (edit.kind === 'weight' && columns[edit.column]?.kind !== 'Input') throw new GridEditError('an input');
  if (isColumnEdit(edit)) assertColumnEdit(grid, edit);
}

const hasRow = ({ rows }: Grid, at: number): boolean => Number.isInteger(at) && at >= 0 && at < rows.length;

function assertCell(grid: Grid, { row, column, text }: CellText): void {
  if (!hasRow(grid, row)) throw new GridEditError(`a row from 1 to ${grid.rows.length}`);
  if (grid.columns[column] === undefined) throw new GridEditError(`a column from 1 to ${grid.columns.length}`);
  assertText(text);
}

function assertInsert({ columns, rows }: Grid, at: number, added: readonly (readonly string[])[]): void {
  if (!Number.isInteger(at) || at < 0 || at > rows.length)
    throw new GridEditError(`a position from 1 to ${rows.length + 1}`);
  if (rows.length + added.length > DRAFT_ROWS_MAX)
    throw new GridEditError(`at most ${DRAFT_ROWS_MAX.toLocaleString('en-US')} rows`);
  for (const row of added) {
    if (row.length !== columns.length) throw new GridEditError(`${columns.length} cells in each row`);
    row.forEach(assertText);
  }
}

function assertText(text: string): void {
  if (text.length > CELL_CHARACTERS_MAX || text.includes('\u0000'))
    throw new GridEditError(
      `a cell of at most ${CELL_CHARACTERS_MAX.toLocaleString('en-US')} characters, none of them NUL`,
    );
}

/** Returns edits that were sent as JSON. @throws GridEditError naming the first that cannot be read */
export function parseEdits(sent: unknown): GridEdit[] {
  if (!Array.isArray(sent)) throw new GridEditError('a list of edits');
  if (sent.length > EDITS_MAX) throw new GridEditError(`at most ${EDITS_MAX} edits`);
  return sent.map((each: unknown, at) => {
    const edit = parseEdit(each);
    if (!edit) throw new GridEditError(`an edit of a known kind with its values at ${at + 1}`);
    return edit;
  });
}

/** What was sent as an edit. */
export type SentEdit = Readonly<Record<string, unknown>>;

/** By kind: returns the edit if its values have the right types. */
const parsers: Readonly<Record<string, (sent: SentEdit) => GridEdit | undefined>> = {
  set: ({ cells }) => (Array.isArray(cells) && cells.every(isCellText) ? { kind: 'set', cells } : undefined),
  insert: ({ at, rows }) => (typeof at === 'number' && isTexts(rows) ? { kind: 'insert', at, rows } : undefined),
  remove: ({ at, count }) =>
    typeof at === 'number' && typeof count === 'number' ? { kind: 'remove', at, count } : undefined,
  move: ({ from, to }) => (typeof from === 'number' && typeof to === 'number' ? { kind: 'move', from, to } : undefined),
  weight: ({ column, weight }) =>
    typeof column === 'number' && typeof weight === 'string' ? { kind: 'weight', column, weight } : undefined,
  ...columnEditParsers,
};

function parseEdit(sent: unknown): GridEdit | undefined {
  if (typeof sent !== 'object' || sent === null) return undefined;
  const { kind } = sent as SentEdit;
  return typeof kind === 'string' && Object.hasOwn(parsers, kind) ? parsers[kind]?.(sent as SentEdit) : undefined;
}

function isCellText(sent: unknown): sent is CellText {
  if (typeof sent !== 'object' || sent === null) return false;
  const { row, column, text } = sent as Readonly<Record<string, unknown>>;
  return typeof row === 'number' && typeof column === 'number' && typeof text === 'string';
}

const isTexts = (sent: unknown): sent is readonly (readonly string[])[] =>
  Array.isArray(sent) &&
  sent.every((row: unknown) => Array.isArray(row) && row.every((cell: unknown) => typeof cell === 'string'));
