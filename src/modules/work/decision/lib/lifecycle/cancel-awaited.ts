import { isOpenWorkflow } from '../../../lib/open.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import { cancelDecision } from './cancel-decision.ts';
import { cancelTasks } from './step-tasks.ts';

/**
 * Cancels what steps wait for: their open tasks with the work items, and the workflows that they started. Runs before
 * the steps complete, so that locks are taken in the order of a task or a child workflow that completes.
 */
export async function cancelAwaited(ctx: Context, stepIds: readonly number[], reason: string): Promise<void> {
  const at = ctx.clock.now();
  await ctx.actingAs('Workflow', async (own) => {
    await cancelTasks(own, stepIds, at, reason);
    const children = await own.db.query<{ id: number }>(
      `select d.decisionid as id
       from decision d
       where d.parentdecisionstepid = any($1::bigint[]) and ${isOpenWorkflow('d')}
       order by 1 desc`,
      [arrayLiteral(stepIds)],
    );
    for (const { id } of children)
      await cancelDecision(own, id, { status: 'Canceled', childStatus: 'Canceled', keepTasks: false, reason, at });
  });
}
