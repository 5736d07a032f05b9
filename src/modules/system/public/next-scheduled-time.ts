import { timeZone } from '../../../kernel/declare/core-settings.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { nextOccurrence, type ScheduleTimes } from '../../../kernel/time/schedule.ts';

/** Returns the next instant of a schedule; undefined if the schedule was deleted or has no next time. */
export async function nextScheduledTime(ctx: Context, scheduleId: number): Promise<string | undefined> {
  const [schedule] = await ctx.db.query<ScheduleTimes>(
    `select schedulename as "ScheduleName", intervalminutes as "IntervalMinutes"
     from schedule
     where scheduleid = $1::bigint`,
    [scheduleId],
  );
  return schedule && nextOccurrence(schedule, ctx.clock.milliseconds(), ctx.settings.get(timeZone));
}
