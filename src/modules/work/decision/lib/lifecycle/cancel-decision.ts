import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import { runningPass } from '../pass/advance.ts';
import { lockDecision, lockDecisions } from '../pass/stored-steps.ts';
import { publishDecisions, publishSteps } from '../pass/publish-changes.ts';
import { cancelItems, cancelTasks, detachTasks } from './step-tasks.ts';

/** How deep workflows may stand below one another, and how many of them end or are taken up together. */
export const CHILD_DEPTH_MAX = 20;
const TREE_MAX = 500;
/** How often is looked whether a child has come into being while its siblings were waited for. */
const LOCK_ROUNDS_MAX = 5;

/** How workflows are canceled. */
export interface Cancellation {
  /** What the workflow becomes; steps become Canceled whatever it is. */
  readonly status: string;
  /** What those become that its steps have started. */
  readonly childStatus: string;
  /** Open tasks are taken off their steps and stay open. */
  readonly keepTasks: boolean;
  /** What is said of worklist items that are canceled with it. */
  readonly reason: string;
  readonly at: string;
}

/** Cancels a workflow with those below it; one that is over stays as it is. A workflow whose own step asks for it is canceled when its pass has ended. */
export async function cancelDecision(
  ctx: Context,
  id: number,
  how: Cancellation,
): Promise<'canceled' | 'later' | 'was complete' | 'was canceled'> {
  const pass = runningPass(ctx, id);
  if (pass) {
    pass.enqueue({ kind: 'stop' });
    const { personId } = ctx.user;
    // The call that is at its end may be a firm's.
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
 * Locks a workflow and the open ones below it, tasks before workflows and children before parents: in the order in which who completes
 * a task or a child locks them. Without row security; answers their ids.
 */
export async function lockTree(ctx: Context, id: number): Promise<readonly number[]> {
  const { db } = ctx;
  const locked = new Set<number>();
  for (let look = 0; look < LOCK_ROUNDS_MAX; look++) {
    const found = await decisionTree(ctx, id);
    const fresh = found.filter((one) => !locked.has(one));
    if (fresh.length === 0) return found;
    await db.query(
      `select 1 from importform where decisionstepid in (select decisionstepid from decisionstep where decisionid = any($1::bigint[])) and actualcompletion is null and canceleddate is null order by importformid for update`,
      [arrayLiteral(fresh)],
    );
    for (const one of fresh) {
      await lockDecisions(db, [one]);
      locked.add(one);
    }
  }
  throw new PlatformError('CONCURRENT_CHANGE', {
    field: 'ID',
    message: `The Decision ${id} starts other workflows all the time; try again.`,
  });
}

/** The ids of a workflow and the open ones below it, the deepest first and itself last. Without row security. @throws TOO_LARGE where there are more than can be canceled together */
export async function decisionTree({ db }: Context, id: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(
    `with recursive tree as (
       select $1::bigint as decisionid, 0 as depth
       union
       select d.decisionid, t.depth + 1 from tree t join decisionstep s on s.decisionid = t.decisionid join decision d on d.parentdecisionstepid = s.decisionstepid
         where d.actualcompletion is null and d.canceleddate is null and d.decisionid <> $1::bigint and t.depth < ${CHILD_DEPTH_MAX})
     select decisionid as id from tree group by decisionid order by max(depth) desc, decisionid desc limit ${TREE_MAX + 1}`,
    [id],
  );
  if (rows.length > TREE_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'ID',
      message: `ID: more than ${TREE_MAX} workflows stand below it; cancel some of them first.`,
    });
  return rows.map((row) => row.id);
}

/** What was canceled, in numbers. */
export interface CanceledCounts {
  readonly workflows: number;
  readonly tasks: number;
  readonly items: number;
}

/** Cancels workflows that are locked: the one named and those below it. Without row security. */
export async function cancelLocked(
  ctx: Context,
  id: number,
  ids: readonly number[],
  how: Cancellation,
): Promise<CanceledCounts> {
  const { db, user } = ctx;
  await db.query(
    `update decision set canceleddate = $2::timestamptz, status = case when decisionid = $3::bigint then $4::text else $5::text end, updateddate = $2::timestamptz, updatedpersonid = $6::bigint, version = version + 1 where decisionid = any($1::bigint[])`,
    [arrayLiteral(ids), how.at, id, how.status, how.childStatus, user.personId],
  );
  const steps = await db.query<{ id: number; canceled: boolean }>(
    'select decisionstepid as id, actualcompletion is null and canceleddate is null as canceled from decisionstep where decisionid = any($1::bigint[]) order by 1',
    [arrayLiteral(ids)],
  );
  const open = steps.filter(({ canceled }) => canceled).map((step) => step.id);
  await db.query(
    `update decisionstep set canceleddate = $2::timestamptz, status = 'Canceled', queuemessageid = null, updateddate = $2::timestamptz, updatedpersonid = $3::bigint, version = version + 1 where decisionstepid = any($1::bigint[])`,
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
