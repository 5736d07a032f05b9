import { recordItem } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assignedByClaim, releaseItem } from './lib/claims.ts';
import { isOpen } from './lib/item-state.ts';

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Release',
  method: 'POST',
  summary:
    "Returns the caller's own started work item to its queue, not started. An item that its claim assigned becomes " +
    "unassigned again; any other stays the caller's. Answers of its task stay.",
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'SmartWorklistMemberNext',
  names: 'ID',
  reach: 'locked row',
  params: { ID: required(f.id({ doc: 'The item.' })) },
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const row = namedRow(ctx, ctx.record);
  if (!isOpen(row) || row.PersonID !== ctx.user.personId)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: isOpen(row)
        ? `Work item ${ID} is not assigned to you; you can only release your own.`
        : `Work item ${ID} is ${String(row.Status)}; only an open one can be released.`,
    });
  if (row.StartDate === null) return recordItem(ctx.record, row);
  return recordItem(ctx.record, await releaseItem(ctx, ctx.record, row, (await assignedByClaim(ctx.db, row)) === true));
});
