import { fold } from '../../kernel/parameters/fold.ts';

/** Most significant digits of a number: floating-point arithmetic cannot distinguish more. */
export const DIGITS_MAX = 15;

/** The type of an input's values. Undefined: each cell and each value is read by its form. */
export type InputType = 'Text' | 'Number' | 'Date' | undefined;

/** A value as cells are compared with it: text without case and accents, and the number or day that it may also be. */
export interface InputValue {
  readonly text: string;
  readonly number: number | undefined;
  readonly day: number | undefined;
}

const MILLISECONDS_PER_DAY = 86_400_000;

const numberPattern = /^([+-]?)\s*[$€£¥]?\s*([+-]?)(\d{1,3}(?:,\d{3})+|\d+)?(?:\.(\d*))?\s*([KM]?)$/i;
const exponents: Readonly<Record<string, number>> = { '': 0, K: 3, M: 6 };

/**
 * Parses a number, with or without thousands separators, `$` before it, K or M after it. Returns undefined if it is
 * none.
 */
export function parseNumber(text: string): number | undefined {
  const trimmed = text.trim();
  const match = trimmed.length > 60 ? null : numberPattern.exec(trimmed);
  if (!match) return undefined;
  const [, sign = '', second = '', whole = '', decimals = '', unit = ''] = match;
  if (whole + decimals === '' || (sign !== '' && second !== '')) return undefined;
  const digits = `${whole.replaceAll(',', '')}${decimals}`;
  const counting = digits.replace(/^0+/, '').replace(/0+$/, '');
  if (counting.length > DIGITS_MAX) return undefined;
  // The unit goes into the exponent so that rounding happens once: 1.1K is exactly 1100.
  const value = Number(`${digits}e${(exponents[unit.toUpperCase()] ?? 0) - decimals.length}`);
  return sign === '-' || second === '-' ? -value : value + 0;
}

const dayPattern = /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}.*)?$/;

/**
 * Parses a calendar day into days since 1970; a time after it is ignored. Returns undefined for a day that does not
 * exist.
 */
export function parseDay(text: string): number | undefined {
  const trimmed = text.trim();
  const match = trimmed.length > 40 ? null : dayPattern.exec(trimmed);
  if (!match) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const at = new Date(new Date(0).setUTCFullYear(year, month - 1, day));
  if (year < 1 || at.getUTCMonth() !== month - 1 || at.getUTCDate() !== day) return undefined;
  return Math.floor(at.getTime() / MILLISECONDS_PER_DAY);
}

/** Reads a text as a value of an input's type, skipping forms that the type does not need. */
export function parseInputValue(text: string, type: InputType): InputValue {
  const number = type === 'Text' || type === 'Date' ? undefined : parseNumber(text);
  const day = type === 'Text' || type === 'Number' ? undefined : parseDay(text);
  return { text: fold(text), number, day };
}
