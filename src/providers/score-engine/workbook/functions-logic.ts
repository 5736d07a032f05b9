import {
  fail,
  ARGUMENTS_MAX,
  lazy,
  scalar,
  requireValue,
  truthOf,
  wide,
  type FormulaFunction,
  cellsOf,
} from './formula-function.ts';
import { CellError, compare, isMatrix, numberIn, type Operand, type Scalar } from './cell-value.ts';

/** Returns the booleans of the arguments; texts and empty cells in ranges are skipped. */
function truthsOf(given: readonly Operand[]): boolean[] {
  const found: boolean[] = [];
  for (const operand of given) {
    for (const value of cellsOf([operand])) {
      const known = requireValue(value);
      if (isMatrix(operand) && (known === null || typeof known === 'string')) continue;
      found.push(truthOf(known));
    }
  }
  return found.length > 0 ? found : fail('#VALUE!', 'there is nothing that is true or false');
}

/** A predicate of a value, which may be an error. */
const asks = (answer: (value: Scalar) => boolean): FormulaFunction =>
  wide(1, 1, ([given = null], _around, single) => answer(single(given)));

/** Logical and information functions. */
export const logicFunctions: Readonly<Record<string, FormulaFunction>> = {
  IF: lazy(2, 3, ([test, then, otherwise], value, _around, single) => {
    const isTrue = truthOf(test && single(value(test)));
    const chosen = isTrue ? then : otherwise;
    return chosen === undefined ? false : (value(chosen) ?? 0);
  }),
  IFERROR: lazy(2, 2, ([tried, otherwise], value, _around, single) => {
    const found = tried ? single(value(tried)) : null;
    return found instanceof CellError && otherwise ? value(otherwise) : found;
  }),
  IFNA: lazy(2, 2, ([tried, otherwise], value, _around, single) => {
    const found = tried ? single(value(tried)) : null;
    return found instanceof CellError && found.code === '#N/A' && otherwise ? value(otherwise) : found;
  }),
  IFS: lazy(2, ARGUMENTS_MAX, (given, value, _around, single) => {
    for (let at = 0; at + 1 < given.length; at += 2) {
      const [test, then] = [given[at], given[at + 1]];
      if (test && then && truthOf(single(value(test)))) return value(then);
    }
    return new CellError('#N/A', 'none of the conditions of IFS is true');
  }),
  SWITCH: lazy(3, ARGUMENTS_MAX, ([subject, ...given], value, _around, single) => {
    const subjectValue = requireValue(subject ? single(value(subject)) : null);
    for (let at = 0; at + 1 < given.length; at += 2) {
      const [each, then] = [given[at], given[at + 1]];
      if (each && then && compare(requireValue(single(value(each))), subjectValue) === 0) return value(then);
    }
    const otherwise = given.length % 2 === 1 ? given.at(-1) : undefined;
    return otherwise ? value(otherwise) : new CellError('#N/A', 'SWITCH has no case for the value');
  }),
  CHOOSE: lazy(2, ARGUMENTS_MAX, ([index, ...given], value, _around, single) => {
    const chosen = given[Math.trunc(requireValue(Number(requireValue(index ? single(value(index)) : null)))) - 1];
    return chosen ? value(chosen) : fail('#VALUE!', 'CHOOSE has no value at that position');
  }),
  AND: wide(1, ARGUMENTS_MAX, (given) => truthsOf(given).every(Boolean)),
  OR: wide(1, ARGUMENTS_MAX, (given) => truthsOf(given).some(Boolean)),
  XOR: wide(1, ARGUMENTS_MAX, (given) => truthsOf(given).filter(Boolean).length % 2 === 1),
  NOT: scalar(1, 1, ([value]) => !truthOf(value)),
  TRUE: scalar(0, 0, () => true),
  FALSE: scalar(0, 0, () => false),
  NA: wide(0, 0, () => new CellError('#N/A')),
  N: scalar(1, 1, ([value]) => (typeof value === 'number' ? value : Number(value === true))),
  T: scalar(1, 1, ([value]) => (typeof value === 'string' ? value : '')),
  ISBLANK: asks((value) => value === null),
  ISERROR: asks((value) => value instanceof CellError),
  ISERR: asks((value) => value instanceof CellError && value.code !== '#N/A'),
  ISNA: asks((value) => value instanceof CellError && value.code === '#N/A'),
  ISNUMBER: asks((value) => typeof value === 'number'),
  ISTEXT: asks((value) => typeof value === 'string'),
  ISNONTEXT: asks((value) => typeof value !== 'string'),
  ISLOGICAL: asks((value) => typeof value === 'boolean'),
  VALUE: scalar(1, 1, ([value]) => {
    if (typeof value === 'string') return numberIn(value) ?? fail('#VALUE!', 'VALUE finds no number in the text');
    return typeof value === 'boolean' ? fail('#VALUE!') : (value ?? 0);
  }),
};
