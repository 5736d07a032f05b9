import { writtenItems } from './cell.ts';
import { parseDay, parseNumber, type InputType } from './input-value.ts';

/** A cell that is compared as text although its author probably meant something else. */
export interface MisreadCell {
  /** Of its text, in the cells of the column. */
  readonly code: number;
  readonly kind: 'Read as text' | 'Odd one out';
  /** What to write instead: one or two sentences. */
  readonly advice: string;
}

/** Most different texts of a column that are examined. */
const TEXTS_MAX = 50_000;
/** An input is one of numbers or days if at least so many different cells are, and so many for each that is text. */
const NUMBERS_MIN = 3;
const NUMBERS_PER_TEXT = 2;

const NUMBER = String.raw`[-+]?[$€£¥]?[-+]?\d[\d,]*(?:\.\d+)?[KMkm]?`;
const DAY = String.raw`(?:\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\d{4}[/.-]\d{1,2}[/.-]\d{1,2})`;
const VALUE = `(?:${NUMBER}|${DAY})`;

const pattern = (source: string): RegExp => new RegExp(`^${source}$`, 'iu');
const rangePatterns = [
  pattern(String.raw`\[?(${NUMBER})\s*(?:[-–—]|\.{2,3}|to|thru|through|until)\s*(${NUMBER})\]?`),
  pattern(String.raw`(?:between|from)\s+(${VALUE})\s+(?:and|to)\s+(${VALUE})`),
];

/** What a piece of a cell looks like, in the order in which the patterns are tried, with what to write instead. */
const meanings: readonly { readonly is: RegExp; readonly advice: (match: RegExpExecArray) => string | undefined }[] = [
  ...rangePatterns.map((is) => ({ is, advice: rangeAdvice })),
  {
    is: pattern(String.raw`(${DAY})\s*(?:[-–—]|to)\s*(${DAY})`),
    advice: () => 'For a range of days, write 2026-01-01 - 2026-06-30.',
  },
  { is: pattern(String.raw`\d{4}-\d{1,2}-\d{1,2}`), advice: () => 'There is no such day; write it as 2026-01-31.' },
  { is: pattern(DAY), advice: () => 'For a day, write it as 2026-01-31.' },
  { is: pattern(String.raw`==?\s*(\S.*)`), advice: ([, value]) => `For this value alone, write ${value ?? ''}.` },
  {
    is: pattern(String.raw`(?:!=|≠|not\s)\s*(\S.*)`),
    advice: ([, value]) => `For all others, write not ${value ?? ''}.`,
  },
  { is: pattern(String.raw`(${NUMBER})\s*\+`), advice: ([, value]) => `For this or more, write >=${value ?? ''}.` },
  { is: pattern(String.raw`(${NUMBER})\s*%`), advice: ([, value]) => `For a number, write ${value ?? ''}.` },
  { is: pattern(String.raw`\((${NUMBER})\)`), advice: ([, value]) => `For a number below 0, write -${value ?? ''}.` },
  { is: pattern(String.raw`(.+?)\s+[-–—]\s+(.+)`), advice: halfRangeAdvice },
  {
    is: pattern(String.raw`[^;|]+(?:[;|][^;|]+)+`),
    advice: () => 'For a list, write commas between the values.',
  },
  { is: pattern(String.raw`(\S+) or (\S+)`), advice: ([, a, b]) => `For either, write ${a ?? ''}, ${b ?? ''}.` },
  { is: pattern(String.raw`\*|any|all|[-–—]`), advice: () => 'To match anything, leave the cell empty.' },
  { is: /\*/, advice: () => 'An asterisk is no wildcard here.' },
];

function rangeAdvice([, low = '', high = '']: RegExpExecArray): string | undefined {
  const [from, to] = [parseNumber(low), parseNumber(high)];
  // 555-1234 may be a range, 1234-555 may not.
  return from !== undefined && to !== undefined && from > to ? undefined : `For a range, write ${low} - ${high}.`;
}

function halfRangeAdvice([, low = '', high = '']: RegExpExecArray): string | undefined {
  const known = [low, high].filter((end) => parseNumber(end) !== undefined || parseDay(end) !== undefined);
  return known.length === 1 ? 'A range needs two numbers or two days.' : undefined;
}

/** A decimal comma: 1.000,50 is otherwise a list of two numbers. */
const decimalComma = /^[$€£¥]?\s*\d{1,3}(?:\.\d{3})+,\d{1,2}$/;
/** Almost all texts that mean what they say have none of these. */
const suspicious = /[\d=≠;|*–—-]|\snot\s|\sor\s|^(?:any|all)$/i;

/**
 * Returns what to write instead of a cell that looks like a range, day, list or operator but is compared as text;
 * undefined if it means what it says. Only in inputs without a type: text inputs compare text, others refuse it. Quoted
 * values are literal.
 */
export function misreadAdvice(text: string, type: InputType): string | undefined {
  if (type !== undefined || !suspicious.test(text)) return undefined;
  if (decimalComma.test(text.trim())) return 'It is read as a list of two numbers; for one, write it as 1,000.50.';
  for (const { piece, isText } of writtenItems(text)) {
    const advice = isText ? pieceAdvice(piece) : undefined;
    if (advice !== undefined) return `It is compared as text. ${advice} For the text itself, put it in quotes.`;
  }
  return undefined;
}

function pieceAdvice(piece: string): string | undefined {
  for (const { is, advice } of meanings) {
    const match = is.exec(piece);
    if (match) return advice(match);
  }
  return undefined;
}

/**
 * Returns the cells of an input's column that are probably misread: those that look like something else, and texts in a
 * column of numbers or days. Examines at most {@link TEXTS_MAX} different texts.
 */
export function findMisreadCells({ texts }: { readonly texts: readonly string[] }, type: InputType): MisreadCell[] {
  if (type !== undefined) return [];
  const found: MisreadCell[] = [];
  const odd: number[] = [];
  let numbers = 0;
  for (let code = 1; code < Math.min(texts.length, TEXTS_MAX); code++) {
    const text = texts[code] ?? '';
    const advice = misreadAdvice(text, type);
    if (advice !== undefined) found.push({ code, kind: 'Read as text', advice });
    else if (isNumeric(text)) numbers++;
    else if (!text.includes('"')) odd.push(code);
  }
  if (numbers < NUMBERS_MIN || numbers <= odd.length * NUMBERS_PER_TEXT) return found;
  const advice =
    'It is compared as text, while most cells of this input are numbers or days. ' +
    'For the text itself, put it in quotes.';
  return [...found, ...odd.map((code) => ({ code, kind: 'Odd one out' as const, advice }))];
}

function isNumeric(text: string): boolean {
  const items = writtenItems(text);
  return items.length > 0 && items.every(({ isText }) => !isText);
}
