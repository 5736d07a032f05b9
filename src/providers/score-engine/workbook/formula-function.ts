import type { Formula } from './formula-syntax.ts';
import {
  CellError,
  isMatrix,
  toBoolean,
  toNumber,
  toText,
  type Matrix,
  type Operand,
  type Scalar,
} from './cell-value.ts';

/** A formula's context: its cell, and the values calculated so far. */
export interface FormulaContext {
  readonly place: { readonly row: number; readonly column: number };
  /** Distance of a shared formula from the cell where it was written. */
  readonly shift: { readonly rows: number; readonly columns: number };
  /** Whether ranges are evaluated cell by cell, as in SUMPRODUCT and in array formulas. */
  readonly lists: boolean;
  /** The present moment as a day serial. */
  readonly now: number;
  readonly from1904: boolean;
  /** Returns a sheet by name; without a name, the formula's own. */
  sheet(
    name: string | undefined,
  ): { readonly height: number; readonly width: number; valueAt(row: number, column: number): Scalar } | undefined;
  named(name: string, sheet: string | undefined): Formula | undefined;
  /** Counts work. @throws LimitError beyond the limit */
  spend(steps: number): void;
}

/** A value that is not an error. */
export type PlainValue = Exclude<Scalar, CellError>;

/**
 * A function of formulas. `scalar` functions take single values without errors, `wide` ones take ranges, `lazy` ones
 * choose which arguments are evaluated.
 */
export type FormulaFunction = { readonly least: number; readonly most: number } & (
  | { readonly kind: 'scalar'; run(values: readonly PlainValue[], around: FormulaContext): Scalar }
  | {
      readonly kind: 'wide';
      readonly lists?: boolean;
      run(given: readonly Operand[], around: FormulaContext, single: (operand: Operand) => Scalar): Operand;
    }
  | {
      readonly kind: 'lazy';
      run(
        given: readonly Formula[],
        value: (formula: Formula) => Operand,
        around: FormulaContext,
        single: (operand: Operand) => Scalar,
      ): Operand;
    }
);

/** Functions that access external data or are volatile. They are recognized but not calculated. */
export const inertFunctions: ReadonlySet<string> = new Set([
  'WEBSERVICE',
  'INDIRECT',
  'OFFSET',
  'RTD',
  'CALL',
  'REGISTER.ID',
  'EVALUATE',
  'INFO',
  'CELL',
  'RAND',
  'RANDBETWEEN',
  'RANDARRAY',
  'FILTERXML',
  'ENCODEURL',
  'IMAGE',
  'STOCKHISTORY',
  'CUBEVALUE',
  'GETPIVOTDATA',
  'SQL.REQUEST',
  'DDE',
]);

/** Most arguments of a function. */
export const ARGUMENTS_MAX = 255;

/** Carries an error value out of a function, whose result it becomes. */
class FormulaFailure extends Error {
  readonly error: CellError;

  constructor(error: CellError) {
    super(error.code);
    this.error = error;
  }
}

/** Returns the value, or ends the function with its error. */
export function requireValue<T>(value: T | CellError): T {
  if (value instanceof CellError) throw new FormulaFailure(value);
  return value;
}

/** Returns a number, or ends the function with an error. */
export const numberOf = (value: Scalar | undefined): number => requireValue(toNumber(value ?? null));
/** Returns a text, or ends the function with an error. */
export const textOf = (value: Scalar | undefined): string => requireValue(toText(value ?? null));
/** Returns a boolean, or ends the function with an error. */
export const truthOf = (value: Scalar | undefined): boolean => requireValue(toBoolean(value ?? null));

/** Ends the function with an error. */
export function fail(code: CellError['code'], reason?: string): never {
  throw new FormulaFailure(new CellError(code, reason));
}

function catchFailure(run: () => Operand): Operand {
  try {
    return run();
  } catch (error) {
    if (error instanceof FormulaFailure) return error.error;
    throw error;
  }
}

/** A function of single values. */
export function scalar(
  least: number,
  most: number,
  run: (values: readonly PlainValue[], around: FormulaContext) => Scalar,
): FormulaFunction {
  return { kind: 'scalar', least, most, run: (values, around) => catchFailure(() => run(values, around)) as Scalar };
}

/** A function that takes ranges. `lists`: its arguments are evaluated cell by cell. */
export function wide(
  least: number,
  most: number,
  run: (given: readonly Operand[], around: FormulaContext, single: (operand: Operand) => Scalar) => Operand,
  lists = false,
): FormulaFunction {
  return {
    kind: 'wide',
    least,
    most,
    lists,
    run: (given, around, single) => catchFailure(() => run(given, around, single)),
  };
}

/** A function that chooses which arguments are evaluated. */
export function lazy(
  least: number,
  most: number,
  run: (
    given: readonly Formula[],
    value: (formula: Formula) => Operand,
    around: FormulaContext,
    single: (operand: Operand) => Scalar,
  ) => Operand,
): FormulaFunction {
  return {
    kind: 'lazy',
    least,
    most,
    run: (given, value, around, single) => catchFailure(() => run(given, value, around, single)),
  };
}

/** Returns an operand as a range; a single value becomes a range of one cell. */
export function matrix(operand: Operand | undefined): Matrix {
  if (operand !== undefined && isMatrix(operand)) return operand;
  return { cells: [[requireValue(operand ?? null)]], height: 1, width: 1 };
}

/** Returns all cells of the operands, row by row; single values as they are. */
export function* cellsOf(given: readonly Operand[]): Generator<Scalar> {
  for (const operand of given) {
    if (!isMatrix(operand)) yield operand;
    else for (const row of operand.cells) yield* row;
  }
}

/**
 * Returns the numbers of the operands. Texts, booleans and empty cells in ranges are skipped; single values are
 * converted to numbers.
 */
export function numbersOf(given: readonly Operand[]): number[] {
  const found: number[] = [];
  for (const operand of given) {
    if (!isMatrix(operand)) found.push(numberOf(operand));
    else
      for (const row of operand.cells)
        for (const value of row) if (typeof requireValue(value) === 'number') found.push(value as number);
  }
  return found;
}
