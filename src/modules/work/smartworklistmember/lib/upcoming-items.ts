import { isOpenWorklist } from '../../lib/open.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { today } from '../../../../kernel/time/today.ts';
import { nextGivesHeldItems } from '../settings.ts';
import { AWAKE, HELD, OPEN } from './item-state.ts';
import { TEAMS_OF_PERSON } from './teams.ts';

/** An item that a user may get, with the names of its queue, team and task's parent. */
export interface UpcomingItem {
  readonly id: number;
  readonly name: string | null;
  readonly type: string | null;
  readonly status: string | null;
  readonly worklistId: number;
  readonly worklist: string | null;
  readonly sourceObject: string;
  readonly sourceId: number;
  readonly object: string;
  readonly objectId: number;
  readonly reason: string | null;
  readonly priority: number | null;
  readonly sequence: number | null;
  readonly dueDate: string | null;
  readonly createdDate: string;
  readonly startDate: string | null;
  readonly heldDate: string | null;
  readonly teamId: number | null;
  readonly team: string | null;
  readonly teamPriority: number | null;
  readonly personId: number | null;
  readonly version: number;
}

/** Where a page begins: after the item with these keys. */
export interface UpcomingPosition {
  readonly isOwn: boolean;
  readonly teamPriority: number | null;
  readonly priority: number | null;
  readonly sequence: number | null;
  readonly dueDate: string | null;
  readonly id: number;
}

/** What to list: at most `size` items, of the open queues of a name or of all, after a position or from the start. */
export interface UpcomingRequest {
  readonly worklist: string | null;
  readonly after: UpcomingPosition | undefined;
  readonly size: number;
}

/** The keys of the order in which `next` gives items, within the user's own ones and the others. */
const KEYS = ['priority', 'sequence', 'duedate', 'smartworklistmemberid'] as const;
const ORDER = KEYS.map((key) => `i.${key}`).join(', ');

/**
 * Returns the items that a user may get, in the order in which `next` gives them, without assigning any. For each of
 * the user's teams, and for none, it reads at most `size` entries of the index that `next` uses. Skipped items that
 * are due again, which `next` wakes first, are read with them.
 */
export async function upcomingItems(ctx: Context, request: UpcomingRequest): Promise<readonly UpcomingItem[]> {
  const { after, worklist, size } = request;
  return ctx.db.query<UpcomingItem>(upcomingText(ctx.settings.get(nextGivesHeldItems), request), [
    ctx.user.personId,
    today(ctx),
    ctx.clock.now(),
    size,
    ...(worklist === null ? [] : [worklist]),
    ...(after === undefined
      ? []
      : [after.isOwn, after.teamPriority, after.priority, after.sequence, after.dueDate, after.id]),
  ]);
}

function upcomingText(givesHeld: boolean, { worklist, after }: UpcomingRequest): string {
  const isListed = worklist !== null;
  const listed = isListed ? 'and i.smartworklistid = l.smartworklistid' : '';
  const lists = isListed ? 'cross join listed l' : '';
  const listedQuery = `, listed as materialized (
      select smartworklistid from smartworklist where smartworklist = $5::text and ${isOpenWorklist()}
    )`;
  const position = after && positionFrom(isListed ? 6 : 5);
  const states = [AWAKE, ...(givesHeld ? [HELD] : []), dueAgain(givesHeld)];
  const itemsOf = (isOwn: boolean, state: string, team: BranchTeam): string => `(
      select i.*
      from smartworklistmember i
      where i.teamid ${team.is} and i.personid ${isOwn ? '= $1::bigint' : 'is null'} and ${state} ${listed}
        ${position ? `and ${isAfter(branchKeys(isOwn, team.priority), position)}` : ''}
      order by i.teamid, ${ORDER}
      limit $4::integer
    )`;
  const branches = [true, false].flatMap((isOwn) =>
    states.flatMap((state) => [
      `select ${isOwn} as isown, t.teampriority, f.*
       from teams t ${lists}
       cross join lateral ${itemsOf(isOwn, state, OF_TEAM)} f`,
      `select ${isOwn}, null, f.*
       from (values (1)) one ${lists}
       cross join lateral ${itemsOf(isOwn, state, OF_NO_TEAM)} f`,
    ]),
  );
  return `with teams as materialized (${TEAMS_OF_PERSON})${isListed ? listedQuery : ''},
      page as materialized (
        select * from (${branches.join(' union all ')}) i
        order by i.isown desc, i.teampriority, ${ORDER}
        limit $4::integer
      )
    select i.smartworklistmemberid as id, i.smartworklistmember as name, i.smartworklistmembertype as type, i.status,
      i.smartworklistid as "worklistId", w.smartworklist as worklist, i.sourceobject as "sourceObject",
      i.sourceobjectid as "sourceId", coalesce(t.object, i.sourceobject) as object,
      coalesce(t.objectid, i.sourceobjectid) as "objectId", i.reason, i.priority, i.sequence,
      i.duedate as "dueDate", i.createddate as "createdDate", i.startdate as "startDate", i.helddate as "heldDate",
      i.teamid as "teamId", c.collection as team, i.teampriority as "teamPriority", i.personid as "personId", i.version
    from page i
    join smartworklist w on w.smartworklistid = i.smartworklistid
    left join importform t on i.sourceobject = 'ImportForm' and t.importformid = i.sourceobjectid
    left join collection c on c.collectionid = i.teamid
    order by i.isown desc, i.teampriority, ${ORDER}`;
}

/** The condition of skipped items that are due again. */
function dueAgain(givesHeld: boolean): string {
  return `${OPEN} and i.skipdate <= $3::timestamptz${givesHeld ? '' : ' and i.helddate is null'}`;
}

/** The team of the items of one branch. */
interface BranchTeam {
  readonly is: string;
  readonly priority: string;
}

const OF_TEAM: BranchTeam = { is: '= t.teamid', priority: 't.teampriority' };
const OF_NO_TEAM: BranchTeam = { is: 'is null', priority: 'null::integer' };

/** A key of the order with the SQL of its value in a position. Empty values come last. */
interface PositionKey {
  readonly sql: string;
  readonly at: string;
}

/** Returns the SQL of a position's values: placeholders beginning with the given number. */
function positionFrom(first: number): readonly string[] {
  return ['boolean', 'integer', 'integer', 'integer', 'timestamptz', 'bigint'].map(
    (type, at) => `$${first + at}::${type}`,
  );
}

function branchKeys(isOwn: boolean, teamPriority: string): readonly string[] {
  // The user's own items come first, as false before true.
  return [String(!isOwn), teamPriority, ...KEYS.map((key) => `i.${key}`)];
}

/** Returns SQL that is true for the items after a position. */
function isAfter(keys: readonly string[], [isOwn = '', ...rest]: readonly string[]): string {
  const position = [`not ${isOwn}`, ...rest];
  return keys
    .map((sql, at): PositionKey => ({ sql, at: position[at] ?? 'null' }))
    .reduceRight((after, { sql, at }) => {
      const isBehind = `${sql} > ${at} or (${sql} is null and ${at} is not null)`;
      return `(${isBehind} or (${sql} is not distinct from ${at} and ${after}))`;
    }, 'false');
}
