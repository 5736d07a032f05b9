import { valueText } from '../../kernel/parameters/value-text.ts';

/*
 * An answer with rows is one text wherever answers are handled: a JSON list with an object for each row, whose members
 * are the cells by the names of their columns.
 */

/** Most rows of an answer without a Maximum. */
export const ROWS_MAX_DEFAULT = 100;
/** Most places for rows in what is sent, including empty ones. */
export const PLACES_MAX = 10_000;

/** A row: its cells by the names of their columns. */
export type AnswerRow = ReadonlyMap<string, string>;

/** Returns the rows of an answer, also empty ones; undefined if the text is no list of rows. */
export function parseRows(text: string): readonly AnswerRow[] | undefined {
  if (text.trim() === '') return [];
  const list = parseList(text);
  if (list === undefined || list.length > PLACES_MAX) return undefined;
  const rows: AnswerRow[] = [];
  for (const item of list) {
    const row = rowOf(item);
    if (row === undefined) return undefined;
    rows.push(row);
  }
  return rows;
}

function parseList(text: string): readonly unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function rowOf(item: unknown): AnswerRow | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return undefined;
  const cells = Object.entries(item).map(([name, value]: [string, unknown]) => [name, value ?? ''] as const);
  if (cells.some(([, value]) => typeof value === 'object')) return undefined;
  return new Map(cells.map(([name, value]) => [name, valueText(value)]));
}

/** Whether a row has an answer in any of its cells. */
export function isFilled(row: AnswerRow): boolean {
  return [...row.values()].some((text) => text.trim() !== '');
}

/**
 * Returns the text of rows. Empty cells are left out, and so are the empty rows at the end: other empty rows stay, so
 * that each row keeps its number. Empty if there are none.
 */
export function rowsJson(rows: readonly AnswerRow[]): string {
  const placed = rows.slice(0, rows.findLastIndex(isFilled) + 1);
  const objects = placed.map((row) => Object.fromEntries([...row].filter(([, text]) => text !== '')));
  return objects.length === 0 ? '' : JSON.stringify(objects);
}

/** Returns what errors call a cell: `Bids[3].Amount`. Rows are counted from 1. */
export function cellName(question: string, rowNumber: number, column: string): string {
  return `${question}[${rowNumber}].${column}`;
}
