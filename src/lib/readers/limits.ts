/** Largest value of a row, in bytes of text. Larger ones are documents, which are imported separately. */
export const CELL_BYTES_MAX = 4 * 1024 * 1024;
/** Largest row; it is held in memory as a whole. */
export const RECORD_BYTES_MAX = 16 * 1024 * 1024;
/** Most values of a row: as many columns as a worksheet can have. */
export const COLUMNS_MAX = 16_384;
/** Most rows yielded at once. */
export const BATCH_ROWS_MAX = 1_000;
/** Longest column name in characters. */
export const COLUMN_NAME_CHARACTERS_MAX = 255;

/** Formats a number for messages. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}
