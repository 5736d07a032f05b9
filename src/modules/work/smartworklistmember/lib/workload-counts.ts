import type { Context } from '../../../../kernel/door/context.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { today } from '../../../../kernel/time/today.ts';
import { startOfDay } from './day-bounds.ts';
import { AWAKE, OPEN } from './item-state.ts';
import { TEAMS_OF_PERSON } from './teams.ts';

/** Calendar days that contain the working days of the usual pace, with weekends and holidays. */
const PACE_CALENDAR_DAYS = 31;

/** Numbers of the items that a user may get. */
export interface WorkloadCounts {
  readonly Overdue: number;
  readonly DueToday: number;
  readonly DueTomorrow: number;
  readonly Waiting: number;
  readonly Own: number;
  readonly Unassigned: number;
}

/**
 * Counts the caller's own open items, and the unassigned ones of the caller's teams and of none. Each part is read from
 * one index that has all its columns.
 */
export async function openCounts(ctx: Context): Promise<WorkloadCounts> {
  const unassigned = `select false as own, false as waits, i.duedate
    from smartworklistmember i
    where i.personid is null and ${AWAKE}`;
  const [row] = await ctx.db.query<WorkloadCounts>(
    `with items as (
       select true as own, i.helddate is not null or coalesce(i.skipdate > $3::timestamptz, false) as waits, i.duedate
       from smartworklistmember i
       where i.personid = $1::bigint and ${OPEN}
       union all
       ${unassigned} and i.teamid is null
       union all
       ${unassigned} and i.teamid = any(array(select t.teamid from (${TEAMS_OF_PERSON}) t))
     )
     select count(*) filter (where not waits and duedate <= $3::timestamptz)::integer as "Overdue",
       count(*) filter (
         where not waits and duedate > $3::timestamptz and duedate < $4::timestamptz
       )::integer as "DueToday",
       count(*) filter (
         where not waits and duedate >= $4::timestamptz and duedate < $5::timestamptz
       )::integer as "DueTomorrow",
       count(*) filter (where waits)::integer as "Waiting", count(*) filter (where own and not waits)::integer as "Own",
       count(*) filter (where not own)::integer as "Unassigned"
     from items`,
    [ctx.user.personId, today(ctx), ctx.clock.now(), startOfDay(ctx, 1), startOfDay(ctx, 2)],
  );
  return row ?? { Overdue: 0, DueToday: 0, DueTomorrow: 0, Waiting: 0, Own: 0, Unassigned: 0 };
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
