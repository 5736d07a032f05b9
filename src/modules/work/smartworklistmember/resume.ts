import { PlatformError } from '../../../kernel/door/errors.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { itemWithUrl } from './lib/item-url.ts';

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Resume',
  method: 'GET',
  summary: "Returns the caller's own started work item with the address to open again.",
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The item.' })) },
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const row = namedRow(ctx, ctx.record);
  if (row.Status !== 'Started')
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `Work item ${ID} is ${String(row.Status)}; only a started one can be resumed.`,
    });
  if (row.PersonID !== ctx.user.personId)
    throw new PlatformError('STATE_REFUSES', { field: 'ID', message: `Work item ${ID} is assigned to another user.` });
  return itemWithUrl(ctx, ctx.record, row);
});
