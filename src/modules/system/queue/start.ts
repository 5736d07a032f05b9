import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { applyQueueControl, queueFields, queueName } from './lib/queue-control.ts';
import { pausedOperation, resumeCalls } from './lib/queue-pauses.ts';

export const operation = defineOperation({
  module: 'queue',
  name: 'Start',
  method: 'POST',
  summary:
    'Starts a stopped queue: workers take messages from it again, up to its throttle. With Operation, ends the pause ' +
    'of that operation.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: { QueueName: queueName, Operation: pausedOperation },
  returns: queueFields,
  answerName: 'Queue',
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'NO_PERMISSION'],
  source: 'decisions, Queue',
});

export const run = handle(operation, (ctx, { QueueName, Operation }) =>
  Operation
    ? resumeCalls(ctx, { QueueName, Operation })
    : applyQueueControl(ctx, QueueName, { stopped: false }, { event: 'QueueStarted' }),
);
