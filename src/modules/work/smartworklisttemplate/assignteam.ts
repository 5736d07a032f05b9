import { isOpenWorklist } from '../lib/open.ts';
import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { OPEN } from '../smartworklistmember/lib/item-state.ts';

export const operation = defineOperation({
  module: 'smartworklisttemplate',
  name: 'AssignTeam',
  method: 'POST',
  summary: 'Sets the team of a queue template, of its open queues, and of their open work items without a team.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  on: 'configuration',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The template.' })),
    TeamID: required(f.id({ doc: 'The team, a collection of users.', to: 'Collection' })),
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { ID, TeamID }) => {
  const { row } = await ctx.call('smartworklisttemplate/update', { ID, TeamID });
  const worklists = await ctx.db.query<{ id: number }>(
    `select smartworklistid as id
     from smartworklist
     where smartworklisttemplateid = $1::bigint and ${isOpenWorklist()}
     order by 1`,
    [ID],
  );
  for (const { id } of worklists) await ctx.call('smartworklist/update', { ID: id, TeamID });
  await ctx.db.query(
    `update smartworklistmember i
     set teamid = $2::bigint, updateddate = $3::timestamptz, updatedpersonid = $4::bigint, version = i.version + 1
     from smartworklist w
     where w.smartworklisttemplateid = $1::bigint
       and ${isOpenWorklist('w')}
       and i.smartworklistid = w.smartworklistid
       and ${OPEN}
       and i.teamid is null`,
    [ID, TeamID, ctx.clock.now(), ctx.user.personId],
  );
  return recordItem(ctx.record, row);
});
