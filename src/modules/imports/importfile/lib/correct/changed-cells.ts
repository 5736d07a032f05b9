import { bad } from '../../../../../kernel/parameters/parse-value.ts';
import type { SourceRow } from '../../../../../contracts/import-engine.ts';

/** New values by column, as the user named it. */
export type ChangedCells = Readonly<Record<string, string>>;

/** Most columns changed by one correction. */
const COLUMNS_MAX = 200;

/**
 * Parses changes, a query string such as `Investor=Investor+A&City=Alder`.
 * @throws BAD_PARAMETER if it has none, too many, or a column twice
 */
export function parseChanges(text: string): ChangedCells {
  const entries = [...new URLSearchParams(text.trim())].map(([name, value]) => [name.trim(), value] as const);
  const names = new Set(entries.map(([name]) => name.toLowerCase()));
  if (entries.length === 0 || names.has(''))
    throw bad('Changes', 'columns and new values, as in Investor=Investor%20A');
  if (names.size < entries.length) throw bad('Changes', 'each column once');
  if (names.size > COLUMNS_MAX) throw bad('Changes', `at most ${COLUMNS_MAX} columns`);
  return Object.fromEntries(entries);
}

/** Returns the row with its changed cells. Missing columns are added: rows of XML and JSON omit empty ones. */
export function changedRow(row: SourceRow, changes: ChangedCells): SourceRow {
  const names = new Map(Object.keys(row.values).map((name) => [name.trim().toLowerCase(), name]));
  const values = { ...row.values };
  for (const [name, value] of Object.entries(changes)) values[names.get(name.toLowerCase()) ?? name] = value;
  return { line: row.line, values, ...(row.sheet === undefined ? {} : { sheet: row.sheet }) };
}

/** Whether a cell of the row has this value, ignoring case and outer spaces. */
export function hasCell({ values }: SourceRow, column: string, value: string): boolean {
  const requested = value.trim().toLowerCase();
  return Object.entries(values).some(
    ([name, cell]) => name.trim().toLowerCase() === column.toLowerCase() && cell.trim().toLowerCase() === requested,
  );
}
