import { list } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { OPEN } from '../smartworklistmember/lib/item-state.ts';

/** The most rows of an answer: worklists by teams by persons. */
const ROWS_MAX = 5_000;

const rows = {
  SmartWorklistID: f.id({ doc: 'The worklist.' }),
  SmartWorklist: f.text({ doc: 'Its name.', max: 255 }),
  TeamID: f.id({ doc: 'The team; left out for items of none.' }),
  Team: f.text({ doc: 'Its name.', max: 100 }),
  PersonID: f.id({ doc: "Who has the items; left out for what is nobody's." }),
  Person: f.text({ doc: "The person's name.", max: 100 }),
  Open: f.integer({ doc: 'Items on which there is still something to do, those below among them.' }),
  Started: f.integer({ doc: 'Those that were begun.' }),
  Skipped: f.integer({ doc: 'Those that are put off.' }),
  DueToday: f.integer({ doc: 'Those that are due within 24 hours and not overdue.' }),
  Overdue: f.integer({ doc: 'Those that should have been done by now.' }),
  OldestMinutes: f.integer({ doc: 'How long ago the oldest of them was made, in minutes.' }),
};

export const operation = defineOperation({
  module: 'smartworklist',
  name: 'Counts',
  method: 'GET',
  summary:
    'Counts the open items of open worklists by worklist, team and person: how many are begun, put off, due and overdue, and the age of the oldest.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    ID: f.id({ doc: 'Only this worklist.' }),
    SmartWorklist: f.text({ doc: 'Only worklists of this name.', max: 255 }),
    TeamID: f.id({ doc: "Only this team's items.", to: 'Collection' }),
    PersonID: f.id({ doc: "Only this person's items.", to: 'Person' }),
  },
  returns: 'list',
  answerName: 'SmartWorklistCount',
  rows,
  errors: ['BAD_PARAMETER'],
  source: '2-workflow-ledgers-worklists-ai §2, Worklists',
});

export const run = handle(operation, async (ctx, { ID, SmartWorklist, TeamID, PersonID }) => {
  const found = await ctx.db.query(
    `select g.*, c.collection as "Team", p.person as "Person" from (
       select w.smartworklistid as "SmartWorklistID", w.smartworklist as "SmartWorklist", i.teamid as "TeamID", i.personid as "PersonID",
         count(*)::integer as "Open", count(*) filter (where i.startdate is not null and i.skipdate is null)::integer as "Started", count(*) filter (where i.skipdate > $1::timestamptz)::integer as "Skipped",
         count(*) filter (where i.duedate > $1::timestamptz and i.duedate <= $1::timestamptz + interval '24 hours')::integer as "DueToday", count(*) filter (where i.duedate <= $1::timestamptz)::integer as "Overdue",
         (extract(epoch from $1::timestamptz - min(i.createddate)) / 60)::integer as "OldestMinutes"
       from smartworklistmember i join smartworklist w on w.smartworklistid = i.smartworklistid and w.canceleddate is null
       where ${OPEN} and ($2::bigint is null or w.smartworklistid = $2::bigint) and ($3::text is null or w.smartworklist = $3::text) and ($4::bigint is null or i.teamid = $4::bigint) and ($5::bigint is null or i.personid = $5::bigint)
       group by 1, 2, 3, 4) g
     left join collection c on c.collectionid = g."TeamID" left join person p on p.personid = g."PersonID"
     order by g."SmartWorklist", g."SmartWorklistID", c.collection nulls last, p.person nulls first limit ${ROWS_MAX + 1}`,
    [ctx.clock.now(), ID ?? null, SmartWorklist ?? null, TeamID ?? null, PersonID ?? null],
  );
  if (found.length > ROWS_MAX)
    ctx.alert({
      code: 'MORE_ROWS',
      text: `There are more than ${ROWS_MAX} rows; ask for one worklist, team or person.`,
    });
  return list('SmartWorklistCount', rows, found.slice(0, ROWS_MAX));
});
