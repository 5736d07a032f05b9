import type { Context } from '../../../../kernel/door/context.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { today } from '../../../../kernel/time/today.ts';
import { startOfDay } from './day-bounds.ts';
import { AWAKE, OPEN } from './item-state.ts';
import { TEAMS_OF_PERSON } from './teams.ts';

/** Most unassigned items that are counted. */
export const UNASSIGNED_MAX = 1_000;

/** Calendar days that contain the working days of the usual pace, with weekends and holidays. */
const PACE_CALENDAR_DAYS = 31;

/** A user's own open items. */
export interface OwnCounts {
  readonly Overdue: number;
  readonly DueToday: number;
  readonly DueTomorrow: number;
  readonly Waiting: number;
  readonly Open: number;
}

/** Counts the caller's own open items in one index. */
export async function ownCounts(ctx: Context): Promise<OwnCounts> {
  const waits = '(i.helddate is not null or coalesce(i.skipdate > $2::timestamptz, false))';
  const [row] = await ctx.db.query<OwnCounts>(
    `select count(*) filter (where not ${waits} and i.duedate <= $2::timestamptz)::integer as "Overdue",
       count(*) filter (
         where not ${waits} and i.duedate > $2::timestamptz and i.duedate < $3::timestamptz
       )::integer as "DueToday",
       count(*) filter (
         where not ${waits} and i.duedate >= $3::timestamptz and i.duedate < $4::timestamptz
       )::integer as "DueTomorrow",
       count(*) filter (where ${waits})::integer as "Waiting",
       count(*)::integer as "Open"
     from smartworklistmember i
     where i.personid = $1::bigint and ${OPEN}`,
    [ctx.user.personId, ctx.clock.now(), startOfDay(ctx, 1), startOfDay(ctx, 2)],
  );
  return row ?? { Overdue: 0, DueToday: 0, DueTomorrow: 0, Waiting: 0, Open: 0 };
}

/** Counts the unassigned items of the caller's teams and of none, up to a limit. */
export async function unassignedCount(ctx: Context): Promise<number> {
  const counted = `select 1
     from smartworklistmember i
     where i.personid is null and ${AWAKE}`;
  const [row] = await ctx.db.query<{ count: number }>(
    `with teams as materialized (${TEAMS_OF_PERSON})
     select count(*)::integer as count
     from (
       (${counted} and i.teamid is null limit ${UNASSIGNED_MAX})
       union all
       select 1 from teams t cross join lateral (${counted} and i.teamid = t.teamid limit ${UNASSIGNED_MAX}) own
       limit ${UNASSIGNED_MAX}
     ) counted`,
    [ctx.user.personId, today(ctx)],
  );
  return row?.count ?? 0;
}

/** Counts the items that the caller completed, by date: today and in the days of the usual pace. */
export async function doneByDay(ctx: Context): Promise<ReadonlyMap<string, number>> {
  const rows = await ctx.db.query<{ day: string; count: number }>(
    `select (i.completiondate at time zone $3::text)::date::text as day, count(*)::integer as count
     from smartworklistmember i
     where i.personid = $1::bigint and i.completiondate >= $2::timestamptz
     group by 1`,
    [ctx.user.personId, startOfDay(ctx, -PACE_CALENDAR_DAYS), ctx.settings.get(timeZone)],
  );
  return new Map(rows.map(({ day, count }) => [day, count]));
}
