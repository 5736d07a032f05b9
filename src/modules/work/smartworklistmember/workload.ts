import { businessCalendar } from '../lib/business-calendar.ts';
import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { today } from '../../../kernel/time/today.ts';
import { startOfDay } from './lib/day-bounds.ts';
import { doneByDay, openCounts } from './lib/workload-counts.ts';
import { finishAt, PACE_DAYS, perWorkingDay, workingDaysBefore } from './lib/usual-pace.ts';

const fields = {
  Overdue: required(f.integer({ doc: 'Items that the caller may get and that are overdue.' })),
  DueToday: required(f.integer({ doc: 'Those due later today.' })),
  DueTomorrow: required(f.integer({ doc: 'Those due tomorrow.' })),
  Waiting: required(
    f.integer({ doc: "The caller's own items that are skipped until later or on hold. The other counts omit them." }),
  ),
  Own: required(f.integer({ doc: "The caller's own open items, whenever they are due." })),
  Unassigned: required(f.integer({ doc: "Unassigned items of the caller's teams and of no team." })),
  DoneToday: required(f.integer({ doc: 'Items that the caller completed today.' })),
  UsualPerDay: f.decimal({
    doc: `Mean number completed a day, of the last ${PACE_DAYS} working days on which any was. Omitted without any.`,
  }),
  FinishDate: f.timestamp({
    doc: 'When the items due by today are done at that pace. Omitted if not today, or if there are none.',
  }),
};

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Workload',
  method: 'GET',
  summary:
    "Counts the work items that the caller may get: overdue, due and unassigned, the caller's own that wait, and " +
    'those done today, with the usual pace.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'SmartWorklistMemberNext',
  params: {},
  returns: fields,
  answerName: 'Workload',
  errors: [],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx) => {
  const [open, done, calendar] = await Promise.all([openCounts(ctx), doneByDay(ctx), businessCalendar(ctx)]);
  const day = today(ctx);
  const usual = perWorkingDay(workingDaysBefore(calendar, day, PACE_DAYS).map((each) => done.get(each) ?? 0));
  const now = ctx.clock.milliseconds();
  const remaining = open.Overdue + open.DueToday;
  const dayMinutes = calendar.businessMinutes(Date.parse(startOfDay(ctx, 0)), Date.parse(startOfDay(ctx, 1)));
  const finish =
    usual === undefined || remaining === 0 ? undefined : finishAt(calendar, now, remaining, usual / dayMinutes);
  return item('Workload', fields, {
    ...open,
    DoneToday: done.get(day) ?? 0,
    UsualPerDay: usual === undefined ? null : usual.toFixed(1),
    FinishDate:
      finish === undefined || finish >= Date.parse(startOfDay(ctx, 1)) ? null : new Date(finish).toISOString(),
  });
});
