import { FILE_OBJECT } from '../../../../../contracts/file-object.ts';
import { lockNames } from '../../../../../kernel/database/advisory-lock.ts';
import type { Db } from '../../../../../kernel/database/store.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { Platform } from '../../../../../kernel/ports/platform.ts';
import type { Providers } from '../../../../../kernel/ports/providers.ts';
import type { FileLocation } from './file-location.ts';

/** Age at which a noted removal is taken over from the call that noted it. */
const ABANDONED_MINUTES = 10;
/** Files removed per run; the rest waits for the next. */
const BATCH_FILES = 1_000;

/**
 * Locks a path until the transaction ends. Whoever starts to refer to a file that exists already, and whoever removes
 * one for lack of references, locks it first. Call it with row security off.
 */
export async function lockFile(db: Db, { location, path }: FileLocation): Promise<void> {
  await lockNames(db, [`file ${location.toLowerCase()} ${path}`]);
}

/**
 * Notes, in the transaction that stops referring to a file, that it is to be removed: {@link removeFile} does it after
 * the commit, or {@link removeNotedFiles} if the process ends before. Call it with row security off.
 */
export async function noteRemoval(db: Db, { location, path }: FileLocation, now: string): Promise<void> {
  await db.query(
    `insert into fileremoval (fileobject, filepath, createddate) values ($1::text, $2::text, $3::timestamptz)
     on conflict (fileobject, filepath) do nothing`,
    [location, path, now],
  );
}

/** Removes a file unless a document or a version refers to it, and the note of its removal. */
export async function removeFile(ctx: Context, file: FileLocation): Promise<void> {
  await ctx.inTransaction((own) => own.transaction().elevated((db) => removeLocked(db, ctx.providers, file)));
}

async function removeLocked(db: Db, providers: Providers, file: FileLocation): Promise<void> {
  const { location, path } = file;
  await lockFile(db, file);
  const references = await db.query(
    `select 1 from attachment where filepath = $1::text and fileobject = $2::text
     union all
     select 1 from documentversion where filepath = $1::text and fileobject = $2::text
     limit 1`,
    [path, location],
  );
  if (references.length === 0) await providers.get(FILE_OBJECT, location).delete(path);
  await db.query('delete from fileremoval where filepath = $1::text and fileobject = $2::text', [path, location]);
}

/**
 * Housekeeping: removes the originals of moved documents that a call could not remove, because its process ended or the
 * location was away. Returns how many.
 */
export const removeNotedFiles = {
  name: 'originals of moved documents',
  everyMinutes: 5,
  async run(platform: Platform): Promise<number> {
    const before = new Date(platform.clock.milliseconds() - ABANDONED_MINUTES * 60_000).toISOString();
    const files = await platform.store.query<FileLocation>(
      `select fileobject as location, filepath as path
       from fileremoval
       where createddate < $1::timestamptz
       order by createddate
       limit ${BATCH_FILES}`,
      [before],
    );
    const away = new Set<string>();
    let removed = 0;
    for (const file of files) {
      if (away.has(file.location)) continue;
      try {
        await platform.store.transaction({ personId: null, firm: null, callId: 'removal of moved files' }, (db) =>
          removeLocked(db, platform.providers, file),
        );
        removed++;
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error;
        // Its other files would wait for the same time-out; the next run tries again.
        away.add(file.location);
        platform.log.warn('original of a moved document was not removed', {
          location: file.location,
          error: error.code,
        });
      }
    }
    return removed;
  },
} as const;
