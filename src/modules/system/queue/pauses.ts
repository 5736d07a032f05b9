import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertUniversal } from './lib/queue-control.ts';

const pauseFields = {
  QueueName: required(f.text({ doc: 'The queue.' })),
  Operation: required(f.text({ doc: 'The operation whose calls wait, as `module/operation`.' })),
  Waiting: required(f.integer({ doc: 'How many of its calls are due and wait; at most 100,000 are counted.' })),
  ChangedDate: required(f.timestamp({ doc: 'Since when.' })),
  ChangedPersonID: f.id({ doc: 'Who paused it.' }),
  Reason: f.text({ doc: 'Why.' }),
};

export const operation = defineOperation({
  module: 'queue',
  name: 'Pauses',
  method: 'GET',
  summary: 'Lists the operations that are paused in a queue while its other calls run, the longest paused first.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'QueueQueues',
  params: {},
  returns: 'list',
  answerName: 'QueuePause',
  rows: pauseFields,
  errors: ['NO_PERMISSION'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx) => {
  assertUniversal(ctx);
  return list('QueuePause', pauseFields, await ctx.queue.pauses(ctx.db));
});
