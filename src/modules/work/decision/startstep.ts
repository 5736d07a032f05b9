import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { statusSummaryFields, statusSummary } from './lib/status-summary.ts';
import { startStep } from './lib/pass/start-step.ts';

export const operation = defineOperation({
  module: 'decision',
  name: 'StartStep',
  method: 'POST',
  summary:
    'Starts a step of a workflow in its own transactions and advances the workflow. Called by decisionstep/start.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The workflow.' })), DecisionStepID: required(f.id({ doc: 'The step.' })) },
  transactions: 'own',
  returns: statusSummaryFields,
  errors: ['NOT_FOUND', 'STEP_FAILED', 'STATE_REFUSES'],
  source: '2-workflow §3, §4',
});

export const run = handle(operation, async (ctx, { ID, DecisionStepID }) => {
  const failure = await startStep(ctx, ID, DecisionStepID, ctx.address === 'queue' ? 'queue' : 'person');
  if (failure) throw failure;
  return item('Decision', statusSummaryFields, await statusSummary(ctx, ID));
});
