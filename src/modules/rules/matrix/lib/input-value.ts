import { fold } from '../../../../kernel/parameters/fold.ts';
import { DIGITS_MAX } from './limits.ts';

/** What the values of an input are; undefined: each cell and each value by what it looks like. */
export type InputType = 'Text' | 'Number' | 'Date' | undefined;

/** A value as cells are compared with it: as text without case and accents, and as the number or day that it may be. */
export interface InputValue {
  readonly text: string;
  readonly number: number | undefined;
  readonly day: number | undefined;
}

const MILLISECONDS_PER_DAY = 86_400_000;

const numberPattern = /^([+-]?)\s*[$€£¥]?\s*([+-]?)(\d{1,3}(?:,\d{3})+|\d+)?(?:\.(\d*))?\s*([KM]?)$/i;
const exponents: Readonly<Record<string, number>> = { '': 0, K: 3, M: 6 };

/** A number with thousands separated or not, a money sign before it, K or M behind it; undefined where it is none. */
export function parseNumber(text: string): number | undefined {
  const trimmed = text.trim();
  const match = trimmed.length > 60 ? null : numberPattern.exec(trimmed);
  if (!match) return undefined;
  const [, sign = '', second = '', whole = '', decimals = '', unit = ''] = match;
  if (whole + decimals === '' || (sign !== '' && second !== '')) return undefined;
  const digits = `${whole.replaceAll(',', '')}${decimals}`;
  const counting = digits.replace(/^0+/, '').replace(/0+$/, '');
  if (counting.length > DIGITS_MAX) return undefined;
  // The unit goes into the exponent, so that the machine rounds once: 1.1K is exactly 1100.
  const value = Number(`${digits}e${(exponents[unit.toUpperCase()] ?? 0) - decimals.length}`);
  return sign === '-' || second === '-' ? -value : value + 0;
}

const dayPattern = /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}.*)?$/;

/** A calendar day, as the count of days since 1970; a time behind it does not move it. Undefined where the calendar has no such day. */
export function parseDay(text: string): number | undefined {
  const trimmed = text.trim();
  const match = trimmed.length > 40 ? null : dayPattern.exec(trimmed);
  if (!match) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const at = new Date(new Date(0).setUTCFullYear(year, month - 1, day));
  if (year < 1 || at.getUTCMonth() !== month - 1 || at.getUTCDate() !== day) return undefined;
  return Math.floor(at.getTime() / MILLISECONDS_PER_DAY);
}

/** The value that a text is for an input of a type; what its type does not need is not looked for. */
export function parseInputValue(text: string, type: InputType): InputValue {
  const number = type === 'Text' || type === 'Date' ? undefined : parseNumber(text);
  const day = type === 'Text' || type === 'Number' ? undefined : parseDay(text);
  return { text: fold(text), number, day };
}
