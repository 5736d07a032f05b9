import { parseCell, splitCell, type CellItem, type ParsedCell } from '../../../../lib/decision-tables/cell.ts';
import {
  DIGITS_MAX,
  parseInputValue,
  type InputType,
  type InputValue,
} from '../../../../lib/decision-tables/input-value.ts';
import { fold } from '../../../../kernel/parameters/fold.ts';
import { setBit } from './row-set.ts';
import type { Input } from './table.ts';

/** A value that represents all values which the cells of a column cannot distinguish from it. */
export interface SamplePoint {
  readonly label: string;
  readonly value: InputValue;
  /** `other`: any value that no cell lists. */
  readonly kind: 'text' | 'number' | 'day' | 'other';
  /** Of a number or day: whether a cell has it, as a value or as the end of a range; false for one between these. */
  readonly isEnd: boolean;
}

/** The label of the point for all values that no cell lists. */
const OTHER = '(any other)';
/** Values nearer to 0 than this are the next number above or below it; no cell has them. */
const SMALLEST_SHOWN = 1e-300;

/**
 * Returns the points of a column: each listed value, each end of a range, one value between and beyond the ends and,
 * for text, one value that nothing lists. Those of one kind are in order.
 */
export function samplePoints({ cells, type }: Input): SamplePoint[] {
  const parsed = cells.texts.flatMap((text) => parseCell(text, type)?.items ?? []);
  const texts = new Set(
    parsed.flatMap((item) => (item.kind === 'value' && item.text !== undefined ? [item.text] : [])),
  );
  const values = [...texts].map((text) => parseInputValue(text, type));
  const spelled = spellings(cells.texts, type);
  const points: SamplePoint[] = values
    .filter(({ number, day }) => number === undefined && day === undefined)
    .map((value) => ({ label: spelled.get(value.text) ?? value.text, value, kind: 'text', isEnd: true }));
  for (const scale of ['number', 'day'] as const) {
    const ends = endsOf(parsed, values, scale);
    const known = new Set(ends);
    // A number that cells spell in several ways has a point for each, since quoted values compare the text.
    const written = Map.groupBy(values, (value) => value[scale]);
    for (const at of withIntermediate(ends, scale)) {
      const point = pointAt(at, scale, known.has(at));
      const others = (written.get(at) ?? []).filter(({ text }) => text !== point.value.text);
      points.push(point, ...others.map((value) => ({ ...point, value })));
    }
  }
  // An input of numbers or days accepts nothing else.
  if ((type === 'Number' || type === 'Date') && points.length > 0) return points;
  const other: InputValue = { text: '\u0001', number: undefined, day: undefined };
  return [...points, { label: OTHER, value: other, kind: 'other', isEnd: false }];
}

/** Returns, by folded text, how cells first spell it. */
function spellings(texts: readonly string[], type: InputType): Map<string, string> {
  const found = new Map<string, string>();
  for (const text of texts)
    for (const piece of text === '' ? [] : splitCell(text.trim(), type).pieces) {
      const plain = /^"(.*)"$/s.exec(piece)?.[1]?.replaceAll('""', '"') ?? piece;
      const folded = fold(plain);
      if (!found.has(folded)) found.set(folded, plain);
    }
  return found;
}

/** Returns the listed values and finite range ends of one scale, ascending and distinct. */
function endsOf(items: readonly CellItem[], values: readonly InputValue[], scale: 'number' | 'day'): number[] {
  const ends = items.flatMap((item) => {
    if (item.kind === 'value') return item[scale] ?? [];
    return item.scale === scale ? [item.low, item.high].filter(Number.isFinite) : [];
  });
  return [...new Set([...ends, ...values.flatMap((value) => value[scale] ?? [])])].sort((a, b) => a - b);
}

function pointAt(at: number, kind: 'number' | 'day', isEnd: boolean): SamplePoint {
  if (kind === 'number') {
    const value = { text: String(at), number: at, day: undefined };
    return { label: numberLabel(at), value, kind, isEnd };
  }
  const text = dayText(at);
  return { label: text, value: { text, number: undefined, day: at }, kind, isEnd };
}

/** Returns a day, counted from 1970, as cells have it. */
const dayText = (at: number): string => new Date(at * 86_400_000).toISOString().slice(0, 10);

/**
 * Formats a number. A number next to a bound is described by the bound, since `<0` ends at the largest number below 0.
 */
function numberLabel(at: number): string {
  const near = rounded(at);
  return near === at ? String(at) : `just ${at < near ? 'below' : 'above'} ${near}`;
}

/** Returns the nearest number that a cell could have. */
export function rounded(at: number): number {
  return Math.abs(at) < SMALLEST_SHOWN ? 0 : Number(at.toPrecision(DIGITS_MAX));
}

/**
 * Returns the ends with a value between each two, and one before the first and after the last. For days, whole days
 * only.
 */
function withIntermediate(ends: readonly number[], scale: 'number' | 'day'): number[] {
  const [first, last] = [ends[0], ends.at(-1)];
  if (first === undefined || last === undefined) return [];
  const between = ends.flatMap((end, at) => {
    const next = ends[at + 1];
    const middle = next === undefined ? end : middleOf(end, next, scale);
    return middle > end && middle < (next ?? end) ? [end, middle] : [end];
  });
  return scale === 'day' ? [first - 1, ...between, last + 1] : [rounded(first - 1), ...between, rounded(last + 1)];
}

function middleOf(low: number, high: number, scale: 'number' | 'day'): number {
  const middle = (low + high) / 2;
  return scale === 'day' ? Math.floor(middle) : rounded(middle);
}

/** Sample points by what cells compare: their places in the list of points. */
interface PointLookup {
  readonly size: number;
  readonly texts: ReadonlyMap<string, readonly number[]>;
  readonly number: Scale;
  readonly day: Scale;
}

/** The numbers, or the days, among the points, ascending, with their places. */
interface Scale {
  readonly values: readonly number[];
  readonly places: readonly number[];
}

/**
 * Returns, per text of a column, the points that it matches as bits; undefined for the empty text, which matches all.
 */
export function matchingPoints({ cells, type }: Input, points: readonly SamplePoint[]): (Int32Array | undefined)[] {
  const lookup = lookupOf(points);
  return cells.texts.map((text) => {
    const parsed = parseCell(text, type);
    return parsed && matchBits(parsed, lookup);
  });
}

function lookupOf(points: readonly SamplePoint[]): PointLookup {
  const texts = new Map<string, number[]>();
  for (const [place, { value }] of points.entries()) {
    const same = texts.get(value.text);
    if (same) same.push(place);
    else texts.set(value.text, [place]);
  }
  return { size: points.length, texts, number: scaleOf(points, 'number'), day: scaleOf(points, 'day') };
}

function scaleOf(points: readonly SamplePoint[], scale: 'number' | 'day'): Scale {
  const found = points.flatMap(({ value }, place) => (value[scale] === undefined ? [] : [{ at: value[scale], place }]));
  found.sort((a, b) => a.at - b.at);
  return { values: found.map(({ at }) => at), places: found.map(({ place }) => place) };
}

function matchBits({ negated, items }: ParsedCell, lookup: PointLookup): Int32Array {
  const words = new Int32Array((lookup.size + 31) >>> 5);
  for (const item of items) {
    if (item.kind === 'range') setBetween(words, lookup[item.scale], item.low, item.high);
    else {
      if (item.text !== undefined) for (const place of lookup.texts.get(item.text) ?? []) setBit(words, place);
      if (item.number !== undefined) setBetween(words, lookup.number, item.number, item.number);
      if (item.day !== undefined) setBetween(words, lookup.day, item.day, item.day);
    }
  }
  if (!negated) return words;
  const all = words.map((word) => ~word);
  if ((lookup.size & 31) !== 0) all[all.length - 1] = (all.at(-1) ?? 0) & ((1 << (lookup.size & 31)) - 1);
  return all;
}

function setBetween(words: Int32Array, { values, places }: Scale, low: number, high: number): void {
  let [from, to] = [0, values.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((values[middle] as number) < low) from = middle + 1;
    else to = middle;
  }
  for (let at = from; at < values.length && (values[at] as number) <= high; at++) setBit(words, places[at] as number);
}

/** Whether a bit set is a subset of another. */
export function isWithin(a: Int32Array, b: Int32Array): boolean {
  for (let w = 0; w < a.length; w++) if (((a[w] as number) & ~(b[w] as number)) !== 0) return false;
  return true;
}

/** Whether two bit sets intersect. */
export function overlaps(a: Int32Array, b: Int32Array): boolean {
  for (let w = 0; w < a.length; w++) if (((a[w] as number) & (b[w] as number)) !== 0) return true;
  return false;
}
