import type { ImportMap } from '../../../contracts/import-engine.ts';
import type { StagingColumn } from './staging-plan.ts';

/**
 * How the bytes of a cell are checked before they are loaded unchanged: VERBATIM needs no check; PARSED always needs
 * the text.
 */
export const VERBATIM = 0,
  PARSED = 1;
const UNTRIMMED = 2,
  TRIMMED = 3,
  REQUIRED = 4,
  INTEGER = 5,
  DECIMAL = 6,
  DAY = 7;

/** How the bytes of a column's cells are checked; cells that fail the check are parsed as text. */
export interface CellCheck {
  readonly kind: number;
  /** Index of the source's column. */
  readonly index: number;
  readonly digitsMax: number;
  readonly decimalsMax: number;
}

const PARSED_CHECK: CellCheck = { kind: PARSED, index: -1, digitsMax: 0, decimalsMax: 0 };

/** Returns the check that suffices to load a column's cells unchanged. */
export function cellCheck({ feeds, type }: StagingColumn): CellCheck {
  const [feed] = feeds;
  if (!feed || feeds.length !== 1 || feed.index === undefined || feed.map?.translation !== undefined)
    return PARSED_CHECK;
  const { index, map } = feed;
  const dataType = map?.dataType === 'Text' ? undefined : map?.dataType;
  if (type.sql === 'text' && dataType === undefined) return { ...PARSED_CHECK, index, kind: textKind(map) };
  // Cells of required columns may be empty and must be parsed; so must values of a type other than the column's.
  if (dataType !== undefined && dataType !== type.dataType) return PARSED_CHECK;
  const check = TYPE_CHECKS[type.sql];
  return check ? { ...PARSED_CHECK, ...check, index } : PARSED_CHECK;
}

function textKind(map: ImportMap | undefined): number {
  if (map === undefined) return VERBATIM;
  if (map.required) return REQUIRED;
  return map.isText ? UNTRIMMED : TRIMMED;
}

/** Checks of plain values by SQL type; -1 decimals: no decimal point. */
const TYPE_CHECKS: Readonly<Record<string, Partial<CellCheck>>> = {
  smallint: { kind: INTEGER, digitsMax: 4, decimalsMax: -1 },
  integer: { kind: INTEGER, digitsMax: 9, decimalsMax: -1 },
  bigint: { kind: INTEGER, digitsMax: 18, decimalsMax: -1 },
  numeric: { kind: DECIMAL, digitsMax: 18, decimalsMax: 18 },
  'numeric(19,4)': { kind: DECIMAL, digitsMax: 15, decimalsMax: 4 },
  date: { kind: DAY },
};

const MINUS = 45,
  POINT = 46,
  ZERO = 48,
  NINE = 57;

/** Whether the bytes of a cell have the plain form of their kind and can be loaded unchanged. */
export function passesCellCheck(check: CellCheck, bytes: Uint8Array, start: number, end: number): boolean {
  switch (check.kind) {
    case VERBATIM:
      return true;
    case UNTRIMMED:
      // A map turns blanks into no value.
      return start === end || isVisible(bytes[start]);
    case TRIMMED:
      return start === end || (isVisible(bytes[start]) && isVisible(bytes[end - 1]));
    case REQUIRED:
      return start < end && isVisible(bytes[start]) && isVisible(bytes[end - 1]);
    case INTEGER:
    case DECIMAL:
      return isNumber(check, bytes, start, end);
    case DAY:
      return isDay(bytes, start, end);
    default:
      return false;
  }
}

/** Whether a byte is visible ASCII: a text that starts and ends with one needs no trimming. */
function isVisible(byte: number | undefined): boolean {
  return byte !== undefined && byte > 32 && byte < 127;
}

/**
 * Whether the bytes are digits, with an optional minus sign and, if decimals are allowed, a point with digits on both
 * sides.
 */
function isNumber({ digitsMax, decimalsMax }: CellCheck, bytes: Uint8Array, start: number, end: number): boolean {
  let at = bytes[start] === MINUS ? start + 1 : start;
  const first = at;
  while (at < end && isDigit(bytes[at])) at++;
  const digits = at - first;
  if (digits === 0 || digits > digitsMax) return false;
  if (at === end) return true;
  if (decimalsMax < 0 || bytes[at] !== POINT) return false;
  const point = at++;
  while (at < end && isDigit(bytes[at])) at++;
  return at === end && at - point > 1 && at - point - 1 <= decimalsMax;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

/** Whether the bytes are `YYYY-MM-DD` with a day that every month has; later days and the year 0 are parsed as text. */
function isDay(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== 10 || bytes[start + 4] !== MINUS || bytes[start + 7] !== MINUS) return false;
  const year = digitsAt(bytes, start, 4);
  const month = digitsAt(bytes, start + 5, 2);
  const day = digitsAt(bytes, start + 8, 2);
  return year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= 28;
}

/** Returns this many digits as a number, or -1. */
function digitsAt(bytes: Uint8Array, start: number, count: number): number {
  let value = 0;
  for (let at = start; at < start + count; at++) {
    if (!isDigit(bytes[at])) return -1;
    value = value * 10 + (bytes[at] as number) - ZERO;
  }
  return value;
}
