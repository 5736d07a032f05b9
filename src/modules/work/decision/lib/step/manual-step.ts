import type { Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { advanceAndReport } from '../pass/advance.ts';
import { lockDecision } from '../pass/stored-steps.ts';
import { planOfVersion, type PlannedStep } from '../template/plan.ts';

/**
 * Completes a manually inserted step from its template, and refuses changes of a step's status, workflow or template.
 */
export async function checkManualStep(
  ctx: Context,
  values: Map<string, unknown>,
  id: number | undefined,
): Promise<void> {
  if (values.has('status'))
    throw new PlatformError('STATE_REFUSES', {
      field: 'Status',
      message: 'Status: a save cannot set it. Use decisionstep/complete or decisionstep/start.',
    });
  if (id !== undefined) {
    for (const key of ['decisionid', 'decisionsteptemplateid'])
      if (values.has(key))
        throw new PlatformError('STATE_REFUSES', {
          field: key === 'decisionid' ? 'DecisionID' : 'DecisionStepTemplateID',
          message: 'A step cannot be moved to another workflow or step of the template.',
        });
    return;
  }
  const decisionId = values.get('decisionid');
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
  if (!values.has('decisionstep')) values.set('decisionstep', step.name);
  values
    .set('decisionsteptemplateid', step.id)
    .set('enforcedelay', plan.enforceDelay)
    .set('delayed', decision.delayed)
    .set('insertedsequence', decision.sequence + 1);
  if (!values.has('decisionsteptype')) values.set('decisionsteptype', step.type);
  if (!values.has('teamid')) values.set('teamid', step.teamId);
  for (const key of ['estimatedstart', 'estimatedcompletion']) if (!values.has(key)) values.set(key, ctx.clock.now());
  await ctx.db.query('update decision set stepsequence = $2::integer where decisionid = $1::bigint', [
    decisionId,
    decision.sequence + 1,
  ]);
}

/** Returns the step of the template with the given ID or name. */
function namedStep(steps: readonly PlannedStep[], values: ReadonlyMap<string, unknown>): PlannedStep {
  const id = values.get('decisionsteptemplateid');
  const name = values.get('decisionstep');
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
export async function startManualStep(ctx: Context, row: Row): Promise<void> {
  await advanceAndReport(ctx, Number(row['DecisionID']), [{ kind: 'start', ids: [Number(row['DecisionStepID'])] }]);
}
