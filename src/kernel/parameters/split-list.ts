/** Splits a comma-separated list, as in settings and columns, into trimmed items; drops empty ones. */
export function splitCommaList(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
