import type { Row, TreeNode } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';

/** The most holds of a task that are told. */
const HOLDS_MAX = 100;

/**
 * The holds that keep a task from being completed, since a workflow that is on hold waits for it. They hold whoever completes it, also one who
 * reaches neither the workflow nor the hold.
 */
export async function taskHolds(ctx: Context, task: Row | undefined): Promise<readonly number[]> {
  if (!task || (task['ActualCompletion'] ?? null) !== null) return [];
  const rows = await ctx.db.query<{ id: number }>(
    `select id from casewright_task_holds($1::bigint) id order by id limit ${HOLDS_MAX}`,
    [task['ImportFormID']],
  );
  return rows.map(({ id }) => id);
}

/** What the caller may know of holds: of those that he reaches, where he may select them, which they are, since when, and until when if that is expected. */
export async function holdNodes(ctx: Context, ids: readonly number[]): Promise<readonly TreeNode[]> {
  const permission = ctx.registry.find('decisiondelay', 'select')?.operation.permissionName ?? 'DecisionDelaySelect';
  if (ids.length === 0 || (ctx.authority === 'checked' && !ctx.user.permissions.has(permission))) return [];
  const rows = await ctx.db.query<{ id: number; name: string | null; start: string | null; end: string | null }>(
    'select decisiondelayid as id, decisiondelay as name, actualstart as start, projectedcompletion as end from decisiondelay where decisiondelayid = any($1::bigint[]) order by projectedcompletion, decisiondelayid',
    [arrayLiteral(ids)],
  );
  return rows.map(({ id, name, start, end }) => ({
    name: 'Hold',
    attributes: { DecisionDelayID: id, Name: name, ActualStart: start, ProjectedCompletion: end },
  }));
}
