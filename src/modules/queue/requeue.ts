import { item } from '../../kernel/answer.ts';
import { f, required } from '../../kernel/field.ts';
import { defineOperation, handle } from '../../kernel/operation.ts';

export const operation = defineOperation({
  module: 'queue',
  name: 'Requeue',
  method: 'POST',
  summary: 'Puts dead letters back into their queues, to be tried again from the first attempt on.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: { ID: required(f.textList({ doc: 'Ids of the messages.' })) },
  returns: { Requeued: required(f.integer({ doc: 'How many were put back; the others were not among the dead letters.' })) },
  errors: ['NOT_FOUND'],
  source: 'decisions, Queue',
});

export const run = handle(operation, async (ctx, { ID }) => item('Requeue', operation.returns, { Requeued: await ctx.queue.requeue(ID) }));
