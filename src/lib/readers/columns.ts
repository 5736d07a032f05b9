import { PlatformError } from '../../kernel/door/errors.ts';
import type { ImportTemplate, SourceRow } from '../../contracts/import-engine.ts';
import { COLUMN_NAME_CHARACTERS_MAX, COLUMNS_MAX, formatCount } from './limits.ts';

/** The column in which corrections say why a row failed. It is never imported. */
export const IMPORT_REASON = 'ImportReason';
const REASON_KEY = IMPORT_REASON.toLowerCase();

/** Whether a column is that of the reasons, in any case. */
export function isReason(name: string): boolean {
  return name.length === REASON_KEY.length && name.toLowerCase() === REASON_KEY;
}

/**
 * The names of columns as they are used: trimmed; a column without a name is called by its place (`Column7`).
 *
 * @param where where they stand, for the message, such as `Line 1`
 * @throws BAD_PARAMETER where two have the same name without regard to case, or one can be no name
 */
export function columnNames(cells: readonly string[], where: string): string[] {
  if (cells.length > COLUMNS_MAX)
    throw documentError(
      `${where}: there are ${formatCount(cells.length)} columns; at most ${formatCount(COLUMNS_MAX)} are read.`,
    );
  const seen = new Map<string, number>();
  return cells.map((cell, index) => {
    const name = cell.trim() === '' ? `Column${index + 1}` : cell.trim();
    if (name.length > COLUMN_NAME_CHARACTERS_MAX)
      throw documentError(
        `${where}: column ${index + 1} has a name of ${formatCount(name.length)} characters; expected column names of at most ${COLUMN_NAME_CHARACTERS_MAX}.`,
      );
    if (!isName(name))
      throw documentError(
        `${where}: column ${index + 1} has a name that is none: ${JSON.stringify(name.slice(0, 40))}.`,
      );
    const first = seen.get(name.toLowerCase());
    if (first !== undefined)
      throw documentError(
        `${where}: columns ${first + 1} and ${index + 1} are both named ${name}; expected each name once, without regard to case.`,
      );
    seen.set(name.toLowerCase(), index);
    return name;
  });
}

/** A name that a value can have: of printable characters, and none that means something else to an object. */
export function isName(name: string): boolean {
  return (
    name !== '' &&
    name !== '__proto__' &&
    name.length <= COLUMN_NAME_CHARACTERS_MAX &&
    !/[\0-\x1f\x7f]/.test(name) &&
    name.isWellFormed()
  );
}

/** The columns without which a template's rows cannot be saved: keys, and those that are required. */
function requiredColumns(template: ImportTemplate): string[] {
  return template.maps
    .filter((map) => map.source !== '' && (map.type === 'Key' || (map.type === 'Column' && map.required)))
    .map((map) => map.source);
}

/** Those of the template's needed columns that a document lacks. */
export function missingColumns(template: ImportTemplate, columns: readonly string[]): string[] {
  const there = new Set(columns.map((column) => column.toLowerCase()));
  return requiredColumns(template).filter((column) => !there.has(column.toLowerCase()));
}

/** Whether a document with these columns can be one of the template: none is missing and, where it has maps, one at least is known. */
export function fitsTemplate(template: ImportTemplate, columns: readonly string[]): boolean {
  const sources = template.maps.filter((map) => map.source !== '' && map.type !== 'Constant');
  if (sources.length === 0) return true;
  const there = new Set(columns.map((column) => column.toLowerCase()));
  return missingColumns(template, columns).length === 0 && sources.some((map) => there.has(map.source.toLowerCase()));
}

/** The source columns that are kept as the text that they are. */
export function textColumns(template: ImportTemplate): ReadonlySet<string> {
  return new Set(template.maps.filter((map) => map.isText && map.source !== '').map((map) => map.source.toLowerCase()));
}

/** A row of which nothing is known but why. */
export function unreadableRow(line: number, problem: string, sheet?: string): SourceRow {
  return { line, values: {}, problem, ...(sheet === undefined ? {} : { sheet }) };
}

/** A document that cannot be read. */
export function documentError(message: string, details?: Readonly<Record<string, unknown>>): PlatformError {
  return new PlatformError('BAD_PARAMETER', { message, ...(details === undefined ? {} : { details }) });
}
