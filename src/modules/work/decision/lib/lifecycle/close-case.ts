import type { Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { isRetryable, loggableMessage } from '../../../../../kernel/database/database-error.ts';
import { noteForOperators } from '../../../../../kernel/ports/error-entry.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import { decisionCancelOnClose } from '../../settings.ts';
import { cancelLocked, CHILD_DEPTH_MAX, lockTree, type CanceledCounts } from './cancel-decision.ts';
import { runningDecisions } from '../pass/advance.ts';
import { lockDecision } from '../pass/stored-steps.ts';

/** The Status of workflows that were canceled because their case was closed. */
export const CASE_CLOSED = 'Case Closed';

/** The most workflows of one case that are canceled when it is closed. */
const WORKFLOWS_MAX = 200;

/**
 * Follows a change of a case's DateClosed. The workflows are canceled at the end of the call and not at once: what the same call says
 * besides, such as the step of a referral that is complete, counts first. A workflow whose own step closes the case goes on, with those
 * above and below it: whoever put steps after that one wants them done.
 */
export async function cancelWorkflowsOfClosedCase(ctx: Context, row: Row, changed: ReadonlySet<string>): Promise<void> {
  const className = String(row['RecordClass']);
  const id = Number(row[`${className}ID`]);
  if (!changed.has('dateclosed') || !(await openedOrClosed(ctx, id, Number(row['Version'])))) return;
  if ((row['DateClosed'] ?? null) === null) return warnReopened(ctx, className, id);
  if (!ctx.settings.get(decisionCancelOnClose)) return;
  const spared = runningDecisions(ctx);
  const { personId } = ctx.user;
  // The call that is at its end may be another's than the one that closes the case: a workflow's, or a firm's.
  ctx.beforeCommit(() => ctx.transaction().actingAs(personId, () => cancelOpenWorkflows(ctx, className, id, spared)));
}

/** Whether the change to a version of a case closed or opened it: a date that was only put right, or sent again, ends nothing. What this transaction wrote to the history tells what stood before. */
async function openedOrClosed(ctx: Context, id: number, version: number): Promise<boolean> {
  return ctx.transaction().elevated(async (db) => {
    const [before] = await db.query<{ was: string | null; is: string | null }>(
      "select h.old ->> 'dateclosed' as was, p.dateclosed::text as is from history h join process p on p.processid = h.recordid where h.tablename = 'process' and h.recordid = $1::bigint and h.version = $2::integer and h.at >= now() and h.old ? 'dateclosed'",
      [id, version - 1],
    );
    return before !== undefined && (before.was === null) !== (before.is === null);
  });
}

async function cancelOpenWorkflows(
  ctx: Context,
  className: string,
  caseId: number,
  spared: readonly number[],
): Promise<void> {
  // A later change in the same call may have opened it again.
  const closed = await ctx.db.query('select 1 from process where processid = $1::bigint and dateclosed is not null', [
    caseId,
  ]);
  if (closed.length === 0) return;
  const { ids, more } = await openWorkflows(ctx, className, caseId, spared);
  const total = { workflows: 0, tasks: 0, items: 0 };
  for (const id of ids) {
    const canceled = await cancelOne(ctx, id, caseId);
    for (const what of ['workflows', 'tasks', 'items'] as const) total[what] += canceled?.[what] ?? 0;
  }
  if (total.workflows > 0) {
    ctx.alert({
      code: 'WORKFLOWS_CANCELED',
      text: `The ${className} ${caseId} is closed. Canceled with it: workflows ${total.workflows}, tasks ${total.tasks}, worklist items ${total.items}. Reopening the case does not open them again; decision/reactivate does.`,
      id: caseId,
    });
  }
  if (more)
    ctx.alert({
      code: 'STATE_REFUSES',
      text: `The ${className} ${caseId} has more than ${WORKFLOWS_MAX} open workflows; the others stay open.`,
      id: caseId,
    });
}

/** A workflow that cannot be canceled does not keep the case from being closed: it stays open, which is told, and stands in the error log. */
async function cancelOne(ctx: Context, id: number, caseId: number): Promise<CanceledCounts | undefined> {
  try {
    return await ctx.savepoint(async () => {
      const tree = await lockTree(ctx, id);
      const { completion, canceled } = await lockDecision(ctx.db, id);
      if (completion !== null || canceled !== null) return undefined;
      return cancelLocked(ctx, id, tree, {
        status: CASE_CLOSED,
        childStatus: CASE_CLOSED,
        keepTasks: false,
        reason: 'The case was closed.',
        at: ctx.clock.now(),
      });
    });
  } catch (error) {
    if (isRetryable(error)) throw error;
    const message =
      `The workflow ${id} was not canceled when the case ${caseId} was closed: ${loggableMessage(error)}`.slice(
        0,
        2_000,
      );
    // What failed is the installation's business, not that of the firm that closes its case.
    ctx.alert({
      code: 'STATE_REFUSES',
      text: `The workflow ${id} could not be canceled with the case and stays open; the error log says why.`,
      id,
    });
    await noteForOperators(ctx, ctx.db, 'decision/cancel', message);
    return undefined;
  }
}

/**
 * The open workflows of a case, without those that stand below another of them, which are canceled with it, and without those in one
 * tree with a spared one. The newest first, as everybody locks several.
 */
async function openWorkflows(
  ctx: Context,
  className: string,
  caseId: number,
  spared: readonly number[],
): Promise<{ readonly ids: readonly number[]; readonly more: boolean }> {
  const rows = await ctx.db.query<{ id: number; line: readonly number[] }>(
    `with recursive up as (
       select decisionid as id, decisionid as at, 0 as depth from decision where (objectid = $2::bigint and object = $1::text and actualcompletion is null and canceleddate is null) or decisionid = any($3::bigint[])
       union all
       select u.id, s.decisionid, u.depth + 1 from up u join decision d on d.decisionid = u.at join decisionstep s on s.decisionstepid = d.parentdecisionstepid where u.depth < ${CHILD_DEPTH_MAX})
     select id, json_agg(at order by depth) as line from up group by id order by id desc`,
    [className, caseId, arrayLiteral(spared)],
  );
  const open = new Set(rows.map(({ id }) => id));
  const sparedTops = new Set(rows.filter(({ id }) => spared.includes(id)).map(({ line }) => line.at(-1)));
  const ids = rows
    .filter(({ line }) => !sparedTops.has(line.at(-1)) && !line.slice(1).some((above) => open.has(above)))
    .map(({ id }) => id);
  return { ids: ids.slice(0, WORKFLOWS_MAX), more: ids.length > WORKFLOWS_MAX };
}

/** Who reopens a case is told that its workflows stay as they are. */
async function warnReopened(ctx: Context, className: string, caseId: number): Promise<void> {
  const [row] = await ctx.db.query<{ n: number }>(
    'select count(*)::integer as n from decision where objectid = $2::bigint and object = $1::text and status = $3::text and canceleddate is not null',
    [className, caseId, CASE_CLOSED],
  );
  if (row && row.n > 0)
    ctx.alert({
      code: 'WORKFLOWS_CANCELED',
      text: `Workflows of the ${className} ${caseId} that were canceled when it was closed: ${row.n}. They stay so; decision/reactivate opens them again.`,
      id: caseId,
    });
}
