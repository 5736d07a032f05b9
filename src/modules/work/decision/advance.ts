import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { statusSummaryFields, statusSummary } from './lib/status-summary.ts';
import { advanceAndReport } from './lib/pass/advance.ts';
import type { PassCommand } from './lib/pass/pass-command.ts';

export const operation = defineOperation({
  module: 'decision',
  name: 'Advance',
  method: 'POST',
  summary:
    'Completes, starts or fails steps of a workflow, then advances it. Called by ' +
    'decisionstep/complete and by services that work on a step; people use decisionstep/complete and ' +
    'decisionstep/start.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The workflow.' })),
    CompleteStepID: f.idList({ doc: 'The steps to complete.' }),
    IsTrue: f.boolean({ doc: 'The result they complete with.' }),
    StartStepID: f.idList({ doc: 'The steps to start now.' }),
    FailStepID: f.idList({ doc: 'The steps whose work failed.' }),
    Message: f.text({ doc: 'Why they failed.', max: 2000 }),
  },
  returns: statusSummaryFields,
  errors: ['NOT_FOUND', 'STEP_FAILED', 'STATE_REFUSES'],
  source: '2-workflow §3, §4',
});

export const run = handle(operation, async (ctx, { ID, CompleteStepID, IsTrue, StartStepID, FailStepID, Message }) => {
  const commands: PassCommand[] = [];
  if (CompleteStepID) commands.push({ kind: 'complete', ids: CompleteStepID, isTrue: IsTrue ?? null });
  if (FailStepID)
    commands.push({
      kind: 'fail',
      ids: FailStepID,
      error: new PlatformError('RULE_EXCEPTION', { message: Message ?? 'The work of the step failed.' }),
      suppressNotification: true,
    });
  if (StartStepID) commands.push({ kind: 'start', ids: StartStepID });
  await advanceAndReport(ctx, ID, commands);
  return item('Decision', statusSummaryFields, await statusSummary(ctx, ID));
});
