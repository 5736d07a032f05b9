/** The errors that cells hold. */
export type ErrorCode = '#NULL!' | '#DIV/0!' | '#VALUE!' | '#REF!' | '#NAME?' | '#NUM!' | '#N/A';

/** An error that a cell holds: it becomes the value of what is calculated from it, and keeps where it came from. */
export class CellError {
  readonly code: ErrorCode;
  /** The cell that it arose in. */
  readonly cell: string | undefined;
  /** Why, where more can be said than its code does. */
  readonly reason: string | undefined;

  constructor(code: ErrorCode, reason?: string, cell?: string) {
    this.code = code;
    this.reason = reason;
    this.cell = cell;
  }
}

/** What one cell holds; null is an empty one. */
export type Scalar = number | string | boolean | null | CellError;

/**
 * Values of several cells: rows of equal length. `height` and `width` are what the reference says, cells beyond the
 * given ones are empty.
 */
export interface Matrix {
  readonly cells: readonly (readonly Scalar[])[];
  readonly height: number;
  readonly width: number;
  /** Where a reference begins, from 0; undefined for what was calculated. */
  readonly place?: { readonly row: number; readonly column: number };
}

/** What an expression makes. */
export type Operand = Scalar | Matrix;

/** Calculation beyond a limit: unlike an error value no formula catches it. */
export class LimitError extends Error {}

/** The longest text that a cell holds. */
export const TEXT_CHARACTERS_MAX = 32_767;

/** Whether several cells are meant. */
export function isMatrix(value: Operand): value is Matrix {
  return typeof value === 'object' && value !== null && !(value instanceof CellError);
}

/** A cell of a matrix; beyond what there is, nothing. */
export function cellAt(matrix: Matrix, row: number, column: number): Scalar {
  return matrix.cells[row]?.[column] ?? null;
}

/** A matrix of values that were calculated. */
export function matrixOf(cells: readonly (readonly Scalar[])[]): Matrix {
  return { cells, height: cells.length, width: cells[0]?.length ?? 0 };
}

/** A number as spreadsheet programs take it: nothing is 0, text that is a number is one. */
export function toNumber(value: Scalar): number | CellError {
  if (typeof value === 'number' || value instanceof CellError) return value;
  if (value === null) return 0;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return numberIn(value) ?? new CellError('#VALUE!', 'a text stands where a number is expected');
}

/**
 * The number that a text is; undefined where it is none. Separators of thousands and a percent sign are known, days are
 * not.
 */
export function numberIn(text: string): number | undefined {
  const found = /^\s*([+-]?)(\d{1,3}(?:,\d{3})+|\d+)?(\.\d*)?(e[+-]?\d{1,3})?(%?)\s*$/i.exec(text);
  if (!found || (found[2] === undefined && !/\d/.test(found[3] ?? ''))) return undefined;
  const [, sign = '', whole = '0', part = '', power = '', percent] = found;
  const value = Number(`${sign}${whole.replaceAll(',', '')}${part}${power}`);
  return Number.isFinite(value) ? value / (percent === '%' ? 100 : 1) : undefined;
}

/** A text as spreadsheet programs join it: numbers with the fifteen digits that are seen. */
export function toText(value: Scalar): string | CellError {
  if (typeof value === 'string' || value instanceof CellError) return value;
  if (value === null) return '';
  return typeof value === 'boolean' ? String(value).toUpperCase() : String(displayedNumber(value)).replace('e', 'E');
}

/** True or false; a number is true unless it is 0. */
export function toBoolean(value: Scalar): boolean | CellError {
  if (typeof value === 'boolean' || value instanceof CellError) return value;
  if (typeof value === 'number') return value !== 0;
  if (value === null) return false;
  const word = value.trim().toUpperCase();
  return word === 'TRUE' || word === 'FALSE'
    ? word === 'TRUE'
    : new CellError('#VALUE!', 'a text stands where true or false is expected');
}

/** A number with the fifteen digits that a person sees: 0.30000000000000004 is how the sum of 0.1 and 0.2 is kept. */
export function displayedNumber(value: number): number {
  return Number(value.toPrecision(15));
}

/** What arithmetic made: what is no number any more is an error. */
export function finite(value: number): number | CellError {
  if (!Number.isFinite(value)) return new CellError('#NUM!', 'the number is too large, or none');
  // Turns -0 into 0.
  return value === 0 ? 0 : value;
}

/**
 * Negative where `left` comes first. Numbers come before texts, those before false and true; texts whatever their case;
 * nothing is like 0 or an empty text.
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
