import { countBits } from './row-set.ts';
import { writeMatches } from './column-index.ts';
import { COUNT_SPAN, WEIGHT_DECIMALS, type MatrixIndex } from './matrix-index.ts';
import type { InputValue } from '../../../../lib/decision-tables/input-value.ts';

/** One row of a ranking: `row` counts the table's rows from 0. */
export interface RankedRow {
  readonly row: number;
  readonly weight: number;
  readonly matches: number;
  readonly mismatches: number;
}

/**
 * Returns the rows of a matrix ranked for the values of its inputs (undefined: not sent): rows without mismatches
 * first, then by weight, by matches and by table order. Returns `size` rows from `start` on.
 */
export function rank(
  index: MatrixIndex,
  values: readonly (InputValue | undefined)[],
  start: number,
  size: number,
): RankedRow[] {
  const { columns, scratch: room, order, fullScores, fullCounts } = index;
  for (let c = 0; c < columns.length; c++)
    writeMatches(room.matches[c] as Int32Array, columns[c] as MatrixIndex['columns'][number], values[c]);
  const ranked: RankedRow[] = [];
  const found = eligibleRows(index, start, size, (position) => {
    ranked.push({
      row: order[position] as number,
      weight: weightOf(fullScores[position] as number),
      matches: fullCounts[position] as number,
      mismatches: 0,
    });
  });
  if (ranked.length >= size) return ranked;
  for (const { row, score } of mismatchedRows(index, Math.max(0, start - found), size - ranked.length)) {
    const matches = score % COUNT_SPAN;
    ranked.push({
      row,
      weight: weightOf(score),
      matches,
      mismatches: (fullCounts[index.positions[row] as number] as number) - matches,
    });
  }
  return ranked;
}

const weightOf = (score: number): number => Math.floor(score / COUNT_SPAN) / 10 ** WEIGHT_DECIMALS;

/**
 * Passes the eligible rows of a page to `take`, best first. Returns how many eligible rows were counted and stops once
 * the page is full.
 */
function eligibleRows(
  { columns, filterOrder: tried, scratch: room, order }: MatrixIndex,
  start: number,
  size: number,
  take: (position: number) => void,
): number {
  const { matches, eligible } = room;
  const end = start + size;
  const last = tried.length;
  let found = 0;
  for (let w = 0; w < eligible.length; w++) {
    let word = w === eligible.length - 1 && (order.length & 31) !== 0 ? (1 << (order.length & 31)) - 1 : -1;
    for (let t = 0; t < last && word !== 0; t++) {
      const c = tried[t] as number;
      word &=
        ((columns[c] as MatrixIndex['columns'][number]).blank[w] as number) | ((matches[c] as Int32Array)[w] as number);
    }
    eligible[w] = word;
    if (word === 0) continue;
    const count = countBits(word);
    if (found + count > start) {
      for (let rest = word, at = found; rest !== 0 && at < end; rest &= rest - 1, at++) {
        if (at >= start) take((w << 5) + 31 - Math.clz32(rest & -rest));
      }
    }
    found += count;
    if (found >= end) return found;
  }
  return found;
}

/** Returns a page of the rows with mismatches, ranked by their matches. Requires the eligible rows to be known. */
function mismatchedRows(
  index: MatrixIndex,
  start: number,
  size: number,
): { readonly row: number; readonly score: number }[] {
  const { scratch: room, order, positions } = index;
  const { scores, eligible } = room;
  const touched = addScores(index);
  const end = start + size;
  const best = bestPositions(index, touched, end);
  const page = best
    .slice(start, end)
    .map((position) => ({ row: order[position] as number, score: scores[position] as number }));
  // Rows without any match come last, in table order.
  let at = touched.length;
  for (let row = 0; row < order.length && page.length < size; row++) {
    const position = positions[row] as number;
    if (scores[position] !== 0 || ((eligible[position >>> 5] as number) & (1 << (position & 31))) !== 0) continue;
    if (at++ >= start) page.push({ row, score: 0 });
  }
  for (const position of touched) scores[position] = 0;
  return page;
}

/** Adds up the scores of rows that are not eligible. Returns the positions of rows with any match. */
function addScores({ columns, scratch: room }: MatrixIndex): number[] {
  const { matches, eligible, scores } = room;
  const touched: number[] = [];
  for (const [c, { score }] of columns.entries()) {
    const words = matches[c] as Int32Array;
    for (let w = 0; w < words.length; w++) {
      for (let rest = (words[w] as number) & ~(eligible[w] as number); rest !== 0; rest &= rest - 1) {
        const position = (w << 5) + 31 - Math.clz32(rest & -rest);
        const before = scores[position] as number;
        if (before === 0) touched.push(position);
        scores[position] = before + score;
      }
    }
  }
  return touched;
}

/** Pages up to this size are selected row by row; for larger ones all touched rows are sorted. */
const PICKED_MAX = 1_000;

/** Returns up to `limit` positions with the best scores, sorted by score and table order. */
function bestPositions(
  { scratch: room, order }: MatrixIndex,
  touched: readonly number[],
  limit: number,
): readonly number[] {
  const { scores } = room;
  const compare = (a: number, b: number): number =>
    (scores[b] as number) - (scores[a] as number) || (order[a] as number) - (order[b] as number);
  if (limit > PICKED_MAX) return [...touched].sort(compare);
  const best: number[] = [];
  for (const position of touched) {
    // Almost all positions end here, after one comparison.
    if (best.length >= limit && (limit === 0 || compare(position, best[best.length - 1] as number) > 0)) continue;
    let [from, to] = [0, best.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (compare(position, best[middle] as number) > 0) from = middle + 1;
      else to = middle;
    }
    best.splice(from, 0, position);
    if (best.length > limit) best.pop();
  }
  return best;
}
