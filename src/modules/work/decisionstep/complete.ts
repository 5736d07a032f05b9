import type { Context } from '../../../kernel/door/context.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { logChange } from '../decision/lib/change-log.ts';
import { cancelAwaited } from '../decision/lib/lifecycle/cancel-awaited.ts';
import { lockWorkflows } from '../decision/lib/pass/stored-steps.ts';
import { readSteps, stepStatusFields, stepStatusList, type StepRow } from './lib/step-status.ts';

/** The reason on tasks and work items that are no longer needed. */
const REASON = 'The step was completed without it.';

/** Most steps named in a message. */
const NAMES_SHOWN_MAX = 5;

export const operation = defineOperation({
  module: 'decisionstep',
  name: 'Complete',
  method: 'POST',
  summary:
    'Completes steps, optionally with a result, and processes their workflows. What an open step waits for is ' +
    'canceled: its task with the work item, and the workflow that it started. A complete step is left unchanged.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.idList({ doc: 'The steps.' })),
    IsTrue: f.boolean({ doc: 'The result: 1 or 0.' }),
    KeepImportForm: f.boolean({
      doc: 'True leaves the tasks and workflows that the steps wait for open.',
      default: false,
    }),
    BodyText: f.body({ doc: 'The reason. Saved as a message on each workflow and its record.' }),
  },
  returns: 'list',
  rows: stepStatusFields,
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'STEP_FAILED'],
  source: '2-workflow §3, §4',
});

export const run = handle(operation, async (ctx, { ID, IsTrue, KeepImportForm, BodyText }) => {
  const steps = await readSteps(ctx, ID);
  const waiting = steps.filter(({ isWaiting }) => isWaiting).map(({ DecisionStepID }) => DecisionStepID);
  if (waiting.length > 0 && !KeepImportForm) await cancelAwaited(ctx, waiting, REASON);
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
  const reason = BodyText ?? '';
  if (reason.trim() !== '') for (const [decision, own] of byDecision) await logReason(ctx, decision, own, reason);
  return stepStatusList(ctx, ID);
});

/** Saves why steps of a workflow were completed, as a message on the workflow and on its record. */
async function logReason(ctx: Context, decisionId: number, steps: readonly StepRow[], bodyText: string): Promise<void> {
  const [workflow] = await ctx.db.query<{ object: string | null; objectId: number | null }>(
    'select object, objectid as "objectId" from decision where decisionid = $1::bigint',
    [decisionId],
  );
  const names = steps.slice(0, NAMES_SHOWN_MAX).map(({ DecisionStep, DecisionStepID: id }) => DecisionStep ?? id);
  const what = steps.some(({ isWaiting }) => isWaiting) ? 'Completed without what it waited for' : 'Completed';
  await logChange(ctx, {
    decisionId,
    object: workflow?.object ?? null,
    objectId: workflow?.objectId ?? null,
    subject: `${what}: ${names.join(', ')}`.slice(0, 255),
    bodyText,
  });
}
