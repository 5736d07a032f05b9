import { isOpenStep, isOpenTask, isOpenWorkflow } from '../../../lib/open.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import { runningPass } from '../pass/advance.ts';
import { lockDecision, lockWorkflows } from '../pass/stored-steps.ts';
import { publishDecisions, publishSteps } from '../pass/publish-changes.ts';
import { cancelItems, cancelTasks, detachTasks } from './step-tasks.ts';

/** Greatest depth of child workflows, and most workflows that are canceled or locked together. */
export const CHILD_DEPTH_MAX = 20;
const TREE_MAX = 500;
/** Most rounds of locking: each looks for child workflows created while the last one waited for locks. */
const LOCK_ROUNDS_MAX = 5;

/** How workflows are canceled. */
export interface Cancellation {
  /** The new Status of the workflow. Steps always become Canceled. */
  readonly status: string;
  /** The new Status of its child workflows. */
  readonly childStatus: string;
  /** Detach open tasks from their steps instead of canceling them. */
  readonly keepTasks: boolean;
  /** The reason on canceled work items. */
  readonly reason: string;
  readonly at: string;
}

/**
 * Cancels a workflow with its open child workflows. One that has ended is left unchanged. If one of its own steps
 * requests it, the workflow is canceled after its pass.
 */
export async function cancelDecision(
  ctx: Context,
  id: number,
  how: Cancellation,
): Promise<'canceled' | 'later' | 'was complete' | 'was canceled'> {
  const pass = runningPass(ctx, id);
  if (pass) {
    pass.enqueue({ kind: 'stop' });
    const { personId } = ctx.user;
    // By then the call may be a firm's.
    ctx.beforeCommit(() =>
      ctx.transaction().actingAs(personId, async () => {
        await cancelDecision(ctx, id, how);
      }),
    );
    return 'later';
  }
  return ctx.transaction().elevated(async (db) => {
    const ids = await lockTree(ctx, id);
    const decision = await lockDecision(db, id);
    if (decision.canceled !== null) return 'was canceled';
    if (decision.completion !== null) return 'was complete';
    await cancelLocked(ctx, id, ids, how);
    return 'canceled';
  });
}

/**
 * Locks a workflow and its open descendants, and returns their IDs. Tasks are locked before workflows and children
 * before parents, the order in which completing a task or a child locks them. Needs row security off.
 */
export async function lockTree(ctx: Context, id: number): Promise<readonly number[]> {
  const { db } = ctx;
  const locked = new Set<number>();
  for (let look = 0; look < LOCK_ROUNDS_MAX; look++) {
    const found = await decisionTree(ctx, id);
    const fresh = found.filter((one) => !locked.has(one));
    if (fresh.length === 0) return found;
    await db.query(
      `select 1
       from importform
       where decisionstepid in (select decisionstepid from decisionstep where decisionid = any($1::bigint[]))
         and ${isOpenTask()}
       order by importformid
       for update`,
      [arrayLiteral(fresh)],
    );
    for (const one of fresh) {
      await lockWorkflows(db, [one]);
      locked.add(one);
    }
  }
  throw new PlatformError('CONCURRENT_CHANGE', {
    field: 'ID',
    message: `Workflow ${id} keeps starting other workflows. Try again.`,
  });
}

/**
 * Returns the IDs of a workflow and its open descendants, deepest first and itself last. Needs row security off.
 * @throws TOO_LARGE if there are too many to cancel together
 */
export async function decisionTree({ db }: Context, id: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(
    `with recursive tree as (
       select $1::bigint as decisionid, 0 as depth
       union
       select d.decisionid, t.depth + 1
       from tree t
       join decisionstep s on s.decisionid = t.decisionid
       join decision d on d.parentdecisionstepid = s.decisionstepid
       where ${isOpenWorkflow('d')}
         and d.decisionid <> $1::bigint
         and t.depth < ${CHILD_DEPTH_MAX}
     )
     select decisionid as id
     from tree
     group by decisionid
     order by max(depth) desc, decisionid desc
     limit ${TREE_MAX + 1}`,
    [id],
  );
  if (rows.length > TREE_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'ID',
      message: `ID: the workflow has more than ${TREE_MAX} child workflows. Cancel some of them first.`,
    });
  return rows.map((row) => row.id);
}

/** Numbers of canceled records. */
export interface CanceledCounts {
  readonly workflows: number;
  readonly tasks: number;
  readonly items: number;
}

/** Cancels locked workflows: the given one and its descendants. Needs row security off. */
export async function cancelLocked(
  ctx: Context,
  id: number,
  ids: readonly number[],
  how: Cancellation,
): Promise<CanceledCounts> {
  const { db, user } = ctx;
  await db.query(
    `update decision
     set canceleddate = $2::timestamptz, status = case when decisionid = $3::bigint then $4::text else $5::text end,
       updateddate = $2::timestamptz, updatedpersonid = $6::bigint, version = version + 1
     where decisionid = any($1::bigint[])`,
    [arrayLiteral(ids), how.at, id, how.status, how.childStatus, user.personId],
  );
  const steps = await db.query<{ id: number; canceled: boolean }>(
    `select decisionstepid as id, ${isOpenStep()} as canceled
     from decisionstep
     where decisionid = any($1::bigint[])
     order by 1`,
    [arrayLiteral(ids)],
  );
  const open = steps.filter(({ canceled }) => canceled).map((step) => step.id);
  await db.query(
    `update decisionstep
     set canceleddate = $2::timestamptz, status = 'Canceled', queuemessageid = null, updateddate = $2::timestamptz,
       updatedpersonid = $3::bigint, version = version + 1
     where decisionstepid = any($1::bigint[])`,
    [arrayLiteral(open), how.at, user.personId],
  );
  const all = steps.map((step) => step.id);
  return ctx.actingAs('Workflow', async (own) => {
    if (how.keepTasks) await detachTasks(own, all);
    const { tasks, items } = how.keepTasks ? { tasks: 0, items: 0 } : await cancelTasks(own, all, how.at, how.reason);
    const itemsOfOwn = await cancelItems(own, ids, all, how.reason);
    await publishSteps(own, 'update', open);
    await publishDecisions(own, ids, ['Status', 'CanceledDate']);
    return { workflows: ids.length, tasks, items: items + itemsOfOwn };
  });
}
