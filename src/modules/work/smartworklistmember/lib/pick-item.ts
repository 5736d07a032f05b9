import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { selectListOf } from '../../../../kernel/database/sql.ts';
import { today } from '../../../../kernel/time/today.ts';
import { AWAKE, OPEN } from './item-state.ts';
import { TEAMS_OF_PERSON } from './teams.ts';

/** So many put-off items whose time has come are woken with one call of `next`; more are a matter of the calls after it. */
const WOKEN_MAX = 1_000;

/** The order in which items are taken, each key ascending and what is empty last; before it come the caller's own, then the caller's priority in the team. */
const KEYS = 'i.priority, i.sequence, i.duedate, i.smartworklistmemberid';

/**
 * The first item of a branch: one entry of one index, whose order it names whole (an order without the team would sort all of the
 * team's items). Rows that another call holds are passed over, so that no two calls take one item and none waits. What is answered of the
 * row is what was locked; read again by its id it could be an older version.
 */
function firstItemOf(condition: string): string {
  return `(select i.* from smartworklistmember i where ${condition} and ${AWAKE} order by i.teamid, ${KEYS} limit 1 for update skip locked)`;
}

/** Put-off items of a team, or of none, whose time has come. */
const dueItemsOf = (team: string, now: string): string =>
  `select i.smartworklistmemberid from smartworklistmember i where ${team} and i.skipdate <= ${now}::timestamptz and ${OPEN}`;

/**
 * One statement that chooses and locks the caller's next item. For each team of the caller, and for items of no team, it looks at the first
 * item of the person and, where there is none at all, at the first that is nobody's; the best of those few is the answer.
 * `team = any(…) order by …` in their place sorts every waiting item of the teams: thirty times as long with 100,000 of them.
 * It also tells whether items of the caller were put off until now: then they are woken first, and it is asked again.
 */
function pickText(columns: string, isListed: boolean): string {
  const listed = isListed ? 'cross join listed l' : '';
  const on = isListed ? 'and i.smartworklistid = l.smartworklistid' : '';
  const branches = (person: string): string => `
    select t.teampriority, f.* from teams t ${listed} cross join lateral ${firstItemOf(`i.teamid = t.teamid and ${person} ${on}`)} f
    union all
    select null, f.* from (values (1)) one ${listed} cross join lateral ${firstItemOf(`i.teamid is null and ${person} ${on}`)} f`;
  const best = 'order by teampriority, priority, sequence, duedate, smartworklistmemberid limit 1';
  return `with teams as materialized (${TEAMS_OF_PERSON})
    ${isListed ? ', listed as materialized (select smartworklistid from smartworklist where smartworklist = $4::text and canceleddate is null)' : ''}
    , own as materialized (select * from (${branches('i.personid = $1::bigint')}) f ${best})
    , free as (select f.* from (select 1 where not exists (select from own)) none cross join lateral (${branches('i.personid is null')}) f ${best})
    , best as (select * from own union all select * from free)
    select ${columns}, exists (${dueItemsOf('i.teamid is null', '$3')}) or exists (select from teams t cross join lateral (${dueItemsOf('i.teamid = t.teamid', '$3')} limit 1) d) as "isAnyDue"
    from (values (1)) one left join best smartworklistmember on true left join smartworklist w on w.smartworklistid = smartworklistmember.smartworklistid`;
}

/** Put-off items whose time has come stand among the others again. What another call holds is that call's matter. */
const WAKE = `with teams as materialized (${TEAMS_OF_PERSON}), held as (
    select i.smartworklistmemberid as id from smartworklistmember i
    where i.smartworklistmemberid in (${dueItemsOf('i.teamid in (select teamid from teams)', '$3')} union all ${dueItemsOf('i.teamid is null', '$3')} limit ${WOKEN_MAX}) and i.skipdate <= $3::timestamptz and ${OPEN}
    for update skip locked)
  update smartworklistmember i set skipdate = null, status = case when i.startdate is null then 'Queued' else 'Started' end, updateddate = $3::timestamptz, updatedpersonid = $1::bigint, version = i.version + 1
  from held where i.smartworklistmemberid = held.id`;

/** An item that was chosen; its row is locked. */
export interface PickedItem {
  readonly row: Row;
  readonly templateId: number | null;
}

const texts = new WeakMap<RecordType, { readonly any: string; readonly named: string }>();

/** The statement for the items of all worklists, and of those of a name. */
export function pickTexts(record: RecordType): { readonly any: string; readonly named: string } {
  let made = texts.get(record);
  const columns = `${selectListOf(record)}, w.smartworklisttemplateid as "templateId"`;
  if (!made) texts.set(record, (made = { any: pickText(columns, false), named: pickText(columns, true) }));
  return made;
}

/** Chooses the caller's next item, of the open worklists of a name where one is given, and locks it. Undefined where there is none. */
export async function pickItem(ctx: Context, worklist: string | undefined): Promise<PickedItem | undefined> {
  const who = [ctx.user.personId, today(ctx), ctx.clock.now()];
  const { any, named } = pickTexts(ctx.record);
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
  if (!found || found['SmartWorklistMemberID'] === null) return undefined;
  const { templateId, isAnyDue: _isAnyDue, ...row } = found;
  return { row, templateId };
}

interface PickedRow extends Record<string, unknown> {
  readonly templateId: number | null;
  readonly isAnyDue: boolean;
}
