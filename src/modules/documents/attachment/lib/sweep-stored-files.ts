import { FILE_OBJECT, type FileObject } from '../../../../contracts/file-object.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';

/** Age at which a file without a record is an orphan: files are stored before their records. */
const ORPHAN_HOURS = 24;
/** Folder depth of documents: `/{Object}/{ObjectID}/{Guid}/{FileName}`. */
const DEPTH = 3;
/** Files looked up per query. */
const BATCH_FILES = 500;

/**
 * Housekeeping: removes files that nothing refers to, left by a process that died between storing and committing. A
 * file stays as long as history knows it: its document may have been deleted or replaced, and can be restored until
 * then. Nothing is removed from the folder of a record on legal hold. In shared locations only unfinished writes are
 * removed: other files belong to others. An unreachable location is left for the next run. Returns how many were
 * removed.
 */
export const sweepStoredFiles = {
  name: 'stored files without a document',
  everyMinutes: 24 * 60,
  async run(platform: Platform): Promise<number> {
    const before = new Date(platform.clock.milliseconds() - ORPHAN_HOURS * 3_600_000).toISOString();
    let removed = 0;
    for (const name of platform.providers.names(FILE_OBJECT)) {
      const files = platform.providers.get(FILE_OBJECT, name);
      if (files.shared) {
        removed += await files
          .removeUnfinished(before)
          .catch((error: unknown) => logUnreachable(platform, name, error));
        continue;
      }
      removed += await files.removeUnfinished(before);
      let batch: string[] = [];
      for await (const path of files.list('/', { depth: DEPTH })) {
        batch.push(path);
        if (batch.length < BATCH_FILES) continue;
        removed += await removeOrphans(platform, { name, files, before }, batch);
        batch = [];
      }
      removed += await removeOrphans(platform, { name, files, before }, batch);
    }
    return removed;
  },
} as const;

function logUnreachable(platform: Platform, location: string, error: unknown): number {
  if (!(error instanceof PlatformError)) throw error;
  platform.log.warn('storage location not swept', { location, error: error.code });
  return 0;
}

async function removeOrphans(
  platform: Platform,
  { name, files, before }: { readonly name: string; readonly files: FileObject; readonly before: string },
  paths: readonly string[],
): Promise<number> {
  const orphans = await orphanPaths(platform, name, paths);
  let removed = 0;
  for (const path of orphans) {
    const found = await files.stat(path);
    if (!found || found.modified >= before) continue;
    await files.delete(path);
    removed++;
  }
  return removed;
}

/** Returns the paths that neither a document, a rendition nor history names. */
async function orphanPaths(platform: Platform, name: string, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  // Versions of a deleted document stay as long as it can be restored from history.
  const known = await platform.store.query<{ path: string }>(
    `select filepath as path from attachment where filepath = any($1::text[]) and fileobject = $2::text
     union all
     select filepath from documentrendition where filepath = any($1::text[]) and fileobject = $2::text
     union all
     select v.filepath from documentversion v
     where v.filepath = any($1::text[]) and v.fileobject = $2::text
       and (exists (select 1 from attachment a where a.attachmentid = v.attachmentid)
         or exists (select 1 from history h where h.tablename = 'attachment' and h.recordid = v.attachmentid))`,
    [arrayLiteral(paths), name],
  );
  const left = excludePaths(paths, known);
  if (left.length === 0) return [];
  const referenced = await platform.store.query<{ path: string }>(
    `select old ->> 'filepath' as path
     from history
     where tablename = 'attachment' and old ? 'filepath' and old ->> 'filepath' = any($1::text[])`,
    [arrayLiteral(left)],
  );
  const orphans = excludePaths(left, referenced);
  return orphans.length === 0 ? orphans : excludePaths(orphans, await heldPaths(platform, orphans));
}

/** Returns the paths in folders of records that are on legal hold, or have a document that is. */
function heldPaths(platform: Platform, paths: readonly string[]): Promise<{ path: string }[]> {
  return platform.store.query<{ path: string }>(
    `select path
     from unnest($1::text[]) path
     where exists (
       select from legalhold h left join attachment a on h.object = 'Attachment' and a.attachmentid = h.objectid
       where h.releaseddate is null
         and starts_with(path, '/' || coalesce(a.object, h.object) || '/'
           || coalesce(a.objectid, case when h.object = 'Attachment' then 0 else h.objectid end) || '/'))`,
    [arrayLiteral(paths)],
  );
}

function excludePaths(paths: readonly string[], rows: readonly { readonly path: string }[]): string[] {
  const known = new Set(rows.map((row) => row.path));
  return paths.filter((path) => !known.has(path));
}
