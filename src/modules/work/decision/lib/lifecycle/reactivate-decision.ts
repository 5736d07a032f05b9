import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import { CHILD_DEPTH_MAX, lockTree } from './cancel-decision.ts';
import { assertOneActive, lockOneActive } from './one-active.ts';
import { advance } from '../pass/advance.ts';
import { lockDecision, type OpenDecision, type StepStatus } from '../pass/stored-steps.ts';
import { publishDecisions, publishSteps } from '../pass/publish-changes.ts';

/** The Status of a workflow that another one replaced. */
export const RESTARTED = 'Restart';

/** A step that was canceled with its workflow. */
interface CanceledStep {
  readonly id: number;
  readonly before: StepStatus | null;
  readonly object: string | null;
  readonly objectId: number | null;
  readonly failed: boolean;
  /** The state of the task it created, if that was detached from the step. */
  readonly detached: 'complete' | 'open' | null;
}

/**
 * Reopens a canceled or complete workflow with what was canceled with it: steps, tasks, work items and child workflows.
 * Starts nothing; the next pass continues.
 * @throws STATE_REFUSES if another workflow replaced it, or may be the only active one
 */
export async function reactivateDecision(ctx: Context, id: number): Promise<'reactivated' | 'was active'> {
  return ctx.transaction().elevated(async (db) => {
    await lockOneActive(ctx, id);
    await lockTree(ctx, id);
    const decision = await lockDecision(db, id);
    if (decision.completion === null && decision.canceled === null) return 'was active';
    assertReactivatable(decision);
    await reopen(ctx, id, decision.canceled, 0);
    return 'reactivated';
  });
}

/** @throws STATE_REFUSES if another workflow replaced it */
export function assertReactivatable({ id, status }: Pick<OpenDecision, 'id' | 'status'>): void {
  if (status === RESTARTED)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `Workflow ${id} was restarted and is replaced by the workflow that was created then.`,
    });
}

async function reopen(ctx: Context, id: number, canceled: string | null, depth: number): Promise<void> {
  const { db, user, clock } = ctx;
  await assertOneActive(ctx, [id]);
  await db.query(
    `update decision
     set canceleddate = null, actualcompletion = null, status = 'Reactivated', updateddate = $2::timestamptz,
       updatedpersonid = $3::bigint, version = version + 1
     where decisionid = $1::bigint`,
    [id, clock.now(), user.personId],
  );
  const steps = canceled === null ? [] : await canceledSteps(ctx, id, canceled);
  for (const [status, own] of Map.groupBy(steps, restoredStatus)) {
    await db.query(
      `update decisionstep
       set canceleddate = null, status = $2::text, updateddate = $3::timestamptz, updatedpersonid = $4::bigint,
         version = version + 1
       where decisionstepid = any($1::bigint[])`,
      [arrayLiteral(own.map((step) => step.id)), status, clock.now(), user.personId],
    );
  }
  // Holds put on the case meanwhile did not apply to it.
  await db.query('select casewright_hold_decision($1::bigint)', [id]);
  await ctx.actingAs('Workflow', async (own) => {
    if (canceled !== null) await openTasks(own, id, canceled);
    await reattachTasks(own, id, steps);
    await publishSteps(
      own,
      'update',
      steps.map((step) => step.id),
    );
    await publishDecisions(own, [id], ['Status', canceled === null ? 'ActualCompletion' : 'CanceledDate']);
  });
  if (canceled === null || depth === CHILD_DEPTH_MAX) return;
  const children = await db.query<{ id: number }>(
    `select decisionid as id
     from decision
     where parentdecisionstepid = any($1::bigint[])
       and canceleddate = $2::timestamptz
       and actualcompletion is null
       and status is distinct from $3::text
     order by 1
     for update`,
    [arrayLiteral(steps.map((step) => step.id)), canceled, RESTARTED],
  );
  for (const child of children) {
    await lockOneActive(ctx, child.id);
    await reopen(ctx, child.id, canceled, depth + 1);
    ctx.alert({
      code: 'CHILD_REACTIVATED',
      text:
        `The workflow ${child.id}, started by a step of the workflow ${id}, was reactivated too. ` +
        'Process it separately.',
      id: child.id,
    });
  }
}

/** Returns the steps canceled with a workflow, with their status before, from history. */
function canceledSteps({ db }: Context, id: number, canceled: string): Promise<CanceledStep[]> {
  return db.query<CanceledStep>(
    `select s.decisionstepid as id, s.object, s.objectid as "objectId", s.errorguid is not null as failed,
       (
         select h.old ->> 'status'
         from history h
         where h.tablename = 'decisionstep' and h.recordid = s.decisionstepid and h.old ? 'canceleddate'
         order by h.at desc
         limit 1
       ) as before,
       (
         select case when f.actualcompletion is null then 'open' else 'complete' end
         from importform f
         where s.object = 'ImportForm'
           and f.importformid = s.objectid
           and f.decisionstepid is null
           and f.canceleddate is null
       ) as detached
     from decisionstep s
     where s.decisionid = $1::bigint and s.canceleddate = $2::timestamptz and s.actualcompletion is null
     order by 1`,
    [id, canceled],
  );
}

/**
 * Returns the status that a reopened step gets. One that was queued or interrupted is queued again by the next pass.
 * Without history the step's own columns decide.
 */
function restoredStatus({ before, objectId, failed }: CanceledStep): StepStatus {
  if (before === 'Pending' || before === 'Error') return before;
  if (before !== null) return 'Queued';
  if (failed) return 'Error';
  return objectId === null ? 'Queued' : 'Pending';
}

/** Reopens the tasks canceled with a workflow, and their work items. */
async function openTasks(ctx: Context, id: number, canceled: string): Promise<void> {
  const tasks = await ctx.db.query<{ id: number; items: number[] | null }>(
    `select f.importformid as id,
       (
         select json_agg(i.smartworklistmemberid order by i.smartworklistmemberid)
         from smartworklistmember i
         where i.sourceobjectid = f.importformid
           and i.sourceobject = 'ImportForm'
           and i.cancelleddate >= f.canceleddate
           and i.completiondate is null
       ) as items
     from importform f
     where f.decisionstepid in (select decisionstepid from decisionstep where decisionid = $1::bigint)
       and f.canceleddate = $2::timestamptz
       and f.actualcompletion is null
     order by 1
     for update of f`,
    [id, canceled],
  );
  for (const task of tasks) {
    await ctx.call('importform/save', { ID: task.id, CanceledDate: null });
    if (task.items !== null) await requeue(ctx, task.id, task.items);
  }
}

/** Puts a task back on its worklists. If the worklist is gone, the workflow is reopened all the same. */
async function requeue(ctx: Context, taskId: number, items: readonly number[]): Promise<void> {
  try {
    await ctx.savepoint(() => ctx.call('smartworklistmember/requeue', { ID: [...items], KeepPerson: true }));
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code === 'CONCURRENT_CHANGE') throw error;
    ctx.alert({
      code: 'STATE_REFUSES',
      text: `The task ${taskId} is open again, but in no queue: ${error.message}`,
      id: taskId,
    });
  }
}

/** Attaches detached tasks to their steps again, and completes steps whose task was completed meanwhile. */
async function reattachTasks(ctx: Context, id: number, steps: readonly CanceledStep[]): Promise<void> {
  for (const { id: step, objectId, detached } of steps)
    if (detached === 'open') await ctx.call('importform/save', { ID: objectId, DecisionStepID: step });
  const done = steps.filter(({ detached }) => detached === 'complete').map((step) => step.id);
  if (done.length === 0) return;
  try {
    await advance(ctx, id, [{ kind: 'complete', ids: done }, { kind: 'stop' }]);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'STATE_REFUSES') throw error;
    ctx.alert({
      code: 'STATE_REFUSES',
      text:
        `${error.message} The tasks of these steps are already complete: ${done.join(', ')}. Complete the steps ` +
        'once nothing prevents it.',
      id,
    });
  }
}
