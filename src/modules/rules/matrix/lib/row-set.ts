/** A set of rows: a list when sparse, a bit set when dense, which combines with others 32 rows at a time. */
export type RowSet =
  | { readonly list: Uint32Array; readonly words?: undefined }
  | { readonly words: Int32Array; readonly list?: undefined };

/**
 * Share of all rows above which a set is stored as bits: setting a longer list bit by bit costs more than combining all
 * words.
 */
const DENSE_SHARE = 1 / 16;

/** Returns the number of 32-bit words for a bit per row. */
export const wordCount = (rows: number): number => (rows + 31) >>> 5;

/** Builds a set in the cheaper representation. */
export function toRowSet(list: readonly number[], rowCount: number): RowSet {
  if (list.length < rowCount * DENSE_SHARE) return { list: Uint32Array.from(list) };
  const words = new Int32Array(wordCount(rowCount));
  for (const row of list) setBit(words, row);
  return { words };
}

/** Adds one row to a bit set. */
export function setBit(words: Int32Array, row: number): void {
  words[row >>> 5] = (words[row >>> 5] as number) | (1 << (row & 31));
}

/** Adds all rows of a set to a bit set. */
export function addRows(words: Int32Array, rows: RowSet): void {
  const { list, words: own } = rows;
  if (list) {
    for (let i = 0; i < list.length; i++) {
      const row = list[i] as number;
      words[row >>> 5] = (words[row >>> 5] as number) | (1 << (row & 31));
    }
    return;
  }
  for (let w = 0; w < own.length; w++) words[w] = (words[w] as number) | (own[w] as number);
}

/** Removes all rows of a set from a bit set. */
export function removeRows(words: Int32Array, rows: RowSet): void {
  const { list, words: own } = rows;
  if (list) {
    for (let i = 0; i < list.length; i++) {
      const row = list[i] as number;
      words[row >>> 5] = (words[row >>> 5] as number) & ~(1 << (row & 31));
    }
    return;
  }
  for (let w = 0; w < own.length; w++) words[w] = (words[w] as number) & ~(own[w] as number);
}

/** Counts the set bits of a word. */
export function countBits(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return (((v + (v >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
