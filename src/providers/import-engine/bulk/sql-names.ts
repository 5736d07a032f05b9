import { createHash } from 'node:crypto';
import { bad } from '../../../kernel/parameters/parse-value.ts';

/** Longest name in bytes; PostgreSQL truncates longer ones silently. */
const NAME_BYTES_MAX = 63;

/** System columns of every PostgreSQL table. */
const systemColumns = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid', 'oid']);

/** Returns a quoted SQL name, which cannot be anything but a name. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns a staging table's name in lower-case letters, digits and underscores, so that statements need no quotes. */
export function tableName(requested: string, field: string): string {
  const name = shortened(
    requested
      .normalize('NFC')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_]+/gu, '_')
      .replace(/^_+|_+$/g, ''),
  );
  if (!/^[\p{L}_]/u.test(name))
    throw bad(field, 'the name of a table: letters, digits and underscores, a letter first');
  // Names of system tables would refer to these in a statement.
  if (name.startsWith('pg_')) throw bad(field, 'the name of a table that does not start with pg_');
  return name;
}

/**
 * Returns table column names for the columns of a source. `safe`: lower-case letters, digits and underscores, so that
 * statements need no quotes; otherwise unchanged. Duplicates and system columns get a number.
 */
export function columnNames(requested: readonly string[], safe: boolean, taken: readonly string[] = []): string[] {
  const names = new Set(taken);
  return requested.map((source, index) => {
    const name = shortened(safe ? safeName(source, index) : source.normalize('NFC'));
    let free = name;
    for (let n = 2; names.has(free) || systemColumns.has(free); n++)
      free = `${truncate(name, NAME_BYTES_MAX - String(n).length)}${n}`;
    names.add(free);
    return free;
  });
}

function safeName(source: string, index: number): string {
  const name = source
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_]+/gu, '');
  if (name === '') return `column${index + 1}`;
  return /^[\p{L}_]/u.test(name) ? name : `_${name}`;
}

/** Returns a name that fits, with a hash of the whole, so that two long names stay different. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= NAME_BYTES_MAX) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${truncate(name, NAME_BYTES_MAX - 9)}_${hash}`;
}

/** Returns as many whole characters as fit into the bytes. */
function truncate(name: string, bytes: number): string {
  let stored = '';
  let length = 0;
  for (const character of name) {
    length += Buffer.byteLength(character);
    if (length > bytes) break;
    stored += character;
  }
  return stored;
}
