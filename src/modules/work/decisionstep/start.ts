import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readSteps, stepStatusFields, stepStatusList } from './lib/step-status.ts';

export const operation = defineOperation({
  module: 'decisionstep',
  name: 'Start',
  method: 'POST',
  summary:
    'Starts steps now: queued and scheduled ones, and failed ones again, whose error is cleared. ' +
    'Fails for a step that is complete or waits for what it created.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.idList({ doc: 'The steps.' })) },
  transactions: 'own',
  returns: 'list',
  rows: stepStatusFields,
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'STEP_FAILED'],
  source: '2-workflow §3, §4',
});

export const run = handle(operation, async (ctx, { ID }) => {
  for (const { DecisionID, DecisionStepID } of await readSteps(ctx, ID))
    await ctx.call('decision/startstep', { ID: DecisionID, DecisionStepID });
  return stepStatusList(ctx, ID);
});
