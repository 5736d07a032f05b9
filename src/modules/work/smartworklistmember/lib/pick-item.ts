import { isOpenWorklist } from '../../lib/open.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { selectListOf } from '../../../../kernel/database/sql.ts';
import { today } from '../../../../kernel/time/today.ts';
import { AWAKE, HELD, OPEN } from './item-state.ts';
import { TEAMS_OF_PERSON } from './teams.ts';
import { nextGivesHeldItems } from '../settings.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { smartWorklistMember, WorkItem } from '../smartworklistmember.record.ts';

/** Most skipped items woken by one call of `next`; later calls wake the rest. */
const WOKEN_MAX = 1_000;

/**
 * The order in which items are taken, ascending with nulls last. The caller's own items and team priority come before
 * it.
 */
const KEYS = 'i.priority, i.sequence, i.duedate, i.smartworklistmemberid';

/**
 * Returns SQL for the first item of a branch: one entry of one index, whose whole order it names. Without the team, the
 * order would sort all items of the team. Rows locked by other calls are skipped, so no two calls take the same item
 * and none waits. The row is returned as locked; reading it again by ID could return an older version.
 */
function firstItemOf(condition: string, state: string): string {
  return `(
      select i.*
      from smartworklistmember i
      where ${condition} and ${state}
      order by i.teamid, ${KEYS}
      limit 1
      for update skip locked
    )`;
}

/** Returns SQL for the skipped items of a team, or of none, that are due again. */
const dueItemsOf = (team: string, now: string): string =>
  `select i.smartworklistmemberid
   from smartworklistmember i
   where ${team} and i.skipdate <= ${now}::timestamptz and ${OPEN}`;

/**
 * Returns one statement that chooses and locks the caller's next item. For each of the caller's teams, and for no team,
 * it looks at the user's first item or, if there is none, at the first unassigned one; the best of those is the answer.
 * Items on hold are left out, unless `givesHeld`. `team = any(…) order by …` instead would sort all waiting items of
 * the teams: thirty times slower with 100,000 of them.
 * It also returns whether skipped items are due again. Then they are woken first, and the choice is repeated.
 */
function pickText(columns: string, isListed: boolean, givesHeld: boolean): string {
  const listed = isListed ? 'cross join listed l' : '';
  const on = isListed ? 'and i.smartworklistid = l.smartworklistid' : '';
  const branchesIn = (person: string, state: string): string => `
    select t.teampriority, f.*
    from teams t ${listed}
    cross join lateral ${firstItemOf(`i.teamid = t.teamid and ${person} ${on}`, state)} f
    union all
    select null, f.*
    from (values (1)) one ${listed}
    cross join lateral ${firstItemOf(`i.teamid is null and ${person} ${on}`, state)} f`;
  const branches = (person: string): string =>
    [AWAKE, ...(givesHeld ? [HELD] : [])].map((state) => branchesIn(person, state)).join(' union all ');
  const best = 'order by teampriority, priority, sequence, duedate, smartworklistmemberid limit 1';
  const listedQuery = `, listed as materialized (
        select smartworklistid from smartworklist where smartworklist = $4::text and ${isOpenWorklist()}
      )`;
  return `with teams as materialized (${TEAMS_OF_PERSON})${isListed ? listedQuery : ''},
      own as materialized (select * from (${branches('i.personid = $1::bigint')}) f ${best}),
      free as (
        select f.*
        from (select 1 where not exists (select from own)) none
        cross join lateral (${branches('i.personid is null')}) f ${best}
      ),
      best as (select * from own union all select * from free)
    select ${columns},
      exists (${dueItemsOf('i.teamid is null', '$3')}) or exists (
        select
        from teams t
        cross join lateral (${dueItemsOf('i.teamid = t.teamid', '$3')} limit 1) d
      ) as "isAnyDue"
    from (values (1)) one
    left join best smartworklistmember on true
    left join smartworklist w on w.smartworklistid = smartworklistmember.smartworklistid`;
}

/** Wakes skipped items that are due again. Items locked by another call are left to that call. */
const WAKE = `with teams as materialized (${TEAMS_OF_PERSON}),
    held as (
      select i.smartworklistmemberid as id
      from smartworklistmember i
      where i.smartworklistmemberid in (
        ${dueItemsOf('i.teamid in (select teamid from teams)', '$3')}
        union all ${dueItemsOf('i.teamid is null', '$3')}
        limit ${WOKEN_MAX}
      )
        and i.skipdate <= $3::timestamptz
        and ${OPEN}
      for update skip locked
    )
  update smartworklistmember i
  set skipdate = null, status = case when i.startdate is null then 'Queued' else 'Started' end,
    updateddate = $3::timestamptz, updatedpersonid = $1::bigint, version = i.version + 1
  from held
  where i.smartworklistmemberid = held.id`;

/** A chosen item; its row is locked. */
export interface PickedItem {
  readonly row: WorkItem;
  readonly templateId: number | null;
}

/** Statements that choose an item: of all worklists, and of those with a name. */
interface PickTexts {
  readonly any: string;
  readonly named: string;
}

const texts = { held: new WeakMap<RecordType, PickTexts>(), awake: new WeakMap<RecordType, PickTexts>() };

/** Returns the statements that choose an item; `givesHeld`: also items on hold. */
export function pickTexts(record: typeof smartWorklistMember, givesHeld = false): PickTexts {
  const known = givesHeld ? texts.held : texts.awake;
  let made = known.get(record);
  if (!made) {
    const columns = `${selectListOf(record)}, w.smartworklisttemplateid as "templateId"`;
    made = { any: pickText(columns, false, givesHeld), named: pickText(columns, true, givesHeld) };
    known.set(record, made);
  }
  return made;
}

/** Chooses and locks the caller's next item, optionally of the open worklists of a name. Undefined if there is none. */
export async function pickItem(
  ctx: Context<typeof smartWorklistMember>,
  worklist: string | undefined,
): Promise<PickedItem | undefined> {
  const who = [ctx.user.personId, today(ctx), ctx.clock.now()];
  const { any, named } = pickTexts(ctx.record, ctx.settings.get(nextGivesHeldItems));
  const choose = async (): Promise<PickedRow | undefined> =>
    (
      await (worklist === undefined
        ? ctx.db.query<PickedRow>(any, who)
        : ctx.db.query<PickedRow>(named, [...who, worklist]))
    )[0];
  let found = await choose();
  if (found?.isAnyDue) {
    await ctx.db.query(WAKE, who);
    found = await choose();
  }
  if (!found || found.SmartWorklistMemberID === null) return undefined;
  const { templateId, isAnyDue: _isAnyDue, ...row } = found;
  return { row, templateId };
}

/** What the choice returns: an item, or nothing but whether skipped ones are due again. */
type PickedRow = (WorkItem | { readonly SmartWorklistMemberID: null }) & {
  readonly templateId: number | null;
  readonly isAnyDue: boolean;
};
