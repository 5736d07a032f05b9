import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { statusSummaryFields, statusSummary } from './lib/status-summary.ts';
import { advanceAndReport } from './lib/pass/advance.ts';

export const operation = defineOperation({
  module: 'decision',
  name: 'Process',
  method: 'POST',
  summary:
    'Runs a pass over a workflow: completes steps whose task or workflow is complete, starts all ready steps, ' +
    'continues with the steps that become ready, and completes the workflow when nothing is left. A ' +
    'complete or canceled workflow is left unchanged.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The workflow.' })) },
  returns: statusSummaryFields,
  errors: ['NOT_FOUND', 'STEP_FAILED', 'STATE_REFUSES'],
  source: '2-workflow §3, §4',
});

export const run = handle(operation, async (ctx, { ID }) => {
  await advanceAndReport(ctx, ID, [{ kind: 'complete-ended' }]);
  return item('Decision', statusSummaryFields, await statusSummary(ctx, ID));
});
