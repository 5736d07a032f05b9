import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { ITEMS_MAX } from './lib/change-item.ts';
import { cancelItems } from './lib/cancel-items.ts';

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Cancel',
  method: 'POST',
  summary: 'Cancels open work items. Their records stay unchanged.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: { own: 'One statement locks and counts thousands of items without reading their rows.' },
  params: {
    ID: required(f.idList({ doc: 'The items.', max: ITEMS_MAX })),
    CancelledDate: f.timestamp({ doc: 'When they were canceled. Defaults to now.' }),
    Reason: f.text({ doc: 'The reason. If empty, their own reason stays.', max: 255 }),
  },
  returns: 'list',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'MISSING_PARAMETER', 'TOO_LARGE', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, (ctx, { ID, CancelledDate, Reason }) =>
  cancelItems(ctx, ctx.record, ID, { at: CancelledDate ?? ctx.clock.now(), reason: Reason }),
);
