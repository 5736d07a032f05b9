import { isOpenWorklist } from '../lib/open.ts';
import { list } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import type { FieldColumns } from '../../../kernel/declare/columns.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { today } from '../../../kernel/time/today.ts';
import { OPEN } from '../smartworklistmember/lib/item-state.ts';
import { TEAMS_OF_PERSON } from '../smartworklistmember/lib/teams.ts';

/** Most rows of the answer: queues × teams. */
const ROWS_MAX = 500;

const rows = {
  SmartWorklistID: f.id({ doc: 'The queue.' }),
  SmartWorklist: f.text({ doc: 'Its name.', max: 255 }),
  TeamID: f.id({ doc: 'The team.' }),
  Team: f.text({ doc: 'Its name.', max: 100 }),
  Open: f.integer({ doc: 'Number of open work items.' }),
  Unassigned: f.integer({ doc: 'Number of those that are assigned to nobody.' }),
  Overdue: f.integer({ doc: 'Number of open ones that are overdue.' }),
  OldestDate: f.timestamp({ doc: 'When the oldest open one was created.' }),
  OverdueUnassigned: f.integer({ doc: 'Number of unassigned ones that are overdue.' }),
  OldestUnassignedDate: f.timestamp({ doc: 'When the oldest unassigned one was created.' }),
};

export const operation = defineOperation({
  module: 'smartworklist',
  name: 'TeamQueues',
  method: 'GET',
  summary:
    'Counts the open work items of a team by queue, with the age of the oldest: of one team, or of all teams of the ' +
    'caller. Those with the most overdue items come first.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'SmartWorklistCounts',
  params: { TeamID: f.id({ doc: "The team. Defaults to all of the caller's.", to: 'Collection' }) },
  returns: 'list',
  answerName: 'SmartWorklistTeamQueue',
  rows,
  errors: [],
  source: '2-workflow-ledgers-worklists-ai §2, Worklists',
});

export const run = handle(operation, async (ctx, { TeamID }) => {
  // One index has all columns that are counted, in the order of the groups. Materialized, because the planner would
  // count again for each joined row.
  const found = await ctx.db.query<FieldColumns<typeof rows>>(
    `with g as materialized (
       select i.teamid, i.smartworklistid, count(*)::integer as open,
         count(*) filter (where i.personid is null)::integer as unassigned,
         count(*) filter (where i.duedate <= $4::timestamptz)::integer as overdue, min(i.createddate) as oldest,
         count(*) filter (where i.personid is null and i.duedate <= $4::timestamptz)::integer as overdueunassigned,
         min(i.createddate) filter (where i.personid is null) as oldestunassigned
       from smartworklistmember i
       where i.teamid = any(
           array(
             select own.teamid from (${TEAMS_OF_PERSON}) own where $3::bigint is null
             union all
             select $3::bigint where $3::bigint is not null
           )
         )
         and ${OPEN}
       group by i.teamid, i.smartworklistid
     )
     select g.smartworklistid as "SmartWorklistID", w.smartworklist as "SmartWorklist", g.teamid as "TeamID",
       c.collection as "Team", g.open as "Open", g.unassigned as "Unassigned", g.overdue as "Overdue",
       g.oldest as "OldestDate", g.overdueunassigned as "OverdueUnassigned",
       g.oldestunassigned as "OldestUnassignedDate"
     from g
     join collection c on c.collectionid = g.teamid
     join smartworklist w on w.smartworklistid = g.smartworklistid and ${isOpenWorklist('w')}
     order by g.overdue desc, g.oldest, g.smartworklistid, g.teamid
     limit ${ROWS_MAX}`,
    [ctx.user.personId, today(ctx), TeamID ?? null, ctx.clock.now()],
  );
  return list('SmartWorklistTeamQueue', rows, found);
});
