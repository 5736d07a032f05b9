import { join } from 'node:path';
import type postgres from 'postgres';
import type { Collector } from './collector.ts';

/** Folder of the stored documents in a backup. */
export const FILES = 'files';
/** The storage location in the data folder; others have their own backups. */
const LOCATION = 'Local';
/** Documents per query. */
const PAGE_ROWS = 2_000;

/** Result of copying the documents. */
export interface CopiedDocuments {
  /** Documents whose file is missing in the store itself: a backup cannot repair that. */
  readonly missing: readonly string[];
  /** Number of documents in other storage locations, which must be backed up there. */
  readonly elsewhere: number;
}

/**
 * Copies the stored documents, after the database: a file is written before the record that refers to it, and never
 * changed, so every document in the database copy has its file. The exception is a document that is moved during the
 * backup; its file is copied from its new path. The content index is left out; it is rebuilt as documents arrive.
 */
export async function copyDocuments(
  sql: postgres.Sql,
  folder: string,
  into: Collector,
  since: string,
): Promise<CopiedDocuments> {
  await into.folder(folder, FILES, (path) => {
    if (path === `${FILES}/.contents`) return 'all';
    return path === `${FILES}/.parts` ? 'its content' : undefined;
  });
  const missing: string[] = [];
  const copy = (path: string, from: string): Promise<boolean> =>
    into.file(join(folder, ...from.split('/')), `${FILES}${path}`);
  for (let after = 0; ;) {
    const rows = await sql.unsafe<{ id: string; path: string }[]>(
      `select attachmentid::text as id, filepath as path
       from attachment
       where fileobject = $1 and filepath is not null and attachmentid > $2
       order by attachmentid
       limit $3`,
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

/** Copies documents under the paths that they had when the backup began and lost while it ran. */
async function copyMoved(
  sql: postgres.Sql,
  into: Collector,
  since: string,
  copy: (path: string, from: string) => Promise<boolean>,
): Promise<void> {
  const rows = await sql.unsafe<{ was: string; is: string | null }[]>(
    `select distinct h.old ->> 'filepath' as was, a.filepath as is
     from history h
     left join attachment a on a.attachmentid = h.recordid
     where h.tablename = 'attachment' and h.at >= $1::timestamptz
       and h.old ? 'filepath' and h.old ->> 'filepath' is not null
       and coalesce(h.old ->> 'fileobject', a.fileobject) = $2`,
    [since, LOCATION],
  );
  for (const { was, is } of rows) {
    if (into.has(`${FILES}${was}`) || (await copy(was, was))) continue;
    if (is !== null) await copy(was, is);
  }
}
