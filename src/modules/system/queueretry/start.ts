import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertUniversal } from '../queue/lib/queue-control.ts';
import { startRetry } from './lib/retry-run.ts';

export const operation = defineOperation({
  module: 'queueretry',
  name: 'Start',
  method: 'POST',
  summary:
    'Retries all dead letters of one cause in the background: the first 20 alone, the others once one of them has ' +
    'succeeded. If all of these fail again, the retry stops and the others stay as they are.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  permission: 'QueueRequeue',
  params: {
    Operation: required(f.text({ doc: 'The operation, as queue/causes lists it.', max: 200 })),
    ErrorCode: f.text({ doc: 'The code of the failure.', max: 50 }),
    Cause: required(f.text({ doc: 'The hash of the cause, or `none`.', max: 32 })),
  },
  returns: 'item',
  errors: ['NO_PERMISSION', 'STATE_REFUSES', 'MISSING_PARAMETER'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { Operation, ErrorCode, Cause }) => {
  assertUniversal(ctx);
  return recordItem(
    ctx.record,
    await startRetry(ctx, {
      Operation: Operation.toLowerCase(),
      ErrorCode: ErrorCode ?? null,
      Cause: Cause.toLowerCase(),
    }),
  );
});
