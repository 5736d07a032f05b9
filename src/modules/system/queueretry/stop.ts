import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { assertUniversal } from '../queue/lib/queue-control.ts';
import { stopRetry } from './lib/retry-run.ts';

export const operation = defineOperation({
  module: 'queueretry',
  name: 'Stop',
  method: 'POST',
  summary: 'Stops a retry: no more dead letters are put back. Those already in their queues run.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'QueueRequeue',
  names: 'ID',
  reach: 'locked row',
  params: { ID: required(f.id({ doc: 'The retry.' })) },
  returns: 'item',
  errors: ['NOT_FOUND', 'NO_PERMISSION'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { ID }) => {
  assertUniversal(ctx);
  const row = namedRow(ctx, ctx.record);
  return recordItem(ctx.record, row.Status === 'Started' ? await stopRetry(ctx, ID, 'Stopped by hand.') : row);
});
