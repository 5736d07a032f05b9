import type { Platform } from '../../../../kernel/ports/platform.ts';

/** How long ended sign-ins are still listed: long enough to ask who was there last month. */
const KEPT_DAYS = 60;
/** Rows that one statement deletes. */
const BATCH_ROWS = 5_000;

/** Housekeeping: deletes sign-ins that ended or expired long ago; returns how many. */
export const sweepSessions = {
  name: 'expired browser sessions',
  everyMinutes: 24 * 60,
  async run(platform: Platform): Promise<number> {
    const before = new Date(platform.clock.milliseconds() - KEPT_DAYS * 86_400_000).toISOString();
    let deleted = 0;
    for (;;) {
      const rows = await platform.store.query(
        `delete from session
         where sessionid = any(array(
           select sessionid from session where expires < $1::timestamptz limit ${BATCH_ROWS}))
         returning 1`,
        [before],
      );
      deleted += rows.length;
      if (rows.length < BATCH_ROWS) return deleted;
    }
  },
} as const;
