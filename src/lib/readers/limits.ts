/** The longest value of a row, in bytes of its text. Longer ones are documents, which have an import of their own. */
export const CELL_BYTES_MAX = 4 * 1024 * 1024;
/** The longest row; it is held in memory whole. */
export const RECORD_BYTES_MAX = 16 * 1024 * 1024;
/** The most values that a row has: as many columns as a worksheet can have. */
export const COLUMNS_MAX = 16_384;
/** Rows that a reader hands out at once at most. */
export const BATCH_ROWS_MAX = 1_000;
/** The longest name of a column, in characters. */
export const COLUMN_NAME_CHARACTERS_MAX = 255;

/** A number as people read it in a message. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}
