import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { openNamedWorklist } from './lib/worklist-items.ts';

export const operation = defineOperation({
  module: 'smartworklist',
  name: 'Cancel',
  method: 'POST',
  summary: 'Cancels a queue with its open work items.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: { ID: required(f.id({ doc: 'The worklist.' })) },
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'CONCURRENT_CHANGE', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { ID }) => {
  openNamedWorklist(ctx);
  await ctx.call('smartworklist/update', { ID, Status: 'Canceled' });
  return recordItem(ctx.record, await readRecord(ctx.db, ctx.record, ID));
});
