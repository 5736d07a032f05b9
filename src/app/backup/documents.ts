import { join } from 'node:path';
import type postgres from 'postgres';
import type { Collector } from './collector.ts';

/** Where the stored documents stand in a backup. */
export const FILES = 'files';
/** The storage location that lies in the data folder; the backups of others are their own. */
const LOCATION = 'Local';
/** Documents that are looked at in one statement. */
const PAGE_ROWS = 2_000;

/** What was found of the documents. */
export interface CopiedDocuments {
  /** Documents whose file is not in the store itself: nothing that a backup could mend. */
  readonly missing: readonly string[];
  /** Documents in other storage locations, which have to be backed up where they are. */
  readonly elsewhere: number;
}

/**
 * Copies the stored documents, after the database: a file is written before the record that points to it, and is never changed,
 * so whatever the database of the backup knows is there. Only a document that is moved to another path meanwhile leaves a gap: its
 * file is then taken from where it is now. The index by content is left out; it is made anew as documents come.
 */
export async function copyDocuments(
  sql: postgres.Sql,
  folder: string,
  into: Collector,
  since: string,
): Promise<CopiedDocuments> {
  await into.folder(folder, FILES, (path) =>
    path === `${FILES}/.contents` ? 'all' : path === `${FILES}/.parts` ? 'its content' : undefined,
  );
  const missing: string[] = [];
  const copy = (path: string, from: string): Promise<boolean> =>
    into.file(join(folder, ...from.split('/')), `${FILES}${path}`);
  for (let after = 0; ;) {
    const rows = await sql.unsafe<{ id: string; path: string }[]>(
      'select attachmentid::text as id, filepath as path from attachment where fileobject = $1 and filepath is not null and attachmentid > $2 order by attachmentid limit $3',
      [LOCATION, String(after), PAGE_ROWS],
    );
    for (const { id, path } of rows)
      if (!into.has(`${FILES}${path}`) && !(await copy(path, path))) missing.push(`document ${id}: ${path}`);
    const last = rows.at(-1);
    if (!last) break;
    after = Number(last.id);
  }
  await copyMoved(sql, into, since, copy);
  const [row] = await sql.unsafe<{ n: number }[]>(
    'select count(*)::integer as n from attachment where fileobject <> $1',
    [LOCATION],
  );
  return { missing, elsewhere: row?.n ?? 0 };
}

/** Paths that documents had when the backup began, and lost while it ran. */
async function copyMoved(
  sql: postgres.Sql,
  into: Collector,
  since: string,
  copy: (path: string, from: string) => Promise<boolean>,
): Promise<void> {
  const rows = await sql.unsafe<{ was: string; is: string | null }[]>(
    `select distinct h.old ->> 'filepath' as was, a.filepath as is from history h left join attachment a on a.attachmentid = h.recordid
     where h.tablename = 'attachment' and h.at >= $1::timestamptz and h.old ? 'filepath' and h.old ->> 'filepath' is not null and coalesce(h.old ->> 'fileobject', a.fileobject) = $2`,
    [since, LOCATION],
  );
  for (const { was, is } of rows) {
    if (into.has(`${FILES}${was}`) || (await copy(was, was))) continue;
    if (is !== null) await copy(was, is);
  }
}
