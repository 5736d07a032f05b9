import { deleteAfterMonths } from '../../../kernel/database/delete-by-age.ts';
import { errorLogMonths } from '../../../kernel/declare/core-settings.ts';
import type { Platform } from '../../../kernel/ports/platform.ts';

/** Housekeeping: deletes entries of the error log past their time; returns how many. */
export const sweepErrorLog = {
  name: 'error log past its time',
  everyMinutes: 360,
  run: (platform: Platform): Promise<number> => deleteAfterMonths(platform, 'errorlog', errorLogMonths),
} as const;
