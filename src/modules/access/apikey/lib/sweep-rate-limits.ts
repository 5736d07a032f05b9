import { deleteBefore, hoursAgo } from '../../../../kernel/database/delete-by-age.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';

/** Housekeeping: deletes the counts of calls by minute that no limit needs any more; returns how many. */
export const sweepRateLimits = {
  name: 'rate limit minutes',
  everyMinutes: 10,
  run: (platform: Platform): Promise<number> => deleteBefore(platform, 'ratelimit', 'minute', hoursAgo(platform, 1)),
} as const;
