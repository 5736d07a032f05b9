/** A cell with what ends it: quoted with doubled quotes, or without quotes. */
const CELL = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/y;

/** Returns the cells of comma-separated text, line by line, without empty lines. Stray quotes are part of the cell. */
export function csvRows(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  for (const line of logicalLines(text)) {
    const cells: string[] = [];
    CELL.lastIndex = 0;
    for (let match = CELL.exec(line); match; match = CELL.exec(line)) {
      const [, cell = '', end = ''] = match;
      cells.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
      if (end !== ',') break;
    }
    rows.push(cells);
  }
  return rows;
}

/** Splits text at line ends outside quotes. */
function logicalLines(text: string): readonly string[] {
  return (text.match(/(?:"(?:[^"]|"")*"|[^"\r\n])+/g) ?? []).filter((line) => line.trim() !== '');
}
