import { matchesCell, parseCell, type CellItem, type ParsedCell } from './cell.ts';
import { DIGITS_MAX } from './limits.ts';
import type { Input } from './table.ts';
import type { InputValue } from './input-value.ts';

/** A value that represents all values which the cells of a column cannot distinguish from it. */
export interface SamplePoint {
  readonly label: string;
  readonly value: InputValue;
}

/** The label of the point for all values that no cell lists. */
const OTHER = '(any other)';
/** Values nearer to 0 than this are the next number above or below it; no cell has them. */
const SMALLEST_SHOWN = 1e-300;

/**
 * Returns the points of a column: each listed value, each end of a range, one value between and beyond the ends and,
 * for text, one value that nothing lists.
 */
export function samplePoints({ cells, type }: Input): SamplePoint[] {
  const parsed = cells.texts.flatMap((text) => parseCell(text, type)?.items ?? []);
  const points = new Map<string, SamplePoint>();
  for (const item of parsed) {
    if (item.kind !== 'value' || item.text === undefined) continue;
    const { text, number, day } = item;
    points.set(`t ${text}`, { label: text, value: { text, number, day } });
  }
  for (const scale of ['number', 'day'] as const) {
    for (const at of withIntermediate(endsOf(parsed, scale), scale)) {
      const point = pointAt(at, scale);
      if (!points.has(`t ${point.value.text}`)) points.set(`${scale} ${point.value.text}`, point);
    }
  }
  // An input of numbers or days accepts nothing else.
  if ((type === 'Number' || type === 'Date') && points.size > 0) return [...points.values()];
  return [...points.values(), { label: OTHER, value: { text: '\u0001', number: undefined, day: undefined } }];
}

/** Returns the listed values and finite range ends of one scale, ascending and distinct. */
function endsOf(items: readonly CellItem[], scale: 'number' | 'day'): number[] {
  const ends = items.flatMap((item) => {
    if (item.kind === 'value') return item[scale] ?? [];
    return item.scale === scale ? [item.low, item.high].filter(Number.isFinite) : [];
  });
  return [...new Set(ends)].sort((a, b) => a - b);
}

function pointAt(at: number, scale: 'number' | 'day'): SamplePoint {
  if (scale === 'number') return { label: numberLabel(at), value: { text: String(at), number: at, day: undefined } };
  const text = new Date(at * 86_400_000).toISOString().slice(0, 10);
  return { label: text, value: { text, number: undefined, day: at } };
}

/**
 * Formats a number. A number next to a bound is described by the bound, since `<0` ends at the largest number below 0.
 */
function numberLabel(at: number): string {
  const near = rounded(at);
  return near === at ? String(at) : `just ${at < near ? 'below' : 'above'} ${near}`;
}

/** Returns the nearest number that a cell could have. */
function rounded(at: number): number {
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

/**
 * Returns, per text of a column, the points that it matches as bits; undefined for the empty text, which matches all.
 */
export function matchingPoints({ cells, type }: Input, points: readonly SamplePoint[]): (Int32Array | undefined)[] {
  return cells.texts.map((text) => {
    const parsed = parseCell(text, type);
    return parsed && matchBits(parsed, points);
  });
}

function matchBits(cell: ParsedCell, points: readonly SamplePoint[]): Int32Array {
  const words = new Int32Array((points.length + 31) >>> 5);
  for (const [at, { value }] of points.entries())
    if (matchesCell(cell, value)) words[at >>> 5] = (words[at >>> 5] as number) | (1 << (at & 31));
  return words;
}

/** Whether two bit sets intersect. */
export function overlaps(a: Int32Array, b: Int32Array): boolean {
  for (let w = 0; w < a.length; w++) if (((a[w] as number) & (b[w] as number)) !== 0) return true;
  return false;
}

/** Whether a bit set is a subset of another. */
export function isWithin(a: Int32Array, b: Int32Array): boolean {
  for (let w = 0; w < a.length; w++) if (((a[w] as number) & ~(b[w] as number)) !== 0) return false;
  return true;
}
