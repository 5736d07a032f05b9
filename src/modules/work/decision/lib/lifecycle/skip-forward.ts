import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { cancelDecision, lockTree } from './cancel-decision.ts';
import { advance } from '../pass/advance.ts';
import { lockDecision, readSteps } from '../pass/stored-steps.ts';
import { stepsUpTo } from './steps-up-to.ts';
import { cancelTasks } from './step-tasks.ts';
import { planOfVersion, type Plan } from '../template/plan.ts';

/** Most steps listed in an error message. */
const NAMES_SHOWN_MAX = 20;
/** The reason on tasks and work items that are no longer needed. */
const REASON = 'The workflow was skipped forward.';

/** The step skipped to, and the record of the workflow. */
export interface SkipForwardResult {
  readonly step: string;
  readonly object: string | null;
  readonly objectId: number | null;
}

/**
 * Completes a step and those before it as the built-in user Workflow, and queues the next pass. Cancels tasks and child
 * workflows that the completed steps waited for.
 */
export async function skipForward(ctx: Context, id: number, stepTemplateId: number): Promise<SkipForwardResult> {
  return ctx.actingAs('Workflow', async (own) => {
    await lockTree(own, id);
    const decision = await lockDecision(own.db, id);
    const plan =
      decision.versionId === null ? undefined : await planOfVersion(own.configuration, own.db, decision.versionId);
    const place = placeOfTarget(id, stepTemplateId, plan);
    const target = plan?.steps[place];
    if (!plan || !target) throw unknownStep(id, stepTemplateId, plan);
    const skip = stepsUpTo(plan, place);
    const skipped = new Set(skip.map(({ step }) => plan.steps[step]?.id));
    const open = (await readSteps(own.db, id)).filter(
      (step) => step.completion === null && !step.canceled && skipped.has(step.templateId),
    );
    await advance(own, id, [{ kind: 'skip', steps: skip }, { kind: 'stop' }]);
    await cancelTasks(
      own,
      open.map((step) => step.id),
      own.clock.now(),
      REASON,
    );
    for (const { object, objectId } of open) {
      if (object === 'Decision' && objectId !== null)
        await cancelDecision(own, objectId, {
          status: 'Canceled',
          childStatus: 'Canceled',
          keepTasks: false,
          reason: REASON,
          at: own.clock.now(),
        });
    }
    await own.enqueue({ route: 'decision/process', parameters: { ID: id }, label: `Decision ${id}` });
    return { step: target.name, object: decision.object, objectId: decision.objectId };
  });
}

/** Returns the place of the step to skip to. @throws BAD_PARAMETER if the workflow's version does not have it */
export function placeOfTarget(id: number, stepTemplateId: number, plan: Plan | undefined): number {
  const place = plan?.places.get(stepTemplateId);
  if (place === undefined) throw unknownStep(id, stepTemplateId, plan);
  return place;
}

function unknownStep(id: number, stepTemplateId: number, plan: Plan | undefined): PlatformError {
  const names = (plan?.steps ?? []).slice(0, NAMES_SHOWN_MAX).map((step) => `${step.id} ${step.name}`);
  return new PlatformError('BAD_PARAMETER', {
    field: 'DecisionStepID',
    message:
      `DecisionStepID: expected a step of the template (a DecisionStepTemplate) that workflow ${id} ` +
      `follows, not ${stepTemplateId}.${names.length > 0 ? ` Steps: ${names.join(', ')}.` : ''}`,
  });
}
