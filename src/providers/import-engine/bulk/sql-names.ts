import { createHash } from 'node:crypto';
import { bad } from '../../../kernel/parameters/parse-value.ts';

/** The most bytes of a name; PostgreSQL would cut longer ones off without a word. */
const NAME_BYTES_MAX = 63;

/** Names that every table of PostgreSQL has for itself. */
const systemColumns = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid', 'oid']);

/** A name as it stands in SQL: quoted, so that no part of it is anything but a name. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The name of a staging table: letters, digits and underscores in lower case, so that statements need no quotes around it. */
export function tableName(wanted: string, field: string): string {
  const name = shortened(
    wanted
      .normalize('NFC')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_]+/gu, '_')
      .replace(/^_+|_+$/g, ''),
  );
  if (!/^[\p{L}_]/u.test(name))
    throw bad(field, 'the name of a table: letters, digits and underscores, a letter first');
  // A name like those of the database's own tables would mean these in a statement.
  if (name.startsWith('pg_')) throw bad(field, 'the name of a table that does not begin with pg_');
  return name;
}

/**
 * The names that columns of a source get in a table. `safe`: letters, digits and underscores in lower case, so that statements
 * need no quotes; else as they are. Those that would be equal, and those that a table has for itself, get a number.
 */
export function columnNames(wanted: readonly string[], safe: boolean, taken: readonly string[] = []): string[] {
  const names = new Set(taken);
  return wanted.map((source, index) => {
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

/** A name that fits; the hash of the whole stands for what was cut off, so that two long ones stay two. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= NAME_BYTES_MAX) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${truncate(name, NAME_BYTES_MAX - 9)}_${hash}`;
}

/** As many whole characters as fit into so many bytes. */
function truncate(name: string, bytes: number): string {
  let kept = '';
  let length = 0;
  for (const character of name) {
    length += Buffer.byteLength(character);
    if (length > bytes) break;
    kept += character;
  }
  return kept;
}
