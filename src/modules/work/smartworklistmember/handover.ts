import { recordItem } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { changeItem, templateIdOf, writeAssignee } from './lib/change-item.ts';
import { isOpen } from './lib/item-state.ts';
import { assertActive, isInTeam } from './lib/teams.ts';

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'HandOver',
  method: 'POST',
  summary:
    "Gives the caller's own open work item to another member of its team, who starts it from the beginning. " +
    '`reassign` moves items of other users.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  permission: 'SmartWorklistMemberNext',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: required(f.id({ doc: 'The item.' })),
    PersonID: required(f.id({ doc: "The colleague, of the item's team.", to: 'Person' })),
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'BAD_PARAMETER', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { ID, PersonID }) => {
  const row = namedRow(ctx, ctx.record);
  const refuse = (field: string, why: string): never => {
    throw new PlatformError('STATE_REFUSES', { field, message: `Work item ${ID} ${why}` });
  };
  if (!isOpen(row)) refuse('ID', `is ${String(row.Status)}; only an open one can be handed over.`);
  if (row.PersonID !== ctx.user.personId) refuse('ID', 'is not assigned to you; you can only hand over your own.');
  if (PersonID === ctx.user.personId) refuse('PersonID', 'is already yours.');
  await assertActive(ctx.db, PersonID, 'PersonID');
  if (!(await isInTeam(ctx, ctx.db, row.TeamID, PersonID)))
    refuse('PersonID', `cannot go to user ${PersonID}, who is not in its team.`);
  const given = await changeItem(ctx, ctx.record, row, { PersonID, StartDate: null, SkipDate: null });
  await writeAssignee(ctx, given, await templateIdOf(ctx, given));
  return recordItem(ctx.record, given);
});
