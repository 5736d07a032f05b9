import { splitCommaList } from './split-list.ts';
import { instantOfWallClock } from '../time/clock.ts';
import { PlatformError } from '../door/errors.ts';
import { EXAMPLE_NUMBERS } from '../security/mask.ts';
import type { Field, FieldKind } from '../declare/field-types.ts';

/** A value as it was sent: text of a query, form or XML, a JSON scalar, or a list if a name was sent more than once. */
export type RawValue = string | number | boolean | null | readonly RawValue[] | { readonly [name: string]: RawValue };

/** What parsing a value depends on besides the field: the installation's time zone. */
export interface ParseOptions {
  readonly timeZone: string;
}

/** Longest text of any field, in characters. Bodies of messages are the largest values sent as parameters. */
const TEXT_LENGTH_MAX = 10_000_000;
/** Greatest number of a column of type integer, and the greatest below 0. */
const INTEGER_MAX = 2_147_483_647;
/** Most ids of one list. */
export const ID_LIST_MAX = 10_000;

/**
 * Converts a raw value into the field's form inside the platform. Empty text and null both become null.
 * @throws BAD_PARAMETER naming the field and what was expected; TOO_LARGE for more ids than the field's `max`
 */
export function parseValue(field: Field, raw: RawValue, name: string, options: ParseOptions): unknown {
  if (raw === null || raw === '') return null;
  if (field.kind === 'json') return raw;
  if (field.kind === 'idList') return parseIdList(raw, name, field);
  if (field.kind === 'textList') return parseTextList(raw, name);
  if (typeof raw === 'object') throw bad(name, 'one value, not a list or an object');
  return parsers[field.kind](raw, name, field, options);
}

type Parser = (raw: string | number | boolean, name: string, field: Field, options: ParseOptions) => unknown;

const parsers: Readonly<Record<Exclude<FieldKind, 'json' | 'idList' | 'textList'>, Parser>> = {
  text: parseText,
  xml: parseText,
  integer: parseInteger,
  id: parseId,
  decimal: (raw, name) => parseDecimal(raw, name, 18),
  money: (raw, name) => parseDecimal(raw, name, 4),
  boolean: parseBoolean,
  date: parseDate,
  timestamp: (raw, name, _field, options) => parseTimestamp(raw, name, options),
  ssn: parseSsn,
};

/**
 * Returns the error for a parameter's value: names it and says what was expected. Does not repeat the value, which may
 * be personal.
 */
export function bad(name: string, expected: string): PlatformError {
  return new PlatformError('BAD_PARAMETER', { field: name, message: `${name}: expected ${expected}.` });
}

function parseText(raw: string | number | boolean, name: string, field: Field): string {
  const text = String(raw);
  if (text.includes('\u0000')) throw bad(name, 'text without NUL characters');
  if (!text.isWellFormed()) throw bad(name, 'well-formed Unicode text');
  if (field.values) {
    const value = field.values.find((v) => v.toLowerCase() === text.toLowerCase());
    if (value === undefined) throw bad(name, `one of ${field.values.join(', ')}`);
    return value;
  }
  const max = field.max ?? TEXT_LENGTH_MAX;
  if (text.length > max && Array.from(text).length > max) throw bad(name, `at most ${max} characters`);
  return text;
}

function parseInteger(raw: string | number | boolean, name: string): number {
  const value = typeof raw === 'string' && /^\s*[+-]?\d{1,30}\s*$/.test(raw) ? Number(raw) : raw;
  if (typeof value !== 'number' || !Number.isInteger(value)) throw bad(name, 'a whole number, such as 12');
  if (Math.abs(value) > INTEGER_MAX) throw bad(name, `a whole number from -${INTEGER_MAX} to ${INTEGER_MAX}`);
  return value;
}

function parseId(raw: RawValue, name: string): number {
  const value = typeof raw === 'string' && /^\s*\d{1,16}\s*$/.test(raw) ? Number(raw) : raw;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
    throw bad(name, 'one ID: a whole number above 0');
  return value;
}

function parseIdList(raw: RawValue, name: string, { max }: Field): readonly number[] {
  const parts = Array.isArray(raw) ? (raw as readonly RawValue[]) : [raw];
  const ids = new Set<number>();
  for (const part of parts) {
    const pieces: readonly RawValue[] =
      typeof part === 'string' ? part.split(',').filter((p) => p.trim() !== '') : [part];
    for (const piece of pieces) ids.add(parseId(piece, name));
  }
  if (ids.size === 0) throw bad(name, 'at least one ID');
  if (max !== undefined && ids.size > max)
    throw new PlatformError('TOO_LARGE', { field: name, message: `${name}: a call accepts at most ${max} IDs.` });
  if (ids.size > ID_LIST_MAX) throw bad(name, `at most ${ID_LIST_MAX} IDs`);
  return [...ids];
}

function parseTextList(raw: RawValue, name: string): readonly string[] {
  const parts = Array.isArray(raw) ? (raw as readonly RawValue[]) : [raw];
  return parts.flatMap((part) => {
    if (typeof part === 'object') throw bad(name, 'a list of words');
    return splitCommaList(String(part));
  });
}

/**
 * Returns a decimal as canonical text: no plus sign, no sign for zero, no leading zeros, at least one digit before the
 * point.
 */
export function parseDecimal(raw: string | number | boolean, name: string, decimalsMax: number): string {
  const match = /^([+-]?)\$?(\d{1,3}(?:,\d{3})+|\d{1,20})?(?:\.(\d*))?$/.exec(decimalText(raw));
  const [, sign, sentWhole = '', sentDecimals = ''] = match ?? [];
  const whole = sentWhole.replaceAll(',', '');
  const decimals = withoutTrailingZeros(sentDecimals);
  if (!match || (whole === '' && sentDecimals === '')) throw bad(name, 'a number such as 1234.50');
  if (decimals.length > decimalsMax) throw bad(name, `a number with at most ${decimalsMax} decimals`);
  if (whole.length > 15) throw bad(name, 'a number with at most 15 digits before the point');
  const digits = whole.replace(/^0+(?=\d)/, '') || '0';
  const value = decimals === '' ? digits : `${digits}.${decimals}`;
  return sign === '-' && /[1-9]/.test(value) ? `-${value}` : value;
}

/** Returns a sent decimal as text, without the exponent that JavaScript writes for very small and large numbers. */
function decimalText(raw: string | number | boolean): string {
  if (typeof raw === 'string') return raw.trim();
  if (typeof raw === 'boolean') return '';
  const text = String(raw);
  return text.includes('e') && Number.isFinite(raw) ? raw.toFixed(18) : text;
}

/** Returns digits without the zeros at their end. A pattern would read each run of zeros once for each of its zeros. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits.charAt(end - 1) === '0') end--;
  return digits.slice(0, end);
}

function parseBoolean(raw: string | number | boolean, name: string): boolean {
  const text = String(raw).trim().toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(text)) return true;
  if (['false', '0', 'no', 'off'].includes(text)) return false;
  throw bad(name, 'true or false');
}

/** The date in messages that ask for one; it is not masked in the error log. */
export const EXAMPLE_DATE = '2026-01-31';

const datePattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/i;

function matchDate(raw: string | number | boolean, name: string): RegExpExecArray {
  const match = typeof raw === 'string' ? datePattern.exec(raw.trim()) : null;
  if (!match) throw bad(name, `a date such as ${EXAMPLE_DATE} or ${EXAMPLE_DATE}T14:30:00+01:00`);
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const real = new Date(utc(year, month, day));
  if (year < 1 || real.getUTCMonth() !== month - 1 || real.getUTCDate() !== day)
    throw bad(name, `a day that exists, such as ${EXAMPLE_DATE}`);
  if (Number(match[4] ?? 0) > 23 || Number(match[5] ?? 0) > 59 || Number(match[6] ?? 0) > 59)
    throw bad(name, 'a time that exists, from 00:00 to 23:59:59');
  return match;
}

/** Like Date.UTC, which would read years below 100 as 19xx. */
function utc(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

/** Returns the calendar date as written; a time and time zone after it are allowed and do not move it. */
function parseDate(raw: string | number | boolean, name: string): string {
  const match = matchDate(raw, name);
  return `${match[1]}-${match[2]}-${match[3]}`;
}

function parseTimestamp(raw: string | number | boolean, name: string, options: ParseOptions): string {
  const m = matchDate(raw, name);
  const milliseconds = Number((m[7] ?? '').padEnd(3, '0').slice(0, 3));
  const seconds = (Number(m[4] ?? 0) * 60 + Number(m[5] ?? 0)) * 60 + Number(m[6] ?? 0);
  const wall = utc(Number(m[1]), Number(m[2]), Number(m[3])) + seconds * 1000 + milliseconds;
  const text = new Date(instantOf(wall, m[8], name, options)).toISOString();
  // Outside these years ISO 8601 has a sign and PostgreSQL another format.
  if (!/^\d{4}-/.test(text) || text.startsWith('0000')) throw bad(name, 'an instant between the years 1 and 9999');
  return text;
}

function instantOf(wall: number, zone: string | undefined, name: string, options: ParseOptions): number {
  if (zone === undefined) return instantOfWallClock(options.timeZone, wall);
  if (zone.toUpperCase() === 'Z') return wall;
  const [hours, rest] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
  if (hours > 14 || rest > 59) throw bad(name, 'a time zone between -14:59 and +14:59');
  return wall - (zone.startsWith('-') ? -1 : 1) * (hours * 60 + rest) * 60_000;
}

function parseSsn(raw: string | number | boolean, name: string): string {
  const text = String(raw).trim();
  const digits = text.replaceAll('-', '');
  if (!/^\d{9}$|^\d{3}-\d{2}-\d{4}$/.test(text)) throw bad(name, `nine digits, such as ${EXAMPLE_NUMBERS}`);
  return digits;
}
