import { matchesCell, parseCell, type CellItem, type ParsedCell } from './cell.ts';
import { DIGITS_MAX } from './limits.ts';
import type { Input } from './table.ts';
import type { InputValue } from './input-value.ts';

/** A value that stands for all of those that the cells of a column cannot tell from it. */
export interface SamplePoint {
  readonly label: string;
  readonly value: InputValue;
}

/** What is told of the point of all values that no cell lists. */
const OTHER = '(any other)';
/** What is nearer to 0 is the next number above or below it, and no cell's. */
const SMALLEST_SHOWN = 1e-300;

/** The points of a column: each listed value, each end of a range and one value between and beyond ends, and, of text, one that nothing lists. */
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
  // An input of numbers or days takes nothing else.
  if ((type === 'Number' || type === 'Date') && points.size > 0) return [...points.values()];
  return [...points.values(), { label: OTHER, value: { text: '\u0001', number: undefined, day: undefined } }];
}

/** The listed values and the finite ends of ranges of one scale, ascending, each once. */
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

/** A number as people write it. What lies next to a bound, since `<0` ends at the largest number below 0, is told by the bound. */
function numberLabel(at: number): string {
  const near = rounded(at);
  return near === at ? String(at) : `just ${at < near ? 'below' : 'above'} ${near}`;
}

/** The nearest number that a cell could have. */
function rounded(at: number): number {
  return Math.abs(at) < SMALLEST_SHOWN ? 0 : Number(at.toPrecision(DIGITS_MAX));
}

/** Ends, with a value between each two and one beyond the first and last; of days only whole ones. */
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

/** Which of a column's points each of its texts takes, as bits; undefined for the empty text, which takes all and anything. */
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

/** Whether two sets of bits have one in common. */
export function overlaps(a: Int32Array, b: Int32Array): boolean {
  for (let w = 0; w < a.length; w++) if (((a[w] as number) & (b[w] as number)) !== 0) return true;
  return false;
}

/** Whether all of a set's bits are in another. */
export function isWithin(a: Int32Array, b: Int32Array): boolean {
  for (let w = 0; w < a.length; w++) if (((a[w] as number) & ~(b[w] as number)) !== 0) return false;
  return true;
}
