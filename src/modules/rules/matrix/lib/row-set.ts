/** Sets of rows. Few rows are listed; many are a bit each, so that they join another set a word of 32 at a time. */
export type RowSet =
  | { readonly list: Uint32Array; readonly words?: undefined }
  | { readonly words: Int32Array; readonly list?: undefined };

/** From this share of all rows on a set is kept in bits: a list of them would take longer to set one by one than all words do. */
const DENSE_SHARE = 1 / 16;

/** How many words hold a bit for each row. */
export const wordCount = (rows: number): number => (rows + 31) >>> 5;

/** A set of the rows given, in the form that costs less. */
export function toRowSet(list: readonly number[], rowCount: number): RowSet {
  if (list.length < rowCount * DENSE_SHARE) return { list: Uint32Array.from(list) };
  const words = new Int32Array(wordCount(rowCount));
  for (const row of list) setBit(words, row);
  return { words };
}

/** Puts one row into a set of bits. */
export function setBit(words: Int32Array, row: number): void {
  words[row >>> 5] = (words[row >>> 5] as number) | (1 << (row & 31));
}

/** Puts all of a set's rows into a set of bits. */
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

/** Takes all of a set's rows out of a set of bits. */
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

/** How many bits of a word are set. */
export function countBits(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return (((v + (v >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
