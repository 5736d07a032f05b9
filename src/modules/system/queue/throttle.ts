import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { applyQueueControl, queueFields, queueName, reason, reasonDetail } from './lib/queue-control.ts';

/** The fastest throttle, a thousand messages a second: what is faster needs none. */
const MESSAGES_PER_MINUTE_MAX = 60_000;

export const operation = defineOperation({
  module: 'queue',
  name: 'Throttle',
  method: 'POST',
  summary:
    'Limits how many messages all workers together take from a queue per minute, evenly spaced; 0 ' +
    'removes the limit.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {
    QueueName: queueName,
    MessagesPerMinute: required(f.integer({ doc: 'A number from 0 to 60000; 0 for no limit.' })),
    Reason: reason,
  },
  returns: queueFields,
  answerName: 'Queue',
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'NO_PERMISSION'],
  source: 'decisions, Queue',
});

export const run = handle(operation, (ctx, { QueueName, MessagesPerMinute, Reason }) => {
  if (MessagesPerMinute < 0 || MessagesPerMinute > MESSAGES_PER_MINUTE_MAX)
    throw bad('MessagesPerMinute', `a number from 0 (no limit) to ${MESSAGES_PER_MINUTE_MAX}`);
  const change = { messagesPerMinute: MessagesPerMinute, reason: Reason ?? null };
  return applyQueueControl(ctx, QueueName, change, {
    event: 'QueueThrottled',
    detail: ` ${MessagesPerMinute}${reasonDetail(Reason)}`,
  });
});
