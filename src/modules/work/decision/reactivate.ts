import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { statusSummaryFields, statusSummary } from './lib/status-summary.ts';
import { reactivateDecision } from './lib/lifecycle/reactivate-decision.ts';

export const operation = defineOperation({
  module: 'decision',
  name: 'Reactivate',
  method: 'POST',
  summary:
    'Reopens a canceled or complete workflow, with the steps and tasks canceled with it. It is not ' +
    'processed; call process afterward. An active workflow is left unchanged.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The workflow.' })) },
  returns: statusSummaryFields,
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'TOO_LARGE', 'CONCURRENT_CHANGE', 'RULE_EXCEPTION'],
  source: '2-workflow §3, §4',
});

export const run = handle(operation, async (ctx, { ID }) => {
  if ((await reactivateDecision(ctx, ID)) === 'was active')
    ctx.alert({ code: 'STATE_REFUSES', text: 'The workflow is active; nothing was reactivated.', id: ID });
  return item('Decision', statusSummaryFields, await statusSummary(ctx, ID));
});
