import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { applyQueueControl, queueFields, queueName, reason, reasonDetail } from './lib/queue-control.ts';
import { pauseCalls, pausedOperation } from './lib/queue-pauses.ts';

export const operation = defineOperation({
  module: 'queue',
  name: 'Stop',
  method: 'POST',
  summary:
    'Stops a queue: workers take no more messages from it until `queue/start`. Running ones finish, and ' +
    'new messages are still accepted; of a recurring call at most one run waits. With Operation, only the calls of ' +
    'that operation wait.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: { QueueName: queueName, Operation: pausedOperation, Reason: reason },
  returns: queueFields,
  answerName: 'Queue',
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'NO_PERMISSION'],
  source: 'decisions, Queue',
});

export const run = handle(operation, (ctx, { QueueName, Operation, Reason }) =>
  Operation
    ? pauseCalls(ctx, { QueueName, Operation }, Reason ?? null)
    : applyQueueControl(
        ctx,
        QueueName,
        { stopped: true, reason: Reason ?? null },
        { event: 'QueueStopped', detail: reasonDetail(Reason) },
      ),
);
