/** Error values of cells. */
export type ErrorCode = '#NULL!' | '#DIV/0!' | '#VALUE!' | '#REF!' | '#NAME?' | '#NUM!' | '#N/A';

/** A cell's error value. It propagates to formulas that use the cell, and keeps its origin. */
export class CellError {
  readonly code: ErrorCode;
  /** The cell where it occurred. */
  readonly cell: string | undefined;
  /** The reason, if it says more than the code. */
  readonly reason: string | undefined;

  constructor(code: ErrorCode, reason?: string, cell?: string) {
    this.code = code;
    this.reason = reason;
    this.cell = cell;
  }
}

/** A cell's value; null for an empty cell. */
export type Scalar = number | string | boolean | null | CellError;

/**
 * Values of several cells: rows of equal length. `height` and `width` are those of the reference; cells beyond the
 * rows are empty.
 */
export interface Matrix {
  readonly cells: readonly (readonly Scalar[])[];
  readonly height: number;
  readonly width: number;
  /** Start of a reference, from 0; undefined for a calculated matrix. */
  readonly place?: { readonly row: number; readonly column: number };
}

/** The result of an expression. */
export type Operand = Scalar | Matrix;

/** A calculation exceeded a limit. Unlike an error value, no formula can catch it. */
export class LimitError extends Error {}

/** Longest text of a cell. */
export const TEXT_CHARACTERS_MAX = 32_767;

/** Whether an operand has several cells. */
export function isMatrix(value: Operand): value is Matrix {
  return typeof value === 'object' && value !== null && !(value instanceof CellError);
}

/** Returns a cell of a matrix; null beyond its rows. */
export function cellAt(matrix: Matrix, row: number, column: number): Scalar {
  return matrix.cells[row]?.[column] ?? null;
}

/** Returns a matrix of calculated values. */
export function matrixOf(cells: readonly (readonly Scalar[])[]): Matrix {
  return { cells, height: cells.length, width: cells[0]?.length ?? 0 };
}

/** Returns a value as a number, as spreadsheet programs do: empty is 0, numeric text is parsed. */
export function toNumber(value: Scalar): number | CellError {
  if (typeof value === 'number' || value instanceof CellError) return value;
  if (value === null) return 0;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return numberIn(value) ?? new CellError('#VALUE!', 'expected a number, found text');
}

/**
 * Parses text as a number; undefined if it is none. Accepts thousands separators and a percent sign, but no dates.
 */
export function numberIn(text: string): number | undefined {
  const found = /^\s*([+-]?)(\d{1,3}(?:,\d{3})+|\d+)?(\.\d*)?(e[+-]?\d{1,3})?(%?)\s*$/i.exec(text);
  if (!found || (found[2] === undefined && !/\d/.test(found[3] ?? ''))) return undefined;
  const [, sign = '', whole = '0', part = '', power = '', percent] = found;
  const value = Number(`${sign}${whole.replaceAll(',', '')}${part}${power}`);
  return Number.isFinite(value) ? value / (percent === '%' ? 100 : 1) : undefined;
}

/** Returns a value as text, as spreadsheet programs concatenate it: numbers with fifteen significant digits. */
export function toText(value: Scalar): string | CellError {
  if (typeof value === 'string' || value instanceof CellError) return value;
  if (value === null) return '';
  return typeof value === 'boolean' ? String(value).toUpperCase() : String(displayedNumber(value)).replace('e', 'E');
}

/** Returns a value as a boolean; a number is true unless it is 0. */
export function toBoolean(value: Scalar): boolean | CellError {
  if (typeof value === 'boolean' || value instanceof CellError) return value;
  if (typeof value === 'number') return value !== 0;
  if (value === null) return false;
  const word = value.trim().toUpperCase();
  return word === 'TRUE' || word === 'FALSE'
    ? word === 'TRUE'
    : new CellError('#VALUE!', 'expected true or false, found text');
}

/** Returns a number with the fifteen digits that people see; the sum of 0.1 and 0.2 is 0.30000000000000004 inside. */
export function displayedNumber(value: number): number {
  return Number(value.toPrecision(15));
}

/** Returns the result of arithmetic; an error value if it is not finite. */
export function finite(value: number): number | CellError {
  if (!Number.isFinite(value)) return new CellError('#NUM!', 'the number is too large, or none');
  // Turns -0 into 0.
  return value === 0 ? 0 : value;
}

/**
 * Compares like a sort function. Numbers come before texts, texts before booleans. Texts compare case-insensitively;
 * empty equals 0 and empty text.
 */
export function compare(left: Exclude<Scalar, CellError>, right: Exclude<Scalar, CellError>): number {
  const [a, b] = [left ?? emptyLike(right), right ?? emptyLike(left)];
  if (typeof a === 'number' && typeof b === 'number') return displayedNumber(a) === displayedNumber(b) ? 0 : a - b;
  if (typeof a === 'string' && typeof b === 'string') {
    const [low, high] = [a.toLowerCase(), b.toLowerCase()];
    if (low === high) return 0;
    return low < high ? -1 : 1;
  }
  return typeof a === typeof b ? Number(a) - Number(b) : rank(a) - rank(b);
}

function emptyLike(other: Exclude<Scalar, CellError>): number | string | boolean {
  if (typeof other === 'string') return '';
  return typeof other === 'boolean' ? false : 0;
}

function rank(value: number | string | boolean): number {
  return ['number', 'string', 'boolean'].indexOf(typeof value);
}
