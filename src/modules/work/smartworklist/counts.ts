import { isOpenWorklist } from '../lib/open.ts';
import { list } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { OPEN } from '../smartworklistmember/lib/item-state.ts';
import type { FieldColumns } from '../../../kernel/declare/columns.ts';

/** Most rows of the answer: queues × teams × users. */
const ROWS_MAX = 5_000;

const rows = {
  SmartWorklistID: f.id({ doc: 'The worklist.' }),
  SmartWorklist: f.text({ doc: 'Its name.', max: 255 }),
  TeamID: f.id({ doc: 'The team; omitted for work items without one.' }),
  Team: f.text({ doc: 'Its name.', max: 100 }),
  PersonID: f.id({ doc: 'The assigned user; omitted for unassigned work items.' }),
  Person: f.text({ doc: "The user's name.", max: 100 }),
  Open: f.integer({ doc: 'Number of open work items, including the following.' }),
  Started: f.integer({ doc: 'Number started.' }),
  Skipped: f.integer({ doc: 'Number skipped until later.' }),
  DueToday: f.integer({ doc: 'Number due within 24 hours and not overdue.' }),
  Overdue: f.integer({ doc: 'Number overdue.' }),
  OldestMinutes: f.integer({ doc: 'Age of the oldest one, in minutes.' }),
};

export const operation = defineOperation({
  module: 'smartworklist',
  name: 'Counts',
  method: 'GET',
  summary:
    'Counts the open work items of open queues by queue, team and user: started, skipped, due and ' +
    'overdue, and the age of the oldest.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    ID: f.id({ doc: 'Only this queue.' }),
    SmartWorklist: f.text({ doc: 'Only queues of this name.', max: 255 }),
    TeamID: f.id({ doc: 'Only work items of this team.', to: 'Collection' }),
    PersonID: f.id({ doc: 'Only work items of this user.', to: 'Person' }),
  },
  returns: 'list',
  answerName: 'SmartWorklistCount',
  rows,
  errors: ['BAD_PARAMETER'],
  source: '2-workflow-ledgers-worklists-ai §2, Worklists',
});

export const run = handle(operation, async (ctx, { ID, SmartWorklist, TeamID, PersonID }) => {
  const found = await ctx.db.query<FieldColumns<typeof rows>>(
    `select g.*, c.collection as "Team", p.person as "Person"
     from (
       select w.smartworklistid as "SmartWorklistID", w.smartworklist as "SmartWorklist", i.teamid as "TeamID",
         i.personid as "PersonID", count(*)::integer as "Open",
         count(*) filter (where i.startdate is not null and i.skipdate is null)::integer as "Started",
         count(*) filter (where i.skipdate > $1::timestamptz)::integer as "Skipped",
         count(*) filter (
           where i.duedate > $1::timestamptz and i.duedate <= $1::timestamptz + interval '24 hours'
         )::integer as "DueToday",
         count(*) filter (where i.duedate <= $1::timestamptz)::integer as "Overdue",
         (extract(epoch from $1::timestamptz - min(i.createddate)) / 60)::integer as "OldestMinutes"
       from smartworklistmember i
       join smartworklist w on w.smartworklistid = i.smartworklistid and ${isOpenWorklist('w')}
       where ${OPEN}
         and ($2::bigint is null or w.smartworklistid = $2::bigint)
         and ($3::text is null or w.smartworklist = $3::text)
         and ($4::bigint is null or i.teamid = $4::bigint)
         and ($5::bigint is null or i.personid = $5::bigint)
       group by 1, 2, 3, 4
     ) g
     left join collection c on c.collectionid = g."TeamID"
     left join person p on p.personid = g."PersonID"
     order by g."SmartWorklist", g."SmartWorklistID", c.collection nulls last, p.person nulls first
     limit ${ROWS_MAX + 1}`,
    [ctx.clock.now(), ID ?? null, SmartWorklist ?? null, TeamID ?? null, PersonID ?? null],
  );
  if (found.length > ROWS_MAX)
    ctx.alert({
      code: 'MORE_ROWS',
      text: `There are more than ${ROWS_MAX} rows; filter by queue, team or user.`,
    });
  return list('SmartWorklistCount', rows, found.slice(0, ROWS_MAX));
});
