import { CellSyntaxError, parseCell, splitCell, type CellItem } from './cell.ts';
import { DIGITS_MAX, parseDay, parseNumber, type InputType } from './input-value.ts';
import { misreadAdvice } from './misread-cell.ts';

/** How an input cell is read. */
export type CellReading =
  | { readonly kind: 'any' }
  | { readonly kind: 'condition'; readonly text: string; readonly advice: string | undefined }
  | { readonly kind: 'unreadable'; readonly expected: string };

const anyWords = /^(?:any|all|\*)$/i;
const toRange = /^(?:between\s+|from\s+)?(.+?)\s+(?:to|and)\s+(.+)$/i;
const usDay = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;

/**
 * Returns a cell as it is stored: `any` and `*` are empty, `200k to 500k` is `200k - 500k`, and in an input of dates
 * `1/31/2026` is `2026-01-31`. Everything else stays as it was typed.
 */
export function storedText(typed: string, type: InputType): string {
  const text = typed.trim();
  if (anyWords.test(text)) return '';
  if (type === 'Text' || text.startsWith('"')) return text;
  const [, not = '', rest = ''] = /^(not\s+)?(.*)$/is.exec(text) ?? [];
  const spelled = type === 'Date' ? rest.replace(/\d{1,2}\/\d{1,2}\/\d{4}/g, isoDay) : rest;
  const ends = toRange.exec(spelled);
  if (!ends) return not + spelled;
  const [low = '', high = ''] = [ends[1], ends[2]];
  const isRange = [parseNumber, parseDay].some((parse) => parse(low) !== undefined && parse(high) !== undefined);
  return isRange ? `${not}${low} - ${high}` : not + spelled;
}

function isoDay(written: string): string {
  const [, month = '', day = '', year = ''] = usDay.exec(written) ?? [];
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return parseDay(iso) === undefined ? written : iso;
}

/** Returns how a stored input cell is read, in words. */
export function readCell(text: string, type: InputType): CellReading {
  try {
    const parsed = parseCell(text, type);
    if (!parsed) return { kind: 'any' };
    const { pieces } = splitCell(text.trim(), type);
    const items = parsed.items.map((item, at) => describeItem(item, pieces[at] ?? ''));
    const listed = items.length > 1 ? `${items.slice(0, -1).join(', ')} or ${items.at(-1) ?? ''}` : (items[0] ?? '');
    return {
      kind: 'condition',
      text: conditionText(parsed.negated, items.length, listed),
      advice: misreadAdvice(text, type),
    };
  } catch (error) {
    if (!(error instanceof CellSyntaxError)) throw error;
    return { kind: 'unreadable', expected: error.expected };
  }
}

function conditionText(isNegated: boolean, count: number, listed: string): string {
  if (isNegated) return `Anything but ${listed}`;
  return count > 1 ? `One of ${listed}` : upperFirst(listed);
}

const upperFirst = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

function describeItem(item: CellItem, piece: string): string {
  if (item.kind === 'value') {
    if (item.number !== undefined) return `exactly ${numberText(item.number)}`;
    if (item.day !== undefined) return dayText(item.day);
    return piece.startsWith('"') ? piece.slice(1, -1).replaceAll('""', '"') : piece;
  }
  const write = item.scale === 'number' ? numberText : dayText;
  if (item.low === -Infinity) return `${isBeside(item.high) ? 'less than' : 'at most'} ${write(item.high)}`;
  if (item.high === Infinity) return `${isBeside(item.low) ? 'more than' : 'at least'} ${write(item.low)}`;
  return `from ${write(item.low)} to ${write(item.high)}, both included`;
}

/** Values nearer to 0 than this are the next number above or below it. */
const SMALLEST = 1e-300;
const rounded = (at: number): number => (Math.abs(at) < SMALLEST ? 0 : Number(at.toPrecision(DIGITS_MAX)));
/** Whether a bound is the number beside the one that was written: `>5` begins at the next number above 5. */
const isBeside = (at: number): boolean => rounded(at) !== at;

const numberText = (at: number): string => rounded(at).toLocaleString('en-US', { maximumFractionDigits: 15 });
const dayFormat = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: 'numeric',
  year: 'numeric',
  timeZone: 'UTC',
});
const dayText = (at: number): string => dayFormat.format(new Date(Math.round(at) * 86_400_000));
