import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { statusSummaryFields, statusSummary } from './lib/status-summary.ts';
import { requireReason, logChange } from './lib/change-log.ts';
import { skipForward } from './lib/lifecycle/skip-forward.ts';

export const operation = defineOperation({
  module: 'decision',
  name: 'SkipForward',
  method: 'POST',
  summary:
    'Completes a step of a workflow and all steps before it, without doing their work. Inserts those that are ' +
    'missing. BodyText is added to the case as a message, and the workflow is processed from the job queue.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The workflow.' })),
    DecisionStepID: required(f.id({ doc: 'The step of the template (a DecisionStepTemplate) to skip to.' })),
    BodyText: required(f.body({ doc: 'The reason.' })),
  },
  returns: statusSummaryFields,
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'MISSING_PARAMETER', 'STATE_REFUSES', 'RULE_EXCEPTION'],
  source: '2-workflow §3, §4',
});

export const run = handle(operation, async (ctx, { ID, DecisionStepID, BodyText }) => {
  requireReason(BodyText);
  const { step, ...decision } = await skipForward(ctx, ID, DecisionStepID);
  await logChange(ctx, {
    decisionId: ID,
    ...decision,
    subject: `Workflow skipped forward to "${step}"`,
    bodyText: BodyText,
  });
  return item('Decision', statusSummaryFields, await statusSummary(ctx, ID));
});
