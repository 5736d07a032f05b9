import { deleteBefore } from '../../../kernel/database/delete-by-age.ts';
import type { Platform } from '../../../kernel/ports/platform.ts';

/** Housekeeping: deletes the counts of use of windows that have ended; returns how many. */
export const sweepUsageCounts = {
  name: 'usage counts',
  everyMinutes: 10,
  run: (platform: Platform): Promise<number> => deleteBefore(platform, 'usagecount', 'ends', platform.clock.now()),
} as const;
