import type { Context } from '../../../kernel/door/context.ts';
import { enqueueAsSystem } from '../../../kernel/security/system-user.ts';

/**
 * Queues the next pass of the workflow of a step, as the user System; nothing if there is no such step any more. For
 * what a step waits for: the pass sees whether that is complete.
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
