import { timeZone } from '../../../kernel/declare/core-settings.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { INTERVAL_MINUTES_MAX, nextOccurrence, type ScheduleTimes } from '../../../kernel/time/schedule.ts';
import { schedule } from './schedule.record.ts';
import { readColumns } from '../../../kernel/records/search/read.ts';
import { valueAfter } from '../../../kernel/declare/values.ts';

export const checks = [
  defineCheck({
    on: schedule,
    doc: 'Requires a name, and either times of the calendar that occur or a number of minutes.',
    async run(ctx, { values, id }) {
      const names = ['Schedule', 'ScheduleName', 'IntervalMinutes'] as const;
      const stored = id === undefined ? undefined : await readColumns(ctx.db, schedule, id, names);
      if ((valueAfter(values, stored, 'Schedule') ?? null) === null) throw bad('Schedule', 'the name of the schedule');
      const times = {
        ScheduleName: valueAfter(values, stored, 'ScheduleName') ?? null,
        IntervalMinutes: valueAfter(values, stored, 'IntervalMinutes') ?? null,
      } satisfies ScheduleTimes;
      if ((times.ScheduleName === null) === (times.IntervalMinutes === null))
        throw bad('ScheduleName', 'either ScheduleName or IntervalMinutes, not both');
      if (times.IntervalMinutes !== null && (times.IntervalMinutes < 1 || times.IntervalMinutes > INTERVAL_MINUTES_MAX))
        throw bad('IntervalMinutes', `a whole number from 1 to ${INTERVAL_MINUTES_MAX}`);
      if (nextOccurrence(times, ctx.clock.milliseconds(), ctx.settings.get(timeZone)) === undefined)
        throw bad('ScheduleName', 'a schedule that has a next run');
    },
  }),
];
