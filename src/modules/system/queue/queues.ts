import { list } from '../../../kernel/door/answer.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertUniversal, queueFields } from './lib/queue-control.ts';

export const operation = defineOperation({
  module: 'queue',
  name: 'Queues',
  method: 'GET',
  summary:
    'Lists the queues: their state and throttle, how many messages wait and for how long, how many run, ' +
    'and how many are dead letters.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {},
  returns: 'list',
  answerName: 'Queue',
  rows: queueFields,
  errors: ['NO_PERMISSION'],
  source: 'decisions, Queue',
});

export const run = handle(operation, async (ctx) => {
  assertUniversal(ctx);
  return list('Queue', queueFields, await ctx.queue.states(ctx.db));
});
