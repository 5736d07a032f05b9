import type { MatrixIndex } from './matrix-index.ts';
import { columnRelations, setBits, type ColumnRelations } from './row-relations.ts';
import { wordCount } from './row-set.ts';
import { isWithin } from './sample-points.ts';

/** Most rows that are compared with each other, those with the highest weight first. */
const ROWS_COMPARED_MAX = 8_192;
/** Most pairs of rows that are examined after the comparison of all rows has found that they meet. */
const PAIRS_MAX = 400_000;
/** Most pairs of one kind that are returned. */
const PAIRS_RETURNED_MAX = 100;

/** Two rows that can match the same inputs, by their positions in the ranking: `first` ranks before `second`. */
export interface RowPair {
  readonly first: number;
  readonly second: number;
}

/** The pairs of rows that can match the same inputs although their outputs differ. */
export interface RowComparison {
  /** `second` never decides: `first` matches whatever it matches. Whatever the outputs. */
  readonly unreachable: readonly RowPair[];
  /** Their weights are equal, so their order decides. */
  readonly ties: readonly RowPair[];
  /** Their weights differ, and each matches something that the other does not. */
  readonly overlaps: readonly RowPair[];
  /** What was skipped because it would have taken too long. */
  readonly omissions: readonly string[];
}

interface Comparison {
  readonly index: MatrixIndex;
  readonly matching: readonly (readonly (Int32Array | undefined)[])[];
  readonly columns: readonly ColumnRelations[];
  readonly size: number;
  /** The rows that can decide: bits of positions. */
  readonly alive: Int32Array;
  /** By position: rows with the same number have the same outputs. */
  readonly outputs: Uint32Array;
}

/**
 * Compares all rows of a matrix with each other. `positions` are those to compare, in the order of the ranking: of rows
 * with the same conditions only the first. A pair is left out if a row that ranks before both matches wherever both do.
 */
export function compareRows(
  index: MatrixIndex,
  matching: readonly (readonly (Int32Array | undefined)[])[],
  positions: readonly number[],
): RowComparison {
  const omissions: string[] = [];
  const compared = positions.slice(0, ROWS_COMPARED_MAX);
  if (compared.length < positions.length)
    omissions.push(`Only the ${ROWS_COMPARED_MAX.toLocaleString('en-US')} rows with the highest weight were compared.`);
  const rows = Uint32Array.from(compared, (position) => index.order[position] as number);
  const alive = new Int32Array(wordCount(rows.length)).fill(-1);
  if ((rows.length & 31) !== 0) alive[alive.length - 1] = (1 << (rows.length & 31)) - 1;
  for (const [at, { cells }] of index.table.inputs.entries())
    for (const [position, row] of rows.entries())
      if (matching[at]?.[cells.codes[row] as number]?.every((word) => word === 0) === true) clearBit(alive, position);
  const comparison: Comparison = {
    index,
    matching,
    columns: index.table.inputs.map(({ cells }, at) => columnRelations(matching[at] ?? [], cells.codes, rows)),
    size: rows.length,
    alive,
    outputs: outputNumbers(index, rows),
  };
  const unreachable = findUnreachable(comparison);
  const met = findMeetings(comparison, (at) => index.fullScores[compared[at] as number] as number);
  if (!met.isComplete)
    omissions.push(
      `Only ${PAIRS_MAX.toLocaleString('en-US')} pairs of rows that can match the same inputs were examined.`,
    );
  const toPositions = (pairs: readonly RowPair[]): RowPair[] =>
    pairs.map(({ first, second }) => ({ first: compared[first] as number, second: compared[second] as number }));
  return {
    unreachable: toPositions(unreachable.slice(0, PAIRS_RETURNED_MAX)),
    ties: toPositions(met.ties),
    overlaps: toPositions(met.overlaps),
    omissions,
  };
}

/** Numbers the rows by their outputs: rows with equal outputs have the same number. */
function outputNumbers({ table }: MatrixIndex, rows: Uint32Array): Uint32Array {
  const known = new Map<string, number>();
  return Uint32Array.from(rows, (row) => {
    const key = table.outputs.map(({ cells }) => cells.codes[row] ?? 0).join(' ');
    let number = known.get(key);
    if (number === undefined) known.set(key, (number = known.size));
    return number;
  });
}

/** Finds the rows that a row before them always beats, and removes them from those that can decide. */
function findUnreachable({ columns, alive, size }: Comparison): RowPair[] {
  const found: RowPair[] = [];
  const covered = new Int32Array(alive.length);
  for (let first = 0; first < size; first++) {
    if (!hasBit(alive, first)) continue;
    later(alive, first, covered);
    for (const { codes, narrower } of columns) intersect(covered, narrower(codes[first] as number));
    for (const second of setBits(covered)) {
      found.push({ first, second });
      clearBit(alive, second);
    }
  }
  return found;
}

function findMeetings(
  comparison: Comparison,
  scoreOf: (at: number) => number,
): { readonly ties: RowPair[]; readonly overlaps: RowPair[]; readonly isComplete: boolean } {
  const { columns, alive, size, outputs } = comparison;
  const found = { ties: [] as RowPair[], overlaps: [] as RowPair[] };
  const met = new Int32Array(alive.length);
  const wider = new Int32Array(alive.length);
  let pairs = 0;
  for (let first = 0; first < size; first++) {
    if (!hasBit(alive, first)) continue;
    later(alive, first, met);
    wider.fill(-1);
    for (const { codes, overlapping, wider: widerThan } of columns) {
      const code = codes[first] as number;
      intersect(met, overlapping(code));
      intersect(wider, widerThan(code));
    }
    for (const second of setBits(met)) {
      const isTie = scoreOf(first) === scoreOf(second);
      // A row is often the exception to a wider one: that is what weights are for.
      if (outputs[first] === outputs[second] || (!isTie && hasBit(wider, second))) continue;
      const into = isTie ? found.ties : found.overlaps;
      if (into.length >= PAIRS_RETURNED_MAX) continue;
      if (++pairs > PAIRS_MAX) return { ...found, isComplete: false };
      const pair = { first, second };
      if (!isBeaten(comparison, pair)) into.push(pair);
    }
    if (found.ties.length >= PAIRS_RETURNED_MAX && found.overlaps.length >= PAIRS_RETURNED_MAX) break;
  }
  return { ...found, isComplete: true };
}

/** Whether one row that ranks before both matches wherever both match. */
function isBeaten({ columns, alive, matching }: Comparison, { first, second }: RowPair): boolean {
  const before = earlier(alive, first);
  for (const { codes, overlapping } of columns) {
    intersect(before, overlapping(codes[first] as number));
    intersect(before, overlapping(codes[second] as number));
  }
  for (const third of setBits(before)) {
    const matchesAll = columns.every(({ codes }, at) => {
      const bits = matching[at]?.[codes[third] as number];
      if (!bits) return true;
      const shared = sharedPoints(matching[at]?.[codes[first] as number], matching[at]?.[codes[second] as number]);
      return shared !== undefined && isWithin(shared, bits);
    });
    if (matchesAll) return true;
  }
  return false;
}

/** Returns the points that two cells match; undefined if both are empty. */
export function sharedPoints(a: Int32Array | undefined, b: Int32Array | undefined): Int32Array | undefined {
  return a && b ? a.map((word, at) => word & (b[at] as number)) : (a ?? b);
}

const hasBit = (words: Int32Array, at: number): boolean => ((words[at >>> 5] as number) & (1 << (at & 31))) !== 0;

function clearBit(words: Int32Array, at: number): void {
  words[at >>> 5] = (words[at >>> 5] as number) & ~(1 << (at & 31));
}

function intersect(into: Int32Array, from: Int32Array): void {
  for (let w = 0; w < into.length; w++) into[w] = (into[w] as number) & (from[w] as number);
}

/** Writes the set bits after `at` to `into`. */
function later(words: Int32Array, at: number, into: Int32Array): void {
  into.set(words);
  into.fill(0, 0, at >>> 5);
  // A shift by 32 shifts by 0.
  into[at >>> 5] = (into[at >>> 5] as number) & ((at & 31) === 31 ? 0 : -1 << ((at & 31) + 1));
}

/** Returns the set bits before `at`. */
function earlier(words: Int32Array, at: number): Int32Array {
  const into = words.slice();
  into.fill(0, (at >>> 5) + 1);
  into[at >>> 5] = (into[at >>> 5] as number) & ((1 << (at & 31)) - 1);
  return into;
}
