import type { FormulaContext, PlainValue } from './formula-function.ts';
import { CellError, compare, numberIn, type Scalar } from './cell-value.ts';

/** Longest pattern. */
const PATTERN_CHARACTERS_MAX = 255;

/**
 * Returns the position of the first match of a pattern with `*`, `?` and `~`, from `start`; -1 without a match.
 * `whole`: the whole text must match. Backtracks only to the last `*`, so the time is bounded by the product of the
 * lengths.
 */
export function matches(
  pattern: string,
  text: string,
  around: FormulaContext,
  { whole, start = 0 }: { readonly whole: boolean; readonly start?: number },
): number {
  if (pattern.length > PATTERN_CHARACTERS_MAX) return -1;
  const signs = signsOf(pattern.toLowerCase());
  const low = text.toLowerCase();
  if (!whole && !signs.includes(null)) return indexOfSigns(signs as readonly string[], low, start, around);
  for (let from = start; from <= low.length; from++) {
    around.spend(1 + Math.ceil(((low.length - from) * signs.length) / 16));
    if (fits(signs, low, from, whole)) return from;
    if (whole) return -1;
  }
  return -1;
}

const wildcards: ReadonlyMap<string, string | null> = new Map([
  ['*', null],
  ['?', ''],
]);

/** Parses a pattern: null for any number of characters, an empty text for one. */
function signsOf(pattern: string): (string | null)[] {
  const signs: (string | null)[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern.charAt(at);
    if (sign === '~' && '*?~'.includes(pattern.charAt(at + 1)) && at + 1 < pattern.length)
      signs.push(pattern.charAt(++at));
    else signs.push(wildcards.has(sign) ? (wildcards.get(sign) ?? null) : sign);
  }
  return signs;
}

function indexOfSigns(signs: readonly string[], text: string, start: number, around: FormulaContext): number {
  for (let from = start; from + signs.length <= text.length; from++) {
    around.spend(1);
    if (signs.every((sign, at) => sign === '' || sign === text.charAt(from + at))) return from;
  }
  return -1;
}

function fits(signs: readonly (string | null)[], text: string, from: number, whole: boolean): boolean {
  let [sign, at, star, held] = [0, from, -1, from];
  while (at < text.length) {
    if (!whole && sign === signs.length) return true;
    if (sign < signs.length && signs[sign] === null) [star, held] = [sign++, at];
    else if (sign < signs.length && (signs[sign] === '' || signs[sign] === text.charAt(at)))
      [sign, at] = [sign + 1, at + 1];
    else if (star >= 0) [sign, at] = [star + 1, ++held];
    else return false;
  }
  while (sign < signs.length && signs[sign] === null) sign++;
  return sign === signs.length;
}

/** Parses a criterion of COUNTIF and similar functions: `>5`, `<>x`, a text with `*`, or a value. */
export function criterion(condition: PlainValue, around: FormulaContext): (value: Scalar) => boolean {
  if (typeof condition !== 'string')
    return (value) =>
      !(value instanceof CellError) &&
      value !== null &&
      typeof value === typeof (condition ?? 0) &&
      compare(value, condition ?? 0) === 0;
  const [, sign = '', rest = ''] = /^(<=|>=|<>|=|<|>)?(.*)$/s.exec(condition) ?? [];
  const number = numberIn(rest);
  const truth = /^(?:true|false)$/i.test(rest) ? rest.toLowerCase() === 'true' : undefined;
  const operand: PlainValue = number ?? truth ?? rest;
  const isEqual = (value: Scalar): boolean => {
    if (value instanceof CellError) return false;
    if (rest === '') return sign === '' ? value === null || value === '' : value === null;
    if (value === null) return false;
    if (typeof operand === 'string')
      return typeof value === 'string' && matches(operand, value, around, { whole: true }) === 0;
    if (typeof value === 'string' && typeof operand === 'number') return numberIn(value) === operand;
    return typeof value === typeof operand && compare(value, operand) === 0;
  };
  if (sign === '' || sign === '=') return isEqual;
  if (sign === '<>') return (value) => !isEqual(value);
  return (value) => {
    if (value instanceof CellError || value === null || typeof value !== typeof operand) return false;
    return isInOrder(sign, compare(value, operand));
  };
}

function isInOrder(sign: string, order: number): boolean {
  switch (sign) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    default:
      return order >= 0;
  }
}
