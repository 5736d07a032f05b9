import type { Context } from '../../../kernel/door/context.ts';
import { enqueueAsSystem } from '../../../kernel/security/system-user.ts';

/**
 * Queues the next pass of a step's workflow, as the user System; does nothing if the step no longer exists. Call it
 * when something that a step waits for may be complete; the pass checks.
 */
export async function continueWorkflowOfStep(own: Context, stepId: number): Promise<void> {
  const [step] = await own
    .transaction()
    .elevated((db) =>
      db.query<{ decisionid: number }>('select decisionid from decisionstep where decisionstepid = $1::bigint', [
        stepId,
      ]),
    );
  if (step)
    await enqueueAsSystem(own, {
      route: 'decision/process',
      parameters: { ID: step.decisionid },
      queueName: 'Default',
      label: `Decision ${step.decisionid}`,
    });
}
