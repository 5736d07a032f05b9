import { fold } from '../../kernel/parameters/fold.ts';
import { parseDay, parseNumber, type InputType } from './input-value.ts';

/** Most values, ranges and bounds in one cell. */
const CELL_ITEMS_MAX = 500;

/** One item that a cell lists. A value may be equal in more than one way; bounds belong to the range. */
export type CellItem =
  | {
      readonly kind: 'value';
      readonly text: string | undefined;
      readonly number: number | undefined;
      readonly day: number | undefined;
    }
  | { readonly kind: 'range'; readonly scale: 'number' | 'day'; readonly low: number; readonly high: number };

/** The condition of a filled input cell: true if any item holds or, when negated, if none does. */
export interface ParsedCell {
  readonly negated: boolean;
  readonly items: readonly CellItem[];
}

/** Thrown for a cell that cannot be parsed. `expected` completes a sentence after "expected". */
export class CellSyntaxError extends Error {
  readonly expected: string;
  constructor(expected: string) {
    super(`expected ${expected}`);
    this.expected = expected;
  }
}

/**
 * Parses an input cell: a value, a list (`AR, CA, FL`), a range (`45 - 99999`, both ends included), a bound (`>500K`,
 * `<=10`), or `not` before any of them. Quoted values are literal. Returns undefined for an empty cell, which matches
 * anything. Throws CellFault.
 */
export function parseCell(source: string, type: InputType): ParsedCell | undefined {
  const whole = source.trim();
  if (whole === '') return undefined;
  const { negated, pieces } = splitCell(whole, type);
  if (/^not$/i.test(whole) || pieces.some((piece) => piece === ''))
    throw new CellSyntaxError('a value between commas, and one after "not"');
  if (pieces.length > CELL_ITEMS_MAX) throw new CellSyntaxError(`at most ${CELL_ITEMS_MAX} values in a list`);
  if (pieces.length > 1 && pieces.some((piece) => /^not\s/i.test(piece)))
    throw new CellSyntaxError('"not" once, before the whole list');
  return { negated, items: pieces.map((piece) => parseItem(piece, type)) };
}

/** Splits a cell at commas outside quotes and takes off its "not". */
export function splitCell(
  whole: string,
  type: InputType,
): { readonly negated: boolean; readonly pieces: readonly string[] } {
  const negated = /^not\s/i.test(whole);
  return { negated, pieces: splitItems(negated ? whole.slice(4) : whole, type) };
}

/**
 * Returns the items of a valid cell of an input without a type as they are written, except those in quotes. `isText`:
 * the item is neither a number, a day nor a range, so it is compared as text.
 */
export function writtenItems(source: string): readonly { readonly piece: string; readonly isText: boolean }[] {
  const whole = source.trim();
  if (whole === '') return [];
  return splitCell(whole, undefined).pieces.flatMap((piece) => {
    if (piece.startsWith('"')) return [];
    const item = parseItem(piece, undefined);
    return [{ piece, isText: item.kind === 'value' && item.number === undefined && item.day === undefined }];
  });
}

/** Splits at commas outside quotes. Where numbers are allowed, a comma that groups thousands does not split. */
function splitItems(text: string, type: InputType): string[] {
  if (!text.includes(',')) return [text.trim()];
  const pieces: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    if (text[at] !== ',' || isQuoted || (type !== 'Text' && groupsThousands(text, start, at))) continue;
    pieces.push(text.slice(start, at).trim());
    start = at + 1;
  }
  pieces.push(text.slice(start).trim());
  return pieces;
}

/** Whether a comma is between a digit and exactly three more digits, as in 1,000. */
function groupsThousands(text: string, start: number, comma: number): boolean {
  return (
    /^,\d{3}(?!\d)/.test(text.slice(comma, comma + 5)) &&
    /(?:^|[^\d.])\d{1,3}(?:,\d{3})*$/.test(text.slice(Math.max(start, comma - 24), comma))
  );
}

function parseItem(piece: string, type: InputType): CellItem {
  if (piece.startsWith('"')) return quotedItem(piece, type);
  const bound = /^(>=|<=|>|<|≥|≤)\s*(.*)$/s.exec(piece);
  if (bound) return boundItem(bound[1] ?? '', bound[2] ?? '', type);
  const range = type === 'Text' ? undefined : rangeItem(piece, type);
  return range ?? valueItem(piece, type);
}

function quotedItem(piece: string, type: InputType): CellItem {
  const inner = /^"((?:[^"]|"")*)"$/s.exec(piece)?.[1];
  if (inner === undefined) throw new CellSyntaxError('a closing quote at the end of a quoted value');
  if (type === 'Number' || type === 'Date')
    throw new CellSyntaxError(`${expectedForm(type)}; quoted text is only for text inputs`);
  return { kind: 'value', text: fold(inner.replaceAll('""', '"')), number: undefined, day: undefined };
}

const expectedForm = (type: 'Number' | 'Date'): string =>
  type === 'Number' ? 'a number such as 1,500, $1500.50 or 500K' : 'a day such as 2026-01-31';

function boundItem(sign: string, text: string, type: InputType): CellItem {
  if (type === 'Text')
    throw new CellSyntaxError('a value: text has no greater or less; quote it to use the character itself');
  const number = type === 'Date' ? undefined : parseNumber(text);
  const day = type === 'Number' ? undefined : parseDay(text);
  const value = number ?? day;
  if (value === undefined)
    throw new CellSyntaxError(
      `${type === undefined ? `${expectedForm('Number')}, or ${expectedForm('Date')},` : expectedForm(type)} ` +
        `after ${sign}`,
    );
  const scale = number === undefined ? 'day' : 'number';
  if (sign === '>=' || sign === '≥') return { kind: 'range', scale, low: value, high: Infinity };
  if (sign === '<=' || sign === '≤') return { kind: 'range', scale, low: -Infinity, high: value };
  return sign === '>'
    ? { kind: 'range', scale, low: nextNumber(value), high: Infinity }
    : { kind: 'range', scale, low: -Infinity, high: -nextNumber(-value) };
}

/**
 * Parses a range, or returns undefined. Without spaces around the dash only number columns have ranges: 555-1234 may be
 * a name.
 */
function rangeItem(piece: string, type: InputType): CellItem | undefined {
  const ends =
    /^(.+?)\s+[-–]\s+(.+)$/s.exec(piece) ?? (type === 'Number' ? /^([^-–]+)[-–]([^-–]+)$/s.exec(piece) : null);
  if (!ends) return undefined;
  for (const [scale, read] of [
    ['number', parseNumber],
    ['day', parseDay],
  ] as const) {
    if ((scale === 'number' && type === 'Date') || (scale === 'day' && type === 'Number')) continue;
    const [low, high] = [read(ends[1] ?? ''), read(ends[2] ?? '')];
    if (low === undefined || high === undefined) continue;
    if (low > high)
      throw new CellSyntaxError('a range that begins with its lower end; as written, nothing can match it');
    return { kind: 'range', scale, low, high };
  }
  return undefined;
}

function valueItem(piece: string, type: InputType): CellItem {
  const number = type === 'Text' || type === 'Date' ? undefined : parseNumber(piece);
  const day = type === 'Text' || type === 'Number' ? undefined : parseDay(piece);
  if (type === 'Number' && number === undefined) throw new CellSyntaxError(expectedForm(type));
  if (type === 'Date' && day === undefined) throw new CellSyntaxError(expectedForm(type));
  return { kind: 'value', text: type === 'Number' || type === 'Date' ? undefined : fold(piece), number, day };
}

const bits = new DataView(new ArrayBuffer(8));

/** Returns the next representable number above: no number with the permitted digits is between the two. */
function nextNumber(value: number): number {
  if (value === 0) return Number.MIN_VALUE;
  bits.setFloat64(0, value);
  bits.setBigInt64(0, bits.getBigInt64(0) + (value > 0 ? 1n : -1n));
  return bits.getFloat64(0);
}

/** Whether a value satisfies a cell. This is the reference meaning that the index must agree with. */
export function matchesCell(
  cell: ParsedCell,
  value: { readonly text: string; readonly number: number | undefined; readonly day: number | undefined },
): boolean {
  return (
    cell.negated !==
    cell.items.some((item) => {
      if (item.kind === 'value')
        return (
          (item.text !== undefined && item.text === value.text) ||
          (item.number !== undefined && item.number === value.number) ||
          (item.day !== undefined && item.day === value.day)
        );
      const at = item.scale === 'number' ? value.number : value.day;
      return at !== undefined && at >= item.low && at <= item.high;
    })
  );
}
