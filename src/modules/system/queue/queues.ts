import { list } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertUniversal, queueFields } from './lib/queue-control.ts';
import { earlierSamples, secondsUntilEmpty } from './lib/queue-samples.ts';

const rowFields = {
  ...queueFields,
  EmptySeconds: f.integer({
    doc:
      'Seconds until no message waits, at the pace of the last ten minutes; empty if the queue is not getting ' +
      'shorter.',
  }),
};

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
  rows: rowFields,
  errors: ['NO_PERMISSION'],
  source: 'decisions, Queue',
});

export const run = handle(operation, async (ctx) => {
  assertUniversal(ctx);
  const [states, earlier] = await Promise.all([ctx.queue.states(ctx.db), earlierSamples(ctx.db)]);
  return list(
    'Queue',
    rowFields,
    states.map((state) => ({
      ...state,
      EmptySeconds: secondsUntilEmpty(state.Waiting, earlier.get(state.QueueName)),
    })),
  );
});
