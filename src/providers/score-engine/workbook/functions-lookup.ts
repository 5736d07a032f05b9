import { matches } from './criteria.ts';
import {
  fail,
  matrix,
  numberOf,
  scalar,
  requireValue,
  textOf,
  truthOf,
  wide,
  lazy,
  type FormulaContext,
  type FormulaFunction,
  type PlainValue,
} from './formula-function.ts';
import {
  CellError,
  cellAt,
  compare,
  isMatrix,
  matrixOf,
  type Matrix,
  type Operand,
  type Scalar,
} from './cell-value.ts';

/** Returns the cells of one row or column, in order. */
function lineOf(operand: Operand | undefined): Scalar[] {
  const { cells, height, width } = matrix(operand);
  if (height !== 1 && width !== 1) return fail('#N/A', 'a single row or column is expected to be searched');
  return height === 1 ? [...(cells[0] ?? [])] : cells.map((row) => row[0] ?? null);
}

/**
 * Returns the position of a value: an exact match, patterns included, or in sorted data the last one that is not
 * greater (way 1) or not less (way -1).
 */
function placeOf(key: PlainValue, line: readonly Scalar[], way: number, around: FormulaContext): number {
  around.spend(line.length);
  const isLike = (value: Scalar): value is Exclude<PlainValue, null> =>
    !(value instanceof CellError) && value !== null && typeof value === typeof (key ?? 0);
  if (way === 0)
    return line.findIndex(
      (value) =>
        isLike(value) &&
        (compare(value, key) === 0 ||
          (typeof key === 'string' &&
            /[*?~]/.test(key) &&
            matches(key, value as string, around, { whole: true }) === 0)),
    );
  let [low, high] = [0, line.length];
  // Binary search as in spreadsheet programs, so that unsorted data gives the same result.
  while (low < high) {
    const middle = (low + high) >>> 1;
    let at = middle;
    while (at >= low && !isLike(line[at] ?? null)) at--;
    const value = line[at] ?? null;
    if (at < low) low = middle + 1;
    else if (isLike(value) && compare(value, key) * way <= 0) low = middle + 1;
    else high = at;
  }
  for (let at = low - 1; at >= 0; at--) if (isLike(line[at] ?? null)) return at;
  return -1;
}

const notFound = (): CellError => new CellError('#N/A', 'the value was not found');

function table(way: 'rows' | 'columns'): FormulaFunction {
  return wide(3, 4, ([key = null, range, index = null, near = true], around, single) => {
    const { cells, width, height } = matrix(range);
    const line = way === 'rows' ? cells.map((row) => row[0] ?? null) : [...(cells[0] ?? [])];
    const at = Math.trunc(numberOf(single(index))) - 1;
    if (at < 0) return fail('#VALUE!', 'the place of the answer is less than 1');
    if (at >= (way === 'rows' ? width : height)) return fail('#REF!', 'the place of the answer is beyond the range');
    const found = placeOf(requireValue<PlainValue>(single(key)), line, truthOf(single(near)) ? 1 : 0, around);
    if (found < 0) return notFound();
    return (way === 'rows' ? cells[found]?.[at] : cells[at]?.[found]) ?? 0;
  });
}

function index([range, row = null, column]: readonly Operand[], single: (operand: Operand) => Scalar): Operand {
  const whole: Matrix = matrix(range);
  const first = Math.trunc(numberOf(single(row)));
  const [down, right] =
    column === undefined && whole.height === 1
      ? [1, first]
      : [first, Math.trunc(numberOf(column === undefined ? Number(whole.width === 1) : single(column)))];
  if (down < 0 || right < 0) return fail('#VALUE!');
  if (down > whole.height || right > whole.width) return fail('#REF!', 'INDEX points beyond the range');
  if (down > 0 && right > 0) return cellAt(whole, down - 1, right - 1) ?? 0;
  if (down > 0) return matrixOf([whole.cells[down - 1] ?? []]);
  return right > 0 ? matrixOf(whole.cells.map((line) => [line[right - 1] ?? null])) : whole;
}

/** Lookup functions. */
export const lookupFunctions: Readonly<Record<string, FormulaFunction>> = {
  VLOOKUP: table('rows'),
  HLOOKUP: table('columns'),
  MATCH: wide(2, 3, ([key = null, range, way = 1], around, single) => {
    const at = placeOf(requireValue<PlainValue>(single(key)), lineOf(range), Math.sign(numberOf(single(way))), around);
    return at < 0 ? notFound() : at + 1;
  }),
  INDEX: wide(2, 3, (given, _around, single) => index(given, single)),
  LOOKUP: wide(2, 3, ([key = null, range, result], around, single) => {
    const at = placeOf(requireValue<PlainValue>(single(key)), lineOf(range), 1, around);
    return at < 0 ? notFound() : (lineOf(result ?? range)[at] ?? 0);
  }),
  XLOOKUP: wide(3, 4, ([key = null, range, result, otherwise], around, single) => {
    const at = placeOf(requireValue<PlainValue>(single(key)), lineOf(range), 0, around);
    if (at >= 0) return lineOf(result)[at] ?? 0;
    return otherwise === undefined ? notFound() : single(otherwise);
  }),
  ROWS: wide(1, 1, ([range]) => matrix(range).height),
  COLUMNS: wide(1, 1, ([range]) => matrix(range).width),
  ROW: lazy(
    0,
    1,
    ([of], value, around) => originOf(of === undefined ? undefined : value(of), 'row') ?? around.place.row + 1,
  ),
  COLUMN: lazy(
    0,
    1,
    ([of], value, around) => originOf(of === undefined ? undefined : value(of), 'column') ?? around.place.column + 1,
  ),
  // Returns the displayed text; opens nothing.
  HYPERLINK: scalar(1, 2, ([address, shown]) => (shown === undefined ? textOf(address) : shown)),
};

function originOf(operand: Operand | undefined, part: 'row' | 'column'): number | undefined {
  if (operand === undefined) return undefined;
  return isMatrix(operand) && operand.place ? operand.place[part] + 1 : fail('#VALUE!', 'a cell is expected');
}
