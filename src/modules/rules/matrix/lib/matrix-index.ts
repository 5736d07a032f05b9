import { wordCount } from './row-set.ts';
import { indexColumn, type ColumnIndex } from './column-index.ts';
import { COLUMNS_MAX } from './limits.ts';
import { factCount, wireName, type Table } from './table.ts';

/** Decimals of a weight. Scores count weights in units of the last decimal, so that sums are exact. */
export const WEIGHT_DECIMALS = 4;
/**
 * A score is the weight in units of its last decimal, times this, plus the count of matches: it sorts by weight, then
 * by count.
 */
export const COUNT_SPAN = 1_024;

/** A matrix prepared for lookups. Rows are ordered by their rank when all their cells match. */
export interface MatrixIndex {
  readonly table: Table;
  /** Maps a position in the ranking to a row of the table, and the reverse. */
  readonly order: Uint32Array;
  readonly positions: Uint32Array;
  readonly columns: readonly ColumnIndex[];
  /** The order in which columns filter rows: those blank in the fewest rows exclude the most. */
  readonly filterOrder: Uint32Array;
  /** By position: the score of a row with all filled cells matching, and the number of those cells. */
  readonly fullScores: Float64Array;
  readonly fullCounts: Uint16Array;
  /** Inputs by lower-cased wire name. */
  readonly inputs: ReadonlyMap<string, number>;
  /** Its size in the index cache, in cells. */
  readonly cells: number;
  /** Scratch buffers reused by each lookup. Safe because a lookup is synchronous, so no two overlap. */
  readonly scratch: Scratch;
}

interface Scratch {
  readonly matches: readonly Int32Array[];
  readonly eligible: Int32Array;
  readonly scores: Float64Array;
}

const scaledScore = (weight: number): number => Math.round(weight * 10 ** WEIGHT_DECIMALS) * COUNT_SPAN + 1;

/**
 * Builds the index of a matrix. A row is eligible only if all of its filled cells match, so its score is known in
 * advance: rows are laid out in that order, and the best eligible rows are the first set bits of the intersection of
 * the inputs' sets. Yields to other work between columns (`breathe`).
 */
export async function indexMatrix(table: Table, breathe: () => Promise<void>): Promise<MatrixIndex> {
  const size = table.rowNumbers.length;
  if (table.inputs.length > COLUMNS_MAX) throw new Error('more inputs than scores can count');
  const scores = new Float64Array(size);
  const counts = new Uint16Array(size);
  for (const { cells, weight } of table.inputs) {
    const added = scaledScore(weight);
    for (let row = 0; row < size; row++) {
      if (cells.codes[row] === 0) continue;
      scores[row] = (scores[row] as number) + added;
      counts[row] = (counts[row] as number) + 1;
    }
  }
  await breathe();
  const order = Uint32Array.from({ length: size }, (_, row) => row).sort(
    (a, b) => (scores[b] as number) - (scores[a] as number) || a - b,
  );
  const positions = new Uint32Array(size);
  for (let position = 0; position < size; position++) positions[order[position] as number] = position;
  const columns: ColumnIndex[] = [];
  for (const input of table.inputs) {
    await breathe();
    columns.push(indexColumn(input, order, scaledScore(input.weight)));
  }
  const words = wordCount(size);
  return {
    table,
    order,
    positions,
    columns,
    filterOrder: Uint32Array.from(columns.keys()).sort(
      (a, b) => (columns[a]?.blankCount ?? 0) - (columns[b]?.blankCount ?? 0),
    ),
    fullScores: Float64Array.from(order, (row) => scores[row] as number),
    fullCounts: Uint16Array.from(order, (row) => counts[row] as number),
    inputs: new Map(table.inputs.map((input, at) => [wireName(input.name).toLowerCase(), at])),
    cells: factCount(table) + size,
    scratch: {
      matches: columns.map(() => new Int32Array(words)),
      eligible: new Int32Array(words),
      scores: new Float64Array(size),
    },
  };
}
