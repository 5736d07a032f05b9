/**
 * What new migrations must not do. A function is replaced as a whole and never edited as text, so that a file shows the
 * complete definition. Indexes of existing tables are built online. Report views are generated from the declarations
 * after each migration (src/app/report-views.ts), not created by migrations.
 *
 * Older migrations did both and are never changed; the number of the last one is below.
 */
import { lineAt, type FileMap, type Problem } from './tree.ts';

/** The last migration from before the rules. */
const LAST_EXEMPT = 37;

const REFUSED: readonly { readonly pattern: RegExp; readonly what: string; readonly expected: string }[] = [
  {
    pattern: /\bpg_get_(?:functiondef|viewdef)\b/i,
    what: 'edits a stored definition as text',
    expected: '`create or replace function` with the whole text',
  },
  {
    pattern: /\bcreate\s+(?:or\s+replace\s+)?view\s+report\.|\bcasewright_report\s*\(/i,
    what: 'makes a report view',
    expected: 'none: report views come from the declarations of the record types',
  },
];

/** Checks the numbered migrations of `db/`. */
export function checkMigrations(files: FileMap): Problem[] {
  return [...files].flatMap(([path, text]) => {
    const number = Number(/^db\/(\d{4})_[a-z0-9_]+\.sql$/.exec(path)?.[1] ?? 0);
    if (number <= LAST_EXEMPT) return [];
    const code = text.replace(/--[^\n]*/g, (comment) => ' '.repeat(comment.length));
    const refused = REFUSED.flatMap(({ pattern, what, expected }) => {
      const at = code.search(pattern);
      return at === -1 ? [] : [{ file: path, line: lineAt(text, at), what, expected }];
    });
    return [...refused, ...lockingIndexes(path, code)];
  });
}

/**
 * Returns the indexes that lock an existing table against writes while they are built: minutes, if it is large. An
 * index `on only` a partitioned table reads no rows.
 */
function lockingIndexes(path: string, code: string): Problem[] {
  const created = new Set([...code.matchAll(/\bcreate\s+table\s+(\w+)/gi)].map(([, table]) => table));
  return [...code.matchAll(/\bcreate\s+(?:unique\s+)?index\s+\w+\s+on\s+(?!only\s)(\w+)/gi)]
    .filter(([, table]) => !created.has(table))
    .map(({ index }) => ({
      file: path,
      line: lineAt(code, index),
      what: 'creates an index of an existing table while nobody can write to it',
      expected: '`create index concurrently if not exists` below a line `-- online: …`',
    }));
}
