import { PlatformError } from '../../kernel/door/errors.ts';
import type { ImportTemplate, SourceRow } from '../../contracts/import-engine.ts';
import { COLUMN_NAME_CHARACTERS_MAX, COLUMNS_MAX, formatCount } from './limits.ts';

/** Column of a corrections file that says why a row failed. It is never imported. */
export const IMPORT_REASON = 'ImportReason';
const REASON_KEY = IMPORT_REASON.toLowerCase();

/** Whether a column is the reason column, ignoring case. */
export function isReason(name: string): boolean {
  return name.length === REASON_KEY.length && name.toLowerCase() === REASON_KEY;
}

/**
 * Returns the column names, trimmed. A column without a name is named by its position (`Column7`).
 *
 * @param where position of the names, for messages, such as `Line 1`
 * @throws BAD_PARAMETER if two names are equal ignoring case, or a name is invalid
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
        `${where}: column ${index + 1} has a name of ${formatCount(name.length)} characters; expected column ` +
          `names of at most ${COLUMN_NAME_CHARACTERS_MAX}.`,
      );
    if (!isName(name))
      throw documentError(`${where}: column ${index + 1} has an invalid name: ${JSON.stringify(name.slice(0, 40))}.`);
    const first = seen.get(name.toLowerCase());
    if (first !== undefined)
      throw documentError(
        `${where}: columns ${first + 1} and ${index + 1} are both named ${name}; expected each name once, ` +
          'ignoring case.',
      );
    seen.set(name.toLowerCase(), index);
    return name;
  });
}

/** Whether a name is valid for a value: printable characters, and no name with a special meaning for objects. */
export function isName(name: string): boolean {
  return (
    name !== '' &&
    name !== '__proto__' &&
    name.length <= COLUMN_NAME_CHARACTERS_MAX &&
    !/[\0-\x1f\x7f]/.test(name) &&
    name.isWellFormed()
  );
}

/** Returns the columns that every row of an import type needs: keys and required ones. */
function requiredColumns(template: ImportTemplate): string[] {
  return template.maps
    .filter((map) => map.source !== '' && (map.type === 'Key' || (map.type === 'Column' && map.required)))
    .map((map) => map.source);
}

/** Returns the required columns that a document lacks. */
export function missingColumns(template: ImportTemplate, columns: readonly string[]): string[] {
  const there = new Set(columns.map((column) => column.toLowerCase()));
  return requiredColumns(template).filter((column) => !there.has(column.toLowerCase()));
}

/**
 * Whether a document with these columns can be of the import type: no required column is missing and, if there are
 * maps, at least one mapped column exists.
 */
export function fitsTemplate(template: ImportTemplate, columns: readonly string[]): boolean {
  const sources = template.maps.filter((map) => map.source !== '' && map.type !== 'Constant');
  if (sources.length === 0) return true;
  const there = new Set(columns.map((column) => column.toLowerCase()));
  return missingColumns(template, columns).length === 0 && sources.some((map) => there.has(map.source.toLowerCase()));
}

/** Most columns named in a warning. */
const COLUMNS_NAMED_MAX = 20;

/**
 * Returns what is wrong with the columns of a document without making it unacceptable: mapped ones that it lacks, and
 * its own that are not mapped.
 */
export function columnWarnings({ maps }: Pick<ImportTemplate, 'maps'>, columns: readonly string[]): string[] {
  if (maps.length === 0 || columns.length === 0) return [];
  const there = new Set(columns.map((column) => column.trim().toLowerCase()));
  const sources = maps.filter(({ type, source }) => type !== 'Constant' && source !== '').map(({ source }) => source);
  const mapped = new Set(sources.map((source) => source.trim().toLowerCase()));
  const lacking = sources.filter((source) => !there.has(source.trim().toLowerCase()));
  const unmapped = columns.filter((column) => !isReason(column) && !mapped.has(column.trim().toLowerCase()));
  return [
    ...(lacking.length > 0 ? [`The import type maps columns that the file does not have: ${listed(lacking)}.`] : []),
    ...(unmapped.length > 0
      ? [`The file has columns that the import type does not map; they are not imported: ${listed(unmapped)}.`]
      : []),
  ];
}

function listed(names: readonly string[]): string {
  const more = names.length > COLUMNS_NAMED_MAX ? `, and ${names.length - COLUMNS_NAMED_MAX} more` : '';
  return [...new Set(names)].slice(0, COLUMNS_NAMED_MAX).join(', ') + more;
}

/** Returns the source columns that are kept exactly as text, lower-cased. */
export function textColumns(template: ImportTemplate): ReadonlySet<string> {
  return new Set(template.maps.filter((map) => map.isText && map.source !== '').map((map) => map.source.toLowerCase()));
}

/** Returns a row that could not be read, with the reason. */
export function unreadableRow(line: number, problem: string, sheet?: string): SourceRow {
  return { line, values: {}, problem, ...(sheet === undefined ? {} : { sheet }) };
}

/** Returns the error for a document that cannot be read. */
export function documentError(message: string, details?: Readonly<Record<string, unknown>>): PlatformError {
  return new PlatformError('BAD_PARAMETER', { message, ...(details === undefined ? {} : { details }) });
}
