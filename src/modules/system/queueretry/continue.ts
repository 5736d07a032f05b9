import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { assertUniversal } from '../queue/lib/queue-control.ts';
import { continueRetry } from './lib/retry-run.ts';

export const operation = defineOperation({
  module: 'queueretry',
  name: 'Continue',
  method: 'POST',
  summary:
    "Counts the outcomes of a retry's calls, puts the next ones back, and queues itself until all are done. The " +
    'platform queues it.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  permission: 'QueueRequeue',
  names: 'ID',
  reach: 'locked row',
  params: { ID: required(f.id({ doc: 'The retry.' })) },
  returns: 'item',
  errors: ['NOT_FOUND', 'NO_PERMISSION'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx) => {
  assertUniversal(ctx);
  return recordItem(ctx.record, await continueRetry(ctx, namedRow(ctx, ctx.record)));
});
