import type { Context } from '../../../../kernel/door/context.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Task } from '../importform.record.ts';
import type { HoldNode } from './form-nodes.ts';

/** Most holds of a task that are returned. */
const HOLDS_MAX = 100;

/**
 * Returns the holds of workflows that wait for a task and block its completion. They apply even to users who can access
 * neither the workflow nor the hold.
 */
export async function taskHolds(ctx: Context, task: Task | undefined): Promise<readonly number[]> {
  if (task?.ActualCompletion !== null) return [];
  const rows = await ctx.db.query<{ id: number }>(
    `select id from casewright_task_holds($1::bigint) id order by id limit ${HOLDS_MAX}`,
    [task.ImportFormID],
  );
  return rows.map(({ id }) => id);
}

/** Returns those holds that the caller can access and may select, with their dates. */
export async function holdNodes(ctx: Context, ids: readonly number[]): Promise<readonly HoldNode[]> {
  const permission = ctx.registry.find('decisiondelay', 'select')?.operation.permissionName ?? 'DecisionDelaySelect';
  if (ids.length === 0 || (ctx.authority === 'checked' && !ctx.user.permissions.has(permission))) return [];
  const rows = await ctx.db.query<{ id: number; name: string | null; start: string | null; end: string | null }>(
    `select decisiondelayid as id, decisiondelay as name, actualstart as start, projectedcompletion as end
     from decisiondelay
     where decisiondelayid = any($1::bigint[])
     order by projectedcompletion, decisiondelayid`,
    [arrayLiteral(ids)],
  );
  return rows.map(({ id, name, start, end }) => ({
    name: 'Hold',
    attributes: { DecisionDelayID: id, Name: name, ActualStart: start, ProjectedCompletion: end },
  }));
}
