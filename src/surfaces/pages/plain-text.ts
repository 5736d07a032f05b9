/** Returns a scalar as text; empty where there is no value. Anything else becomes JSON. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? String(value)
    : JSON.stringify(value);
}

/** Returns a parameter as a list of texts: one that was sent several times, once, or not at all. */
export function plainTexts(value: unknown): readonly string[] {
  return value === undefined ? [] : [value].flat().map(plainText);
}

/** Returns a column of a row as text. */
export function columnText<R extends object>(row: R, name: keyof R & string): string {
  return plainText(row[name]);
}

/** Reads a page's `RecordStart`: the number of rows to skip, 0 unless a positive number was sent. */
export function rowOffset(value: unknown): number {
  return Math.max(0, Math.trunc(Number(value ?? 0)) || 0);
}

/** Returns a text with one character for each line end: browsers send two. */
export function normalizeLineEnds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
