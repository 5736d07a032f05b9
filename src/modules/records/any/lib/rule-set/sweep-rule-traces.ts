import { deleteBefore, hoursAgo } from '../../../../../kernel/database/delete-by-age.ts';
import type { Platform } from '../../../../../kernel/ports/platform.ts';
import { ruleTraceDays } from '../../settings.ts';

/** Housekeeping: deletes traces of rule sets that are older than the setting; returns how many. */
export const sweepRuleTraces = {
  name: 'rule set traces past their time',
  everyMinutes: 360,
  run: (platform: Platform): Promise<number> =>
    deleteBefore(platform, 'ruletrace', 'createddate', hoursAgo(platform, 24 * platform.settings.get(ruleTraceDays))),
} as const;
