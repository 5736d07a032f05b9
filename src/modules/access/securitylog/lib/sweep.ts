import { deleteAfterMonths } from '../../../../kernel/database/delete-by-age.ts';
import { securityLogMonths } from '../../../../kernel/declare/core-settings.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';

/** Housekeeping: deletes entries of the security log past their time; returns how many. */
export const sweepSecurityLog = {
  name: 'security log past its time',
  everyMinutes: 360,
  run: (platform: Platform): Promise<number> => deleteAfterMonths(platform, 'securitylog', securityLogMonths),
} as const;
