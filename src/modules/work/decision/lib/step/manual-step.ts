import type { Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { advanceAndReport } from '../pass/advance.ts';
import { lockDecision } from '../pass/stored-steps.ts';
import { planOfVersion, type PlannedStep } from '../template/plan.ts';
import type { decisionStep } from '../../../decisionstep/decisionstep.record.ts';
import type { Values } from '../../../../../kernel/declare/values.ts';

/**
 * Completes a manually inserted step from its template, and refuses changes of a step's status, workflow or template.
 */
export async function checkManualStep(
  ctx: Context,
  values: Values<typeof decisionStep>,
  id: number | undefined,
): Promise<void> {
  if (values.Status !== undefined)
    throw new PlatformError('STATE_REFUSES', {
      field: 'Status',
      message: 'Status: a save cannot set it. Use decisionstep/complete or decisionstep/start.',
    });
  if (id !== undefined) {
    for (const field of ['DecisionID', 'DecisionStepTemplateID'] as const)
      if (values[field] !== undefined)
        throw new PlatformError('STATE_REFUSES', {
          field,
          message: 'A step cannot be moved to another workflow or step of the template.',
        });
    return;
  }
  const decisionId = values.DecisionID;
  if (typeof decisionId !== 'number')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'DecisionID',
      message: 'DecisionID is required: the workflow of the step.',
    });
  const decision = await lockDecision(ctx.db, decisionId);
  if (decision.completion !== null || decision.canceled !== null || decision.versionId === null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'DecisionID',
      message: `DecisionID: workflow ${decisionId} is complete or canceled, or has no template.`,
    });
  const plan = await planOfVersion(ctx.configuration, ctx.db, decision.versionId);
  const step = namedStep(plan.steps, values);
  if (values.DecisionStep === undefined) values.DecisionStep = step.name;
  values.DecisionStepTemplateID = step.id;
  values.EnforceDelay = plan.enforceDelay;
  values.Delayed = decision.delayed;
  values.InsertedSequence = decision.sequence + 1;
  if (values.DecisionStepType === undefined) values.DecisionStepType = step.type;
  if (values.TeamID === undefined) values.TeamID = step.teamId;
  for (const name of ['EstimatedStart', 'EstimatedCompletion'] as const)
    if (values[name] === undefined) values[name] = ctx.clock.now();
  await ctx.db.query('update decision set stepsequence = $2::integer where decisionid = $1::bigint', [
    decisionId,
    decision.sequence + 1,
  ]);
}

/** Returns the step of the template with the given ID or name. */
function namedStep(steps: readonly PlannedStep[], values: Values<typeof decisionStep>): PlannedStep {
  const id = values.DecisionStepTemplateID;
  const name = values.DecisionStep;
  const found = steps.find((step) =>
    typeof id === 'number'
      ? step.id === id
      : typeof name === 'string' && step.name.toLowerCase() === name.toLowerCase(),
  );
  if (!found)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'DecisionStepTemplateID',
      message: `DecisionStepTemplateID: expected a step of the version that the workflow follows: ${steps
        .map((step) => `${step.name} (${step.id})`)
        .join(', ')
        .slice(0, 1_000)}.`,
    });
  return found;
}

/** Starts a manually inserted step. */
export async function startManualStep(ctx: Context, row: Row<typeof decisionStep>): Promise<void> {
  await advanceAndReport(ctx, row.DecisionID, [{ kind: 'start', ids: [row.DecisionStepID] }]);
}
