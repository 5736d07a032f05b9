import { isOpenWorkflow } from '../../../lib/open.ts';
import type { Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { isRetryable, loggableMessage } from '../../../../../kernel/database/database-error.ts';
import { noteForOperators } from '../../../../../kernel/door/error-log.ts';
import { readColumns } from '../../../../../kernel/records/search/read.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import { decisionCancelOnClose } from '../../settings.ts';
import { cancelLocked, CHILD_DEPTH_MAX, lockTree, type CanceledCounts } from './cancel-decision.ts';
import { runningDecisions } from '../pass/advance.ts';
import { lockDecision } from '../pass/stored-steps.ts';
import type { ChangedRow } from '../../../../../kernel/declare/reaction.ts';
import type { process } from '../../../../cases/process/process.record.ts';
import type { ValueName } from '../../../../../kernel/declare/values.ts';

/** The Status of workflows canceled because their case was closed. */
export const CASE_CLOSED = 'Case Closed';

/** Most workflows of one case that are canceled when it is closed. */
const WORKFLOWS_MAX = 200;

/**
 * Cancels the workflows of a case that gets a DateClosed. This happens at the end of the call, since the rest of the
 * call takes precedence, such as completing a step of a referral. A workflow whose own step closes the case continues,
 * with its parents and children: later steps were put there to be done.
 */
export async function cancelWorkflowsOfClosedCase(
  ctx: Context,
  row: ChangedRow<typeof process>,
  changed: ReadonlySet<ValueName<typeof process>>,
): Promise<void> {
  const className = String(row.RecordClass);
  const columns: Row = row;
  const id = Number(columns[`${className}ID`]);
  const isClosed = row.DateClosed !== null;
  if (!changed.has('DateClosed') || (await wasClosed(ctx, id, row.Version)) !== !isClosed) return;
  if (!isClosed) return warnReopened(ctx, className, id);
  if (!ctx.settings.get(decisionCancelOnClose)) return;
  const spared = runningDecisions(ctx);
  const { personId } = ctx.user;
  // By then the call may act for another user: a workflow's, or a firm's.
  ctx.beforeCommit(() => ctx.transaction().actingAs(personId, () => cancelOpenWorkflows(ctx, className, id, spared)));
}

/**
 * Whether the case was closed before a change of its closing date, from the history that this transaction wrote;
 * undefined if the date is the same, such as after a correction that repeats it.
 */
async function wasClosed(ctx: Context, id: number, version: number): Promise<boolean | undefined> {
  return ctx.transaction().elevated(async (db) => {
    const [before] = await db.query<{ was: string | null }>(
      `select old ->> 'dateclosed' as was
       from history
       where tablename = 'process' and recordid = $1::bigint and version = $2::integer and at >= now()
         and old ? 'dateclosed'`,
      [id, version - 1],
    );
    return before === undefined ? undefined : before.was !== null;
  });
}

async function cancelOpenWorkflows(
  ctx: Context,
  className: string,
  caseId: number,
  spared: readonly number[],
): Promise<void> {
  // A later change in the same call may have reopened it.
  const now = await readColumns(ctx.db, ctx.registry.recordType('Process'), caseId, ['DateClosed']);
  if ((now?.DateClosed ?? null) === null) return;
  const { ids, more } = await openWorkflows(ctx, className, caseId, spared);
  const total = { workflows: 0, tasks: 0, items: 0 };
  for (const id of ids) {
    const canceled = await cancelOne(ctx, id, caseId);
    for (const what of ['workflows', 'tasks', 'items'] as const) total[what] += canceled?.[what] ?? 0;
  }
  if (total.workflows > 0) {
    ctx.alert({
      code: 'WORKFLOWS_CANCELED',
      text:
        `The ${className} ${caseId} is closed. Canceled with it: workflows ${total.workflows}, tasks ` +
        `${total.tasks}, work items ${total.items}. Reopening the case does not reopen them; use ` +
        'decision/reactivate.',
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

/**
 * Cancels a workflow. If that fails, the workflow stays open and the case is closed all the same; the failure is logged
 * and reported as a warning.
 */
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
    // The details are for operators, not for the firm that closes its case.
    ctx.alert({
      code: 'STATE_REFUSES',
      text: `The workflow ${id} could not be canceled with the case and stays open. The details are in the error log.`,
      id,
    });
    await noteForOperators(ctx, ctx.db, 'decision/cancel', message);
    return undefined;
  }
}

/**
 * Returns the open workflows of a case, newest first, the standard lock order. Leaves out child workflows, which are
 * canceled with their parents, and those in one tree with a spared workflow.
 */
async function openWorkflows(
  ctx: Context,
  className: string,
  caseId: number,
  spared: readonly number[],
): Promise<{ readonly ids: readonly number[]; readonly more: boolean }> {
  const rows = await ctx.db.query<{ id: number; line: readonly number[] }>(
    `with recursive up as (
       select decisionid as id, decisionid as at, 0 as depth
       from decision
       where (objectid = $2::bigint and object = $1::text and ${isOpenWorkflow()})
         or decisionid = any($3::bigint[])
       union all
       select u.id, s.decisionid, u.depth + 1
       from up u
       join decision d on d.decisionid = u.at
       join decisionstep s on s.decisionstepid = d.parentdecisionstepid
       where u.depth < ${CHILD_DEPTH_MAX}
     )
     select id, json_agg(at order by depth) as line
     from up
     group by id
     order by id desc`,
    [className, caseId, arrayLiteral(spared)],
  );
  const open = new Set(rows.map(({ id }) => id));
  const sparedTops = new Set(rows.filter(({ id }) => spared.includes(id)).map(({ line }) => line.at(-1)));
  const ids = rows
    .filter(({ line }) => !sparedTops.has(line.at(-1)) && !line.slice(1).some((above) => open.has(above)))
    .map(({ id }) => id);
  return { ids: ids.slice(0, WORKFLOWS_MAX), more: ids.length > WORKFLOWS_MAX };
}

/** Warns whoever reopens a case that its canceled workflows stay canceled. */
async function warnReopened(ctx: Context, className: string, caseId: number): Promise<void> {
  const [row] = await ctx.db.query<{ n: number }>(
    `select count(*)::integer as n
     from decision
     where objectid = $2::bigint and object = $1::text and status = $3::text and canceleddate is not null`,
    [className, caseId, CASE_CLOSED],
  );
  if (row && row.n > 0)
    ctx.alert({
      code: 'WORKFLOWS_CANCELED',
      text:
        `Workflows of the ${className} ${caseId} that were canceled when it was closed: ${row.n}. They ` +
        'stay canceled; use decision/reactivate to reopen them.',
      id: caseId,
    });
}
