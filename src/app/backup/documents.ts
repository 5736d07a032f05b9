import { join } from 'node:path';
import type postgres from 'postgres';
import { countElsewhere, formerPaths, pathsAfter } from '../../modules/documents/attachment/lib/stored-paths.ts';
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
 * backup, and lost the path that it had when the backup began; its file is copied from its new path. The content index
 * is left out; it is rebuilt as documents arrive.
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
  const run = <T extends object>(text: string, values: (string | number)[]): PromiseLike<readonly T[]> =>
    sql.unsafe<T[]>(text, values);
  const copy = (path: string, from: string): Promise<boolean> =>
    into.file(join(folder, ...from.split('/')), `${FILES}${path}`);
  for (let after = 0; ;) {
    const rows = await pathsAfter(run, LOCATION, { after, max: PAGE_ROWS });
    for (const { id, path } of rows)
      if (!into.has(`${FILES}${path}`) && !(await copy(path, path))) missing.push(`document ${id}: ${path}`);
    const last = rows.at(-1);
    if (!last) break;
    after = Number(last.id);
  }
  for (const { was, is } of await formerPaths(run, LOCATION, since)) {
    if (into.has(`${FILES}${was}`) || (await copy(was, was))) continue;
    if (is !== null) await copy(was, is);
  }
  return { missing, elsewhere: await countElsewhere(run, LOCATION) };
}
