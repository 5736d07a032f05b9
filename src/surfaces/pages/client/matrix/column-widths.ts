import type { Grid } from '../../../../lib/decision-tables/grid.ts';
import { shownCell } from '../../shared/matrix-cell.ts';

/** Widths of the margin and of the row numbers. */
const MARGINS = '32px 36px';
const MARGINS_PIXELS = 68;
/** About the width of a character, and what a cell needs beside its text. */
const CHARACTER_PIXELS = 7;
const PADDING_PIXELS = 22;
/** A column is at least as wide as its weight's field, and no longer text makes it wider than this. */
const CHARACTERS_MIN = 11;
const CHARACTERS_MAX = 32;
/** What a head needs beside its name: the unit. */
const HEAD_CHARACTERS = 5;
/** Rows that are measured. */
const ROWS_MEASURED_MAX = 500;

/** Gives each column of the grid a width that fits most of its texts. Without script they are equally wide. */
export function fitColumns(element: HTMLElement, { columns, rows }: Grid): void {
  const widths = columns.map((column, at) => {
    const lengths = rows
      .slice(0, ROWS_MEASURED_MAX)
      .map((row) => shownCell(row[at] ?? '', column).text.length)
      .sort((a, b) => a - b);
    // A few long texts are cut.
    const usual = lengths[Math.floor(lengths.length * 0.95)] ?? 0;
    return Math.max(CHARACTERS_MIN, Math.min(CHARACTERS_MAX, Math.max(usual, column.name.length + HEAD_CHARACTERS)));
  });
  const pixels = widths.map((width) => width * CHARACTER_PIXELS + PADDING_PIXELS);
  const tracks = pixels.map((width, at) => `minmax(${width}px, ${widths[at] ?? 1}fr)`);
  element.style.setProperty('--matrix-columns', `${MARGINS} ${tracks.join(' ')}`);
  element.style.setProperty('--matrix-width', `${pixels.reduce((sum, width) => sum + width, MARGINS_PIXELS)}px`);
}
