import { FILE_OBJECT } from '../../../../../contracts/file-object.ts';
import type { Platform } from '../../../../../kernel/ports/platform.ts';
import { renditionDays } from '../../settings.ts';

/** Renditions that one run removes at most. */
const BATCH_RENDITIONS = 1_000;

/** Housekeeping: removes renditions that nobody has used for long, the row first: a file without one is swept later. */
export const sweepRenditions = {
  name: 'unused renditions of documents',
  everyMinutes: 60,
  async run({ store, settings, clock, providers, log }: Platform): Promise<number> {
    const before = new Date(clock.milliseconds() - settings.get(renditionDays) * 86_400_000).toISOString();
    const rows = await store.query<{ location: string | null; path: string | null }>(
      `with unused as materialized (
         select filehash, sourcetype, mimetype from documentrendition where useddate < $1::timestamptz
         order by useddate limit ${BATCH_RENDITIONS} for update skip locked)
       delete from documentrendition where (filehash, sourcetype, mimetype) in (table unused)
       returning fileobject as location, filepath as path`,
      [before],
    );
    for (const { location, path } of rows)
      if (location !== null && path !== null)
        await providers
          .get(FILE_OBJECT, location)
          .delete(path)
          .catch(() => log.warn('rendition was not removed', { location }));
    return rows.length;
  },
} as const;
