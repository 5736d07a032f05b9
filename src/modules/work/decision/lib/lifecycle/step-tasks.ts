import { isOpenItem, isOpenStep, isOpenTask } from '../../../lib/open.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';

/** Most open tasks of one workflow and its descendants that are canceled or moved together. */
const TASKS_MAX = 2_000;

/** Cancels the open tasks of steps and their work items. Returns the number of each. */
export async function cancelTasks(
  ctx: Context,
  stepIds: readonly number[],
  at: string,
  reason: string,
): Promise<{ readonly tasks: number; readonly items: number }> {
  const open = await openTasksOf(ctx, stepIds);
  let items = 0;
  for (const { id } of open) {
    items += await cancelItemsOf(ctx, 'ImportForm', id, reason);
    await ctx.call('importform/save', { ID: id, CanceledDate: at });
  }
  return { tasks: open.length, items };
}

/** Detaches the open tasks of steps. They stay open on the case. */
export async function detachTasks(ctx: Context, stepIds: readonly number[]): Promise<void> {
  for (const { id } of await openTasksOf(ctx, stepIds))
    await ctx.call('importform/save', { ID: id, DecisionStepID: null });
}

/** Moves the open tasks of steps to the steps that replace them. */
export async function moveTasks(ctx: Context, successors: ReadonlyMap<number, number | undefined>): Promise<void> {
  for (const { id, stepId } of await openTasksOf(ctx, [...successors.keys()]))
    await ctx.call('importform/save', { ID: id, DecisionStepID: successors.get(stepId) ?? null });
}

/** Cancels the open work items of workflows and steps. Returns their number. */
export async function cancelItems(
  ctx: Context,
  decisionIds: readonly number[],
  stepIds: readonly number[],
  reason: string,
): Promise<number> {
  const items = await ctx.db.query<{ object: string; id: number }>(
    `select distinct sourceobject as object, sourceobjectid as id
     from smartworklistmember
     where (
       (sourceobject = 'Decision' and sourceobjectid = any($1::bigint[]))
       or (sourceobject = 'DecisionStep' and sourceobjectid = any($2::bigint[]))
     )
       and ${isOpenItem()}
     order by 1, 2`,
    [arrayLiteral(decisionIds), arrayLiteral(stepIds)],
  );
  let canceled = 0;
  for (const { object, id } of items) canceled += await cancelItemsOf(ctx, object, id, reason);
  return canceled;
}

async function cancelItemsOf(ctx: Context, object: string, id: number, reason: string): Promise<number> {
  const { row } = await ctx.call('smartworklistmember/cancelobject', { Object: object, ObjectID: id, Reason: reason });
  return row.Count;
}

/**
 * Locks and returns the open tasks of steps, by rising ID. Leaves out tasks that a step of another workflow waits for
 * too.
 * @throws TOO_LARGE if there are too many for one transaction
 */
async function openTasksOf(
  ctx: Context,
  stepIds: readonly number[],
): Promise<{ readonly id: number; readonly stepId: number }[]> {
  if (stepIds.length === 0) return [];
  const rows = await ctx.db.query<{ id: number; stepId: number }>(
    `select f.importformid as id, f.decisionstepid as "stepId"
     from importform f
     where f.decisionstepid = any($1::bigint[])
       and ${isOpenTask('f')}
       and not exists (
         select 1
         from decisionstep o
         where o.objectid = f.importformid
           and o.object = 'ImportForm'
           and ${isOpenStep('o')}
           and o.decisionstepid <> all($1::bigint[])
       )
     order by 1
     limit ${TASKS_MAX + 1}
     for update of f`,
    [arrayLiteral(stepIds)],
  );
  if (rows.length > TASKS_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'ID',
      message: `ID: the workflow has more than ${TASKS_MAX} open tasks; complete or cancel some of them first.`,
    });
  return rows;
}
