import { f, required } from '../../../kernel/declare/field.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { itemWithUrl } from './lib/item-url.ts';
import { startOwnItem } from './lib/start-item.ts';

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Start',
  method: 'GET',
  summary:
    "Starts an open work item and assigns it to the caller. It must be unassigned or the caller's " +
    "own, and of one of the caller's teams or of none. A skipped one starts early. Returns the item " +
    'with the address to open.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: { ID: required(f.id({ doc: 'The item.' })) },
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx) =>
  itemWithUrl(ctx, ctx.record, (await startOwnItem(ctx, namedRow(ctx, ctx.record))).row),
);
