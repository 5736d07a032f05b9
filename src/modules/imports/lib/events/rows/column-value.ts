import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { maskedStart } from '../../../../../kernel/security/mask.ts';
import { parseValue } from '../../../../../kernel/parameters/parse-value.ts';
import type { EventColumn } from '../file/event-layout.ts';

/** Results of the fast path: copy the bytes, write nothing, or parse the value. */
export const VERBATIM = 0,
  EMPTY = 1;
const NEEDS_PARSING = 2;

const ZERO = 48,
  POINT = 46,
  MINUS = 45,
  COLON = 58,
  SPACE = 32,
  CAPITAL_T = 84;

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 9;
}

function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at] as number;
  const ones = bytes[at + 1] as number;
  return isDigit(tens) && isDigit(ones) ? (tens - ZERO) * 10 + ones - ZERO : -1;
}

/**
 * Classifies `2022-03-07` and `2022-03-07T00:00:00`, the forms of nearly all dates. Senders write 1900-01-01 for no
 * date. Any other form, and days that not all months have, must be parsed.
 */
export function classifyDate(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length !== 10 && length !== 19) return NEEDS_PARSING;
  if (bytes[start + 4] !== MINUS || bytes[start + 7] !== MINUS) return NEEDS_PARSING;
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
  const month = twoDigits(bytes, start + 5);
  const day = twoDigits(bytes, start + 8);
  if (month < 1 || month > 12 || day < 1 || day > 28 || year < 1000) return NEEDS_PARSING;
  if (length === 19 && !isTime(bytes, start + 10)) return NEEDS_PARSING;
  return year === 1900 && month === 1 && day === 1 ? EMPTY : VERBATIM;
}

/** Whether the bytes are `T00:00:00`, or the same after a space. */
function isTime(bytes: Uint8Array, start: number): boolean {
  const mark = bytes[start];
  if ((mark !== CAPITAL_T && mark !== SPACE) || bytes[start + 3] !== COLON || bytes[start + 6] !== COLON) return false;
  const hour = twoDigits(bytes, start + 1);
  const minute = twoDigits(bytes, start + 4);
  const second = twoDigits(bytes, start + 7);
  return hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second <= 59;
}

/** Classifies `1234.50`; any other form of an amount must be parsed. */
export function classifyAmount(bytes: Uint8Array, start: number, end: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  const whole = at;
  while (at < end && isDigit(bytes[at])) at++;
  if (at === whole || at - whole > 15) return NEEDS_PARSING;
  if (at === end) return VERBATIM;
  const decimals = end - at - 1;
  if (bytes[at] !== POINT || decimals < 1 || decimals > 4) return NEEDS_PARSING;
  for (at++; at < end; at++) if (!isDigit(bytes[at])) return NEEDS_PARSING;
  return VERBATIM;
}

/** Characters of a value shown in a message. */
const VALUE_CHARACTERS_SHOWN = 60;

const EMPTY_DATE = /^1900-01-01(?:$|[T ])/i;

/**
 * Returns a value in the database's form, '' for none.
 * @throws BAD_PARAMETER naming the column, the value and what was expected
 */
export function columnValue(column: EventColumn, text: string, zone: string): string {
  const trimmed = text.trim();
  if (trimmed === '' || ((column.kind === 'day' || column.kind === 'instant') && EMPTY_DATE.test(trimmed))) return '';
  try {
    return String(parseValue(column.field, trimmed, column.name, { timeZone: zone }));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const expected = error.message.slice(column.name.length + 2);
    // Texts may be too long or personal; do not repeat them.
    if (column.kind === 'text') throw error;
    throw new PlatformError('BAD_PARAMETER', {
      field: column.name,
      message: `${column.name}: "${maskedStart(trimmed, VALUE_CHARACTERS_SHOWN)}" is not valid; ${expected}`,
    });
  }
}
