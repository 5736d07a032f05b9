import { deleteBefore, monthsAgo } from '../../../../kernel/database/delete-by-age.ts';
import { securityLogMonths } from '../../../../kernel/declare/core-settings.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';

/**
 * Housekeeping: deletes entries of the security log past their time; returns how many. An administrator cannot erase
 * evidence by a setting: the months that the owner of the machine requires come first.
 */
export const sweepSecurityLog = {
  name: 'security log past its time',
  everyMinutes: 360,
  run(platform: Platform): Promise<number> {
    const months = platform.settings.get(securityLogMonths);
    if (months <= 0) return Promise.resolve(0);
    const retained = Math.max(months, platform.journal.monthsMin);
    return deleteBefore(platform, 'securitylog', 'createddate', monthsAgo(platform, retained));
  },
} as const;
