import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import type { FieldColumns } from '../../../kernel/declare/columns.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { today } from '../../../kernel/time/today.ts';
import { startOfDay } from '../smartworklistmember/lib/day-bounds.ts';
import { OPEN } from '../smartworklistmember/lib/item-state.ts';

/** Most users of the answer. */
const MEMBERS_MAX = 500;

const rows = {
  PersonID: f.id({ doc: 'The user.' }),
  Person: f.text({ doc: 'The sign-in name.', max: 100 }),
  Name: f.personal({ doc: 'First and last name; the sign-in name without any.', max: 201 }),
  IsMember: f.boolean({ doc: 'Whether the user is a member today. Others have open items of the team.' }),
  Open: f.integer({ doc: "Number of the team's open work items assigned to the user." }),
  Started: f.integer({ doc: 'Number of those in progress.' }),
  Overdue: f.integer({ doc: 'Number of those that are overdue.' }),
  DueToday: f.integer({ doc: 'Number of those due later today.' }),
  DoneToday: f.integer({ doc: "Number of the team's work items that the user completed today." }),
};

export const operation = defineOperation({
  module: 'smartworklist',
  name: 'TeamMembers',
  method: 'GET',
  summary: "Counts a team's work items by user: open, overdue, due and done today.",
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'SmartWorklistCounts',
  names: 'TeamID',
  params: { TeamID: required(f.id({ doc: 'The team.', to: 'Collection' })) },
  returns: 'list',
  answerName: 'SmartWorklistTeamMember',
  rows,
  errors: ['NOT_FOUND'],
  source: '2-workflow-ledgers-worklists-ai §2, Worklists',
});

export const run = handle(operation, async (ctx, { TeamID }) => {
  const found = await ctx.db.query<FieldColumns<typeof rows>>(
    `with open as materialized (
       select i.personid, count(*)::integer as open,
         count(*) filter (where i.startdate is not null)::integer as started,
         count(*) filter (where i.duedate <= $3::timestamptz)::integer as overdue,
         count(*) filter (where i.duedate > $3::timestamptz and i.duedate < $5::timestamptz)::integer as duetoday
       from smartworklistmember i
       where i.teamid = $1::bigint and i.personid is not null and ${OPEN}
       group by i.personid
     ),
     done as materialized (
       select i.personid, count(*)::integer as done
       from smartworklistmember i
       where i.teamid = $1::bigint and i.completiondate >= $4::timestamptz and i.personid is not null
       group by i.personid
     ),
     members as materialized (select sourceobjectid as personid from casewright_members($1::bigint, $2::date))
     select p.personid as "PersonID", p.person as "Person",
       coalesce(nullif(trim(concat_ws(' ', p.firstname, p.lastname)), ''), p.person) as "Name",
       m.personid is not null as "IsMember", coalesce(o.open, 0) as "Open", coalesce(o.started, 0) as "Started",
       coalesce(o.overdue, 0) as "Overdue", coalesce(o.duetoday, 0) as "DueToday", coalesce(d.done, 0) as "DoneToday"
     from (select personid from members union select personid from open) listed
     join person p on p.personid = listed.personid
     left join members m on m.personid = p.personid
     left join open o on o.personid = p.personid
     left join done d on d.personid = p.personid
     where coalesce(p.status, 'Active') = 'Active' or o.open > 0
     order by m.personid is null, "Name", p.personid
     limit ${MEMBERS_MAX}`,
    [TeamID, today(ctx), ctx.clock.now(), startOfDay(ctx, 0), startOfDay(ctx, 1)],
  );
  return list('SmartWorklistTeamMember', rows, found);
});
