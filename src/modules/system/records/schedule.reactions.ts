import { timeZone } from '../../../kernel/declare/core-settings.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineChecks } from '../../../kernel/declare/reaction.ts';
import { INTERVAL_MINUTES_MAX, nextOccurrence, type ScheduleTimes } from '../../../kernel/time/schedule.ts';

export const checks = defineChecks([
  {
    on: 'Schedule',
    doc: 'Requires a name, and either times of the calendar that occur or a number of minutes.',
    async run(ctx, _record, values, id) {
      const [stored] =
        id === undefined
          ? []
          : await ctx.db.query(
              'select schedule, schedulename, intervalminutes from schedule where scheduleid = $1::bigint',
              [id],
            );
      const valueOf = (name: string): unknown => (values.has(name) ? values.get(name) : stored?.[name]) ?? null;
      if (valueOf('schedule') === null) throw bad('Schedule', 'the name of the schedule');
      const times = {
        ScheduleName: valueOf('schedulename') as string | null,
        IntervalMinutes: valueOf('intervalminutes') as number | null,
      } satisfies ScheduleTimes;
      if ((times.ScheduleName === null) === (times.IntervalMinutes === null))
        throw bad('ScheduleName', 'either ScheduleName or IntervalMinutes, the other one empty');
      if (times.IntervalMinutes !== null && (times.IntervalMinutes < 1 || times.IntervalMinutes > INTERVAL_MINUTES_MAX))
        throw bad('IntervalMinutes', `a whole number from 1 to ${INTERVAL_MINUTES_MAX}`);
      if (nextOccurrence(times, ctx.clock.milliseconds(), ctx.settings.get(timeZone)) === undefined)
        throw bad('ScheduleName', 'a schedule that has a next time');
    },
  },
]);
