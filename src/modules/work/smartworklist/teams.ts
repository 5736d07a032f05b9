import { list } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import type { FieldColumns } from '../../../kernel/declare/columns.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { today } from '../../../kernel/time/today.ts';
import { OPEN } from '../smartworklistmember/lib/item-state.ts';
import { TEAMS_OF_PERSON } from '../smartworklistmember/lib/teams.ts';

/** Most teams of the answer. */
const TEAMS_MAX = 200;

const rows = {
  TeamID: f.id({ doc: 'The team.' }),
  Team: f.text({ doc: 'Its name.', max: 100 }),
  IsMember: f.boolean({ doc: 'Whether the caller is a member today.' }),
  Priority: f.integer({ doc: "The caller's priority in it; lower numbers come first." }),
};

export const operation = defineOperation({
  module: 'smartworklist',
  name: 'Teams',
  method: 'GET',
  summary:
    "Lists the caller's teams in the order in which the caller gets their items, then, with All, the other teams " +
    'that have open items; at most 200.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'SmartWorklistCounts',
  params: { All: f.boolean({ doc: 'Whether to list other teams too.', default: false }) },
  returns: 'list',
  answerName: 'SmartWorklistTeam',
  rows,
  errors: [],
  source: '2-workflow-ledgers-worklists-ai §2, Worklists',
});

export const run = handle(operation, async (ctx, { All }) => {
  const found = await ctx.db.query<FieldColumns<typeof rows>>(
    `with own as materialized (${TEAMS_OF_PERSON})
     select c.collectionid as "TeamID", c.collection as "Team", own.teamid is not null as "IsMember",
       own.teampriority as "Priority"
     from collection c
     left join own on own.teamid = c.collectionid
     where c.sourceobject = 'Person'
       and (
         own.teamid is not null
         or ($3::boolean and exists (
           select from smartworklistmember i where i.teamid = c.collectionid and ${OPEN}
         ))
       )
     order by own.teamid is null, own.teampriority, c.collection, c.collectionid
     limit ${TEAMS_MAX}`,
    [ctx.user.personId, today(ctx), All],
  );
  return list('SmartWorklistTeam', rows, found);
});
