import { FILE_OBJECT, type FileObject } from '../../../../contracts/file-object.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { uploadHours } from '../settings.ts';

/** Uploads deleted per statement, and parts looked up per query. */
const BATCH_UPLOADS = 500;
/** Most statements of one run; the rest waits for the next. */
const BATCHES_MAX = 100;

/**
 * Housekeeping: deletes uploads whose last chunk is hours old, finished or not, with their bytes; a finished one's
 * bytes stay with its document. Bytes without a row were left by a process that died in between. Returns how many were
 * deleted.
 */
export const sweepUploads = {
  name: 'expired uploads',
  everyMinutes: 60,
  async run(platform: Platform): Promise<number> {
    const before = new Date(
      platform.clock.milliseconds() - platform.settings.get(uploadHours) * 3_600_000,
    ).toISOString();
    let removed = 0;
    for (let batch = 0; batch < BATCHES_MAX; batch++) {
      const n = await deleteExpired(platform, before);
      removed += n;
      if (n < BATCH_UPLOADS) break;
    }
    for (const name of platform.providers.names(FILE_OBJECT))
      removed += await removeOrphanParts(platform, platform.providers.get(FILE_OBJECT, name), before);
    return removed;
  },
} as const;

/** Deletes the row first: without the row no caller writes to the part any more. */
async function deleteExpired(platform: Platform, before: string): Promise<number> {
  const rows = await platform.store.query<{ guid: string; location: string }>(
    `delete from upload
     where uploadguid = any(array(
       select uploadguid
       from upload
       where updateddate < $1::timestamptz
       limit ${BATCH_UPLOADS}
       for update skip locked))
     returning uploadguid::text as guid, fileobject as location`,
    [before],
  );
  for (const { guid, location } of rows) await platform.providers.get(FILE_OBJECT, location).parts?.delete(guid);
  return rows.length;
}

async function removeOrphanParts(platform: Platform, { parts }: FileObject, before: string): Promise<number> {
  if (!parts) return 0;
  let removed = 0;
  let batch: string[] = [];
  const sweep = async (): Promise<void> => {
    const known = await platform.store.query<{ guid: string }>(
      'select uploadguid::text as guid from upload where uploadguid = any($1::uuid[])',
      [arrayLiteral(batch)],
    );
    const knownGuids = new Set(known.map(({ guid }) => guid));
    for (const name of batch.filter((each) => !knownGuids.has(each))) {
      await parts.delete(name);
      removed++;
    }
    batch = [];
  };
  for await (const { name, modified } of parts.list()) {
    if (modified < before) batch.push(name);
    if (batch.length >= BATCH_UPLOADS) await sweep();
  }
  await sweep();
  return removed;
}
