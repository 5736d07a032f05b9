import { setBit, wordCount } from './row-set.ts';
import { isWithin } from './sample-points.ts';

/** How the different cells of one column relate, as bits of ranking positions. */
export interface ColumnRelations {
  /** By position: the code of its cell; 0 for an empty one. */
  readonly codes: Uint32Array;
  /** Returns the rows whose cell can match a value that this one matches. */
  readonly overlapping: (code: number) => Int32Array;
  /** Returns the rows whose cell matches nothing that this one does not match. */
  readonly narrower: (code: number) => Int32Array;
  /** Returns the rows whose cell matches all that this one matches. */
  readonly wider: (code: number) => Int32Array;
}

/** The relations of one cell with all others of its column. */
interface CellRelations {
  readonly overlapping: Int32Array;
  readonly narrower: Int32Array;
  readonly wider: Int32Array;
}

/**
 * Prepares the relations of one column's cells. They are computed when they are first needed, once for each text.
 *
 * `matching` has the sample points that each text matches. An empty cell (code 0) also matches an input that is not
 * sent, so no filled cell is wider than it.
 */
export function columnRelations(
  matching: readonly (Int32Array | undefined)[],
  cellCodes: Uint32Array,
  order: Uint32Array,
): ColumnRelations {
  const size = order.length;
  const words = wordCount(size);
  const codes = Uint32Array.from(order, (row) => cellCodes[row] as number);
  const rowsOf = new Map<number, Int32Array>();
  for (let position = 0; position < size; position++) {
    const code = codes[position] as number;
    let rows = rowsOf.get(code);
    if (!rows) rowsOf.set(code, (rows = new Int32Array(words)));
    setBit(rows, position);
  }
  const used = [...rowsOf.keys()].filter((code) => code !== 0);
  const codesAt = codesByPoint(matching, used);
  const blank = rowsOf.get(0) ?? new Int32Array(words);
  const all = new Int32Array(words).fill(-1);
  const known = new Map<number, CellRelations>([[0, { overlapping: all, narrower: all, wider: blank }]]);
  const relate = (code: number): CellRelations => {
    const own = matching[code] as Int32Array;
    const found = { overlapping: blank.slice(), narrower: new Int32Array(words), wider: blank.slice() };
    for (const at of meetingCodes(own, codesAt)) {
      const other = used[at] as number;
      const [rows, bits] = [rowsOf.get(other) as Int32Array, matching[other] as Int32Array];
      addAll(found.overlapping, rows);
      if (isWithin(bits, own)) addAll(found.narrower, rows);
      if (isWithin(own, bits)) addAll(found.wider, rows);
    }
    return found;
  };
  const of = (code: number): CellRelations => {
    let relations = known.get(code);
    if (!relations) known.set(code, (relations = relate(code)));
    return relations;
  };
  return {
    codes,
    overlapping: (code) => of(code).overlapping,
    narrower: (code) => of(code).narrower,
    wider: (code) => of(code).wider,
  };
}

/** Returns, per sample point, the texts that match it, as bits of their places in `used`. */
function codesByPoint(
  matching: readonly (Int32Array | undefined)[],
  used: readonly number[],
): readonly (Int32Array | undefined)[] {
  const at: (Int32Array | undefined)[] = [];
  const words = wordCount(used.length);
  for (const [place, code] of used.entries())
    for (const point of setBits(matching[code] as Int32Array)) setBit((at[point] ??= new Int32Array(words)), place);
  return at;
}

/** Yields the places of the texts that match any of the points. */
function* meetingCodes(points: Int32Array, codesAt: readonly (Int32Array | undefined)[]): Generator<number> {
  let met: Int32Array | undefined;
  for (const point of setBits(points)) {
    const codes = codesAt[point];
    if (codes && met) addAll(met, codes);
    else if (codes) met = codes.slice();
  }
  if (met) yield* setBits(met);
}

function addAll(into: Int32Array, from: Int32Array): void {
  for (let w = 0; w < into.length; w++) into[w] = (into[w] as number) | (from[w] as number);
}

/** Yields the numbers of the set bits, ascending. */
export function* setBits(words: Int32Array): Generator<number> {
  for (let w = 0; w < words.length; w++)
    for (let rest = words[w] as number; rest !== 0; rest &= rest - 1) yield (w << 5) + 31 - Math.clz32(rest & -rest);
}
