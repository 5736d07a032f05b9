import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { requeueSteps } from './lib/repair/requeue-steps.ts';

export const operation = defineOperation({
  module: 'decision',
  name: 'QueueSteps',
  method: 'POST',
  summary:
    'Queues unfinished steps to be started again. Skips steps that are running or already queued, and ' +
    'steps of workflows that are complete, canceled or on hold. Called by decisionstep/errorrequeue ' +
    'and stalledstepsrequeue.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'DecisionStepID',
  params: { DecisionStepID: required(f.idList({ doc: 'The steps.', to: 'DecisionStep' })) },
  returns: {
    QueuedCount: required(f.integer({ doc: 'Number of steps queued.' })),
    SkippedCount: required(f.integer({ doc: 'Number of steps skipped.' })),
  },
  answerName: 'DecisionStep',
  errors: ['NOT_FOUND'],
  source: '2-workflow §4',
});

export const run = handle(operation, async (ctx, { DecisionStepID }) => {
  const { queued: queued, skipped } = await ctx.actingAs('Workflow', (own) =>
    requeueSteps(own, DecisionStepID, { status: 'Queued' }),
  );
  return item('DecisionStep', operation.returns, { QueuedCount: queued.size, SkippedCount: skipped.size });
});
