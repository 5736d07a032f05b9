import { businessCalendar } from '../lib/business-calendar.ts';
import { list } from '../../../kernel/door/answer.ts';
import { timeZone } from '../../../kernel/declare/core-settings.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { instantOfWallClock } from '../../../kernel/time/clock.ts';
import { today } from '../../../kernel/time/today.ts';
import { PACE_DAYS, workingDaysBefore } from '../smartworklistmember/lib/usual-pace.ts';

const rows = {
  Date: f.date({ doc: 'The day.' }),
  Completed: f.integer({ doc: 'Number of work items of the team completed on it.' }),
};

export const operation = defineOperation({
  module: 'smartworklist',
  name: 'TeamOutput',
  method: 'GET',
  summary: "Counts a team's completed work items by day: the last 14 working days, then today so far.",
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'SmartWorklistCounts',
  names: 'TeamID',
  params: { TeamID: required(f.id({ doc: 'The team.', to: 'Collection' })) },
  returns: 'list',
  answerName: 'SmartWorklistTeamOutput',
  rows,
  errors: ['NOT_FOUND'],
  source: '2-workflow-ledgers-worklists-ai §2, Worklists',
});

export const run = handle(operation, async (ctx, { TeamID }) => {
  const zone = ctx.settings.get(timeZone);
  const day = today(ctx);
  const days = [...workingDaysBefore(await businessCalendar(ctx), day, PACE_DAYS), day];
  const since = new Date(instantOfWallClock(zone, Date.parse(`${days[0]}T00:00:00Z`))).toISOString();
  const found = await ctx.db.query<{ day: string; count: number }>(
    `select (i.completiondate at time zone $3::text)::date::text as day, count(*)::integer as count
     from smartworklistmember i
     where i.teamid = $1::bigint and i.completiondate >= $2::timestamptz
     group by 1`,
    [TeamID, since, zone],
  );
  const counts = new Map(found.map((row) => [row.day, row.count]));
  return list(
    'SmartWorklistTeamOutput',
    rows,
    days.map((date) => ({ Date: date, Completed: counts.get(date) ?? 0 })),
  );
});
