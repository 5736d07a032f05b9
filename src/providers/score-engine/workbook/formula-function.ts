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

/** What a formula sees: where it stands, and the values that are calculated already. */
export interface FormulaContext {
  readonly place: { readonly row: number; readonly column: number };
  /** How far a shared formula is from where it was written. */
  readonly shift: { readonly rows: number; readonly columns: number };
  /** Ranges are worked on cell by cell, as in SUMPRODUCT and in formulas of lists. */
  readonly lists: boolean;
  /** The day and time now, as workbooks count days. */
  readonly now: number;
  readonly from1904: boolean;
  /** A sheet by its name, the formula's own without one. */
  sheet(
    name: string | undefined,
  ): { readonly height: number; readonly width: number; valueAt(row: number, column: number): Scalar } | undefined;
  named(name: string, sheet: string | undefined): Formula | undefined;
  /** Counts work. @throws LimitFault where there was too much of it */
  spend(steps: number): void;
}

/** A value that is no error. */
export type PlainValue = Exclude<Scalar, CellError>;

/**
 * A function of formulas: `scalar` ones take single values without errors, `wide` ones ranges as they are, `lazy` ones
 * choose what is calculated.
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

/** Functions that reach outside, or whose result changes by itself: they are known, and not calculated. */
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

/** The most values that a function takes. */
export const ARGUMENTS_MAX = 255;

/** Carries an error that was found below out to the function, whose value it becomes. */
class FormulaFailure extends Error {
  readonly error: CellError;

  constructor(error: CellError) {
    super(error.code);
    this.error = error;
  }
}

/** A value, or the end of the function with its error. */
export function requireValue<T>(value: T | CellError): T {
  if (value instanceof CellError) throw new FormulaFailure(value);
  return value;
}

/** A number, or the end of the function. */
export const numberOf = (value: Scalar | undefined): number => requireValue(toNumber(value ?? null));
/** A text, or the end of the function. */
export const textOf = (value: Scalar | undefined): string => requireValue(toText(value ?? null));
/** True or false, or the end of the function. */
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

/** A function that takes ranges. `lists`: what is calculated within it works cell by cell. */
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

/** A function that chooses what is calculated. */
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

/** A range; one value counts as a range of one cell. */
export function matrix(operand: Operand | undefined): Matrix {
  if (operand !== undefined && isMatrix(operand)) return operand;
  return { cells: [[requireValue(operand ?? null)]], height: 1, width: 1 };
}

/** All cells of what was given, row by row; single values stand for themselves. */
export function* cellsOf(given: readonly Operand[]): Generator<Scalar> {
  for (const operand of given) {
    if (!isMatrix(operand)) yield operand;
    else for (const row of operand.cells) yield* row;
  }
}

/**
 * The numbers of what was given: in ranges texts, truths and empty cells are passed over, elsewhere they count as
 * numbers.
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
