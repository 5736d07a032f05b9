import { criterion } from './criteria.ts';
import {
  cellsOf,
  fail,
  ARGUMENTS_MAX,
  matrix,
  numberOf,
  numbersOf,
  scalar,
  requireValue,
  wide,
  type FormulaContext,
  type FormulaFunction,
} from './formula-function.ts';
import { CellError, cellAt, finite, isMatrix, type Operand, type Scalar } from './cell-value.ts';

/**
 * Rounds the displayed digits half away from zero: 1.005 to two places is 1.01. `way` 1 rounds away from zero, -1
 * towards it.
 */
export function rounded(value: number, places: number, way = 0): number {
  const digits = Math.trunc(places);
  if (Math.abs(digits) > 300 || value === 0) return digits < 0 ? 0 : value;
  const moved = shifted(Math.abs(Number(value.toPrecision(15))), digits);
  const whole = roundWhole(moved, way);
  return Math.sign(value) * shifted(whole, -digits);
}

function roundWhole(value: number, way: number): number {
  if (way === 0) return Math.round(value);
  return way > 0 ? Math.ceil(value) : Math.floor(value);
}

/** Shifts the decimal point in the text, which avoids multiplying by a power of ten. */
function shifted(value: number, by: number): number {
  const [mantissa = '0', power = '0'] = value.toExponential().split('e');
  return Number(`${mantissa}e${Number(power) + by}`);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

function average(numbers: readonly number[]): number {
  return numbers.length === 0
    ? fail('#DIV/0!', 'there are no numbers to take the average of')
    : sum(numbers) / numbers.length;
}

/** Returns the sum of squared distances from the mean, divided by the count minus `less`. */
function variance(numbers: readonly number[], less: number): number {
  if (numbers.length <= less) return fail('#DIV/0!', 'there are too few numbers');
  const middle = average(numbers);
  return sum(numbers.map((each) => (each - middle) ** 2)) / (numbers.length - less);
}

const sorted = (numbers: number[]): number[] => numbers.sort((a, b) => a - b);

function percentile(numbers: number[], share: number): number {
  if (numbers.length === 0 || share < 0 || share > 1) return fail('#NUM!', 'there is no such share of the numbers');
  const at = share * (numbers.length - 1);
  const [low = 0, high = low] = sorted(numbers).slice(Math.floor(at), Math.floor(at) + 2);
  return low + (high - low) * (at - Math.floor(at));
}

const numeric = (least: number, most: number, work: (...numbers: number[]) => number): FormulaFunction =>
  scalar(least, most, (values) => finite(work(...values.map(numberOf))));
const overall = (work: (numbers: number[]) => number): FormulaFunction =>
  wide(1, ARGUMENTS_MAX, (given, around) => {
    const numbers = numbersOf(given);
    around.spend(numbers.length);
    return finite(work(numbers));
  });
const nth = (from: (numbers: number[], n: number) => number | undefined): FormulaFunction =>
  wide(
    2,
    2,
    ([range = null, n = null], _around, single) =>
      from(sorted(numbersOf([range])), Math.ceil(numberOf(single(n)))) ??
      fail('#NUM!', 'there are not so many numbers'),
  );

/** Returns the cells to sum whose corresponding cells meet all conditions. */
function chosen(
  target: Operand | undefined,
  pairs: readonly Operand[],
  around: FormulaContext,
  single: (operand: Operand) => Scalar,
): Scalar[] {
  const tests = Array.from({ length: pairs.length / 2 }, (_, n) => ({
    range: matrix(pairs[2 * n]),
    test: criterion(requireValue(single(pairs[2 * n + 1] ?? null)) as never, around),
  }));
  const first = tests[0]?.range ?? matrix(target);
  const values = target === undefined ? first : matrix(target);
  if (tests.some(({ range }) => range.height !== first.height || range.width !== first.width))
    return fail('#VALUE!', 'the ranges of the conditions are of different sizes');
  const found: Scalar[] = [];
  const [rows, columns] = [
    Math.max(...tests.map(({ range }) => range.cells.length)),
    Math.max(...tests.map(({ range }) => range.cells[0]?.length ?? 0)),
  ];
  around.spend(rows * columns * tests.length);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      if (tests.every(({ range, test }) => test(cellAt(range, row, column)))) found.push(cellAt(values, row, column));
  return found;
}

const plainNumbers = (values: readonly Scalar[]): number[] =>
  values.filter((value) => typeof requireValue(value) === 'number') as number[];
const one = (work: (numbers: number[]) => number): FormulaFunction =>
  wide(2, 3, ([range = null, condition = null, target], around, single) =>
    finite(work(plainNumbers(chosen(target, [range, condition], around, single)))),
  );
const many = (work: (numbers: number[]) => number): FormulaFunction =>
  wide(3, ARGUMENTS_MAX, ([target, ...pairs], around, single) =>
    pairs.length % 2 === 0
      ? finite(work(plainNumbers(chosen(target, pairs, around, single))))
      : fail('#VALUE!', 'a range has no condition'),
  );

function sumProduct(given: readonly Operand[], around: FormulaContext): number {
  const ranges = given.map(matrix);
  const [first] = ranges;
  if (!first || ranges.some(({ height, width }) => height !== first.height || width !== first.width))
    return fail('#VALUE!', 'the ranges of SUMPRODUCT are of different sizes');
  const rows = Math.min(...ranges.map(({ cells }) => cells.length));
  let total = 0;
  for (let row = 0; row < rows; row++) {
    const columns = Math.min(...ranges.map(({ cells }) => cells[row]?.length ?? 0));
    around.spend(columns * ranges.length);
    for (let column = 0; column < columns; column++) {
      total += ranges.reduce((product, range) => {
        const value = requireValue(cellAt(range, row, column));
        return product * (typeof value === 'number' ? value : 0);
      }, 1);
    }
  }
  return total;
}

function multiple(value: number, of: number, way: (value: number) => number): number {
  if (of === 0) return 0;
  return way(Number((value / of).toPrecision(15))) * of;
}

const median: FormulaFunction = overall((numbers) => (numbers.length === 0 ? fail('#NUM!') : percentile(numbers, 0.5)));
const sample = overall((numbers) => Math.sqrt(variance(numbers, 1)));
const whole = overall((numbers) => Math.sqrt(variance(numbers, 0)));
const rank = wide(2, 3, ([value = null, range = null, order = null], _around, single) => {
  const [target, ascending] = [numberOf(single(value)), numberOf(single(order)) !== 0];
  const numbers = numbersOf([range]);
  return numbers.includes(target)
    ? 1 + numbers.filter((each) => (ascending ? each < target : each > target)).length
    : new CellError('#N/A', 'the number is not among those of RANK');
});
const share = wide(2, 2, ([range = null, k = null], _around, single) =>
  percentile(numbersOf([range]), numberOf(single(k))),
);

/** Numeric functions. */
export const numberFunctions: Readonly<Record<string, FormulaFunction>> = {
  SUM: overall(sum),
  PRODUCT: overall((numbers) => (numbers.length === 0 ? 0 : numbers.reduce((product, each) => product * each, 1))),
  SUMSQ: overall((numbers) => sum(numbers.map((each) => each * each))),
  AVERAGE: overall(average),
  MIN: overall((numbers) => numbers.reduce((least, each) => Math.min(least, each), numbers[0] ?? 0)),
  MAX: overall((numbers) => numbers.reduce((most, each) => Math.max(most, each), numbers[0] ?? 0)),
  MEDIAN: median,
  STDEV: sample,
  'STDEV.S': sample,
  STDEVP: whole,
  'STDEV.P': whole,
  VAR: overall((numbers) => variance(numbers, 1)),
  'VAR.S': overall((numbers) => variance(numbers, 1)),
  VARP: overall((numbers) => variance(numbers, 0)),
  'VAR.P': overall((numbers) => variance(numbers, 0)),
  COUNT: wide(1, ARGUMENTS_MAX, (given) =>
    given.reduce(
      (n: number, operand) =>
        n +
        [...cellsOf([operand])].filter(
          (value) => typeof value === 'number' || (!isMatrix(operand) && typeof value === 'boolean'),
        ).length,
      0,
    ),
  ),
  COUNTA: wide(1, ARGUMENTS_MAX, (given) => [...cellsOf(given)].filter((value) => value !== null).length),
  COUNTBLANK: wide(
    1,
    1,
    ([range]) =>
      matrix(range).height * matrix(range).width -
      [...cellsOf([matrix(range)])].filter((value) => value !== null && value !== '').length,
  ),
  LARGE: nth((numbers, n) => (n < 1 ? undefined : numbers[numbers.length - n])),
  SMALL: nth((numbers, n) => numbers[n - 1]),
  RANK: rank,
  'RANK.EQ': rank,
  PERCENTILE: share,
  'PERCENTILE.INC': share,
  SUMPRODUCT: wide(1, ARGUMENTS_MAX, (given, around) => finite(sumProduct(given, around)), true),
  SUMIF: one(sum),
  AVERAGEIF: one(average),
  SUMIFS: many(sum),
  AVERAGEIFS: many(average),
  MAXIFS: many((numbers) => numbers.reduce((most, each) => Math.max(most, each), numbers[0] ?? 0)),
  MINIFS: many((numbers) => numbers.reduce((least, each) => Math.min(least, each), numbers[0] ?? 0)),
  COUNTIF: wide(2, 2, (given, around, single) => chosen(undefined, given, around, single).length),
  COUNTIFS: wide(2, ARGUMENTS_MAX, (given, around, single) =>
    given.length % 2 === 0
      ? chosen(undefined, given, around, single).length
      : fail('#VALUE!', 'a range has no condition'),
  ),
  ROUND: numeric(2, 2, (value = 0, places = 0) => rounded(value, places)),
  ROUNDUP: numeric(2, 2, (value = 0, places = 0) => rounded(value, places, 1)),
  ROUNDDOWN: numeric(2, 2, (value = 0, places = 0) => rounded(value, places, -1)),
  TRUNC: numeric(1, 2, (value = 0, places = 0) => rounded(value, places, -1)),
  INT: numeric(1, 1, (value = 0) => Math.floor(Number(value.toPrecision(15)))),
  CEILING: numeric(2, 2, (value = 0, of = 1) => multiple(value, of, Math.ceil)),
  'CEILING.MATH': numeric(1, 2, (value = 0, of = 1) => multiple(value, Math.abs(of), Math.ceil)),
  FLOOR: numeric(2, 2, (value = 0, of = 1) => (of === 0 ? fail('#DIV/0!') : multiple(value, of, Math.floor))),
  'FLOOR.MATH': numeric(1, 2, (value = 0, of = 1) => multiple(value, Math.abs(of), Math.floor)),
  MROUND: numeric(2, 2, (value = 0, of = 0) =>
    value * of < 0 ? fail('#NUM!') : multiple(value, of, (n) => rounded(n, 0)),
  ),
  ABS: numeric(1, 1, (value = 0) => Math.abs(value)),
  SIGN: numeric(1, 1, (value = 0) => Math.sign(value)),
  SQRT: numeric(1, 1, (value = 0) =>
    value < 0 ? fail('#NUM!', 'a negative number has no square root') : Math.sqrt(value),
  ),
  POWER: numeric(2, 2, (value = 0, power = 0) => (value === 0 && power < 0 ? fail('#DIV/0!') : value ** power)),
  EXP: numeric(1, 1, (value = 0) => Math.exp(value)),
  LN: numeric(1, 1, (value = 0) => (value <= 0 ? fail('#NUM!') : Math.log(value))),
  LOG: numeric(1, 2, (value = 0, base = 10) => {
    if (value <= 0 || base <= 0) return fail('#NUM!');
    if (base === 1) return fail('#DIV/0!');
    return base === 10 ? Math.log10(value) : Math.log(value) / Math.log(base);
  }),
  LOG10: numeric(1, 1, (value = 0) => (value <= 0 ? fail('#NUM!') : Math.log10(value))),
  MOD: numeric(2, 2, (value = 0, by = 0) => (by === 0 ? fail('#DIV/0!') : value - by * Math.floor(value / by))),
  QUOTIENT: numeric(2, 2, (value = 0, by = 0) => (by === 0 ? fail('#DIV/0!') : Math.trunc(value / by))),
  PI: numeric(0, 0, () => Math.PI),
  ISEVEN: scalar(1, 1, ([value]) => Math.trunc(numberOf(value)) % 2 === 0),
  ISODD: scalar(1, 1, ([value]) => Math.trunc(numberOf(value)) % 2 !== 0),
};
