/**
 * Returns the cells of a text that a spreadsheet puts on the clipboard: tabs between cells, lines between rows. Cells
 * with tabs, line breaks or quotes are in quotes. A line break at the end is no row.
 */
export function parseClipboard(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length || row.length > 0) {
    const quoted = text[at] === '"' ? quotedEnd(text, at) : undefined;
    const end = quoted?.end ?? plainEnd(text, at);
    row.push(quoted?.text ?? text.slice(at, end));
    at = end + (text.startsWith('\r\n', end) ? 2 : 1);
    if (text[end] === '\t') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

function plainEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '\t' && text[at] !== '\n' && text[at] !== '\r') at++;
  return at;
}

/** Returns a cell in quotes; undefined if the quote is not the beginning of one. */
function quotedEnd(text: string, from: number): { readonly text: string; readonly end: number } | undefined {
  let cell = '';
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] !== '"') cell += text.charAt(at);
    else if (text[at + 1] === '"') cell += text.charAt(at++);
    else {
      const isEnd = at + 1 === text.length || /[\t\r\n]/.test(text[at + 1] ?? '');
      return isEnd ? { text: cell, end: at + 1 } : undefined;
    }
  }
  return undefined;
}

/** Returns cells as text for the clipboard, as {@link parseClipboard} reads it. */
export function clipboardText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map(quotedCell).join('\t')).join('\n');
}

const quotedCell = (cell: string): string => (/[\t\r\n"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
