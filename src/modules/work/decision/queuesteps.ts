import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { reachAll } from '../../../kernel/records/search/read.ts';
import { requeueSteps } from './lib/repair/requeue-steps.ts';

export const operation = defineOperation({
  module: 'decision',
  name: 'QueueSteps',
  method: 'POST',
  summary:
    'Queues the start of steps again that are not complete and that nobody works on; those of workflows that are complete, canceled or on hold, and those that are queued already, are left alone. What decisionstep/errorrequeue and stalledstepsrequeue call.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: { DecisionStepID: required(f.idList({ doc: 'The steps.' })) },
  returns: {
    QueuedCount: required(f.integer({ doc: 'How many were queued.' })),
    SkippedCount: required(f.integer({ doc: 'How many were left alone.' })),
  },
  answerName: 'DecisionStep',
  errors: ['NOT_FOUND'],
  source: '2-workflow §4',
});

export const run = handle(operation, async (ctx, { DecisionStepID }) => {
  await reachAll(ctx, ctx.registry.requireRecord('DecisionStep', 'DecisionStepID'), DecisionStepID);
  const { queued: queued, skipped } = await ctx.actingAs('Workflow', (own) =>
    requeueSteps(own, DecisionStepID, { status: 'Queued' }),
  );
  return item('DecisionStep', operation.returns, { QueuedCount: queued.size, SkippedCount: skipped.size });
});
