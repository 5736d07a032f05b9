import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { lockWorkflows } from '../decision/lib/pass/stored-steps.ts';
import { readSteps, stepStatusFields, stepStatusList } from './lib/step-status.ts';

export const operation = defineOperation({
  module: 'decisionstep',
  name: 'Complete',
  method: 'POST',
  summary:
    'Completes steps, optionally with a result, and processes their workflows. A complete step is left unchanged.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.idList({ doc: 'The steps.' })), IsTrue: f.boolean({ doc: 'The result: 1 or 0.' }) },
  returns: 'list',
  rows: stepStatusFields,
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'STEP_FAILED'],
  source: '2-workflow §3, §4',
});

export const run = handle(operation, async (ctx, { ID, IsTrue }) => {
  const steps = await readSteps(ctx, ID);
  const byDecision = [...Map.groupBy(steps, ({ DecisionID }) => DecisionID)].sort(([a], [b]) => b - a);
  if (byDecision.length > 1)
    await ctx.transaction().elevated((db) =>
      lockWorkflows(
        db,
        byDecision.map(([decision]) => decision),
      ),
    );
  for (const [decision, own] of byDecision)
    await ctx.call('decision/advance', {
      ID: decision,
      CompleteStepID: own.map(({ DecisionStepID }) => DecisionStepID),
      ...(IsTrue === undefined || IsTrue === null ? {} : { IsTrue }),
    });
  return stepStatusList(ctx, ID);
});
