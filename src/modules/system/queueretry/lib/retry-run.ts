import type { RowNamed } from '../../../../kernel/declare/catalog.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { lockName } from '../../../../kernel/database/advisory-lock.ts';
import type { QueueFilter } from '../../../../kernel/ports/queue.ts';
import { planColumns } from '../../../../kernel/records/save/plan.ts';
import { saveRecord } from '../../../../kernel/records/save/save-record.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import { causeText, NO_CAUSE } from '../../queue/lib/messages.ts';
import { queueRetry } from '../queueretry.record.ts';
import { FIRST_CALLS, nextBatch } from './next-batch.ts';
import { addCalls, callsOf, dropCalls } from './retry-calls.ts';

/** Seconds between two checks of the calls of a retry, and of one that has stopped. */
const LOOK_SECONDS = 2;
const LOOK_STOPPED_SECONDS = 10;
/** Most dead letters of one retry. */
const TOTAL_MAX = 100_000;

type RetryRow = RowNamed<'QueueRetry'>;

/** Which dead letters are retried. */
export interface RetryKind {
  readonly Operation: string;
  readonly ErrorCode: string | null;
  readonly Cause: string;
}

/**
 * Starts a retry of all dead letters of one cause. If one is under way, returns that.
 * @throws STATE_REFUSES if there are no such dead letters
 */
export async function startRetry(ctx: Context, kind: RetryKind): Promise<RetryRow> {
  await lockName(ctx, `queueretry ${kind.Operation}`);
  const found = await ctx.call('queueretry/search', { RecordCount: false }, searchOf(kind));
  const [running] = found.rows;
  if (running) return running;
  const total = await ctx.queue.countDead(ctx.db, { ...filterOf(kind), start: 0, size: TOTAL_MAX });
  if (total === 0)
    throw new PlatformError('STATE_REFUSES', {
      field: 'Cause',
      message: 'Cause: no dead letter has this cause any more.',
    });
  const { row } = await saveRecord(
    ctx,
    planColumns(queueRetry, {
      ...kind,
      QueueRetry: `Retry ${total} ${total === 1 ? 'call' : 'calls'} of ${kind.Operation}`.slice(0, 255),
      Status: 'Started',
      Total: total,
      Requeued: 0,
      Succeeded: 0,
      FailedAgain: 0,
      Failing: 0,
    }),
    'insert',
  );
  await ctx.security({
    event: 'CallsRetried',
    object: 'QueueRetry',
    objectId: row.QueueRetryID,
    detail: row.QueueRetry ?? '',
  });
  return continueRetry(ctx, row);
}

function searchOf({ Operation, ErrorCode, Cause }: RetryKind): Record<string, string> {
  return {
    Status: 'Started',
    Operation: `"${Operation}"`,
    ErrorCode: ErrorCode ?? 'null',
    Cause,
  };
}

function filterOf({ Operation, ErrorCode, Cause }: RetryKind): Omit<QueueFilter, 'start' | 'size'> {
  return {
    operation: Operation,
    cause: causeText(Cause),
    ...(ErrorCode === null ? {} : { errorCode: ErrorCode }),
  };
}

/** Counts the outcomes of a retry's calls, puts the next dead letters back, and queues the next check. */
export async function continueRetry(ctx: Context, row: RetryRow): Promise<RetryRow> {
  const id = row.QueueRetryID;
  const outcomes = await ctx.queue.outcomes(ctx.db, await callsOf(ctx.db, id));
  const of = (...states: readonly string[]): readonly string[] =>
    outcomes.filter(({ state }) => states.includes(state)).map((each) => each.id);
  const succeeded = of('completed', 'gone');
  const failedAgain = of('dead', 'ended');
  await dropCalls(ctx.db, id, [...succeeded, ...failedAgain]);
  const counts = {
    succeeded: (row.Succeeded ?? 0) + succeeded.length,
    failedAgain: (row.FailedAgain ?? 0) + failedAgain.length,
    waiting: of('waiting').length,
    failing: of('failing').length,
  };
  const isStarted = row.Status === 'Started';
  const next = isStarted ? nextBatch(counts) : 0;
  const added = next === 'stop' || next === 0 ? [] : await requeueNext(ctx, row, next);
  const left = counts.waiting + counts.failing + added.length;
  // A batch that could be filled only in part was the last.
  const isOver = left === 0 && next !== 'stop' && (!isStarted || added.length < next);
  if (!isOver) await lookAgain(ctx, id, isStarted && next !== 'stop');
  return changeIfDifferent(ctx, row, {
    Requeued: (row.Requeued ?? 0) + added.length,
    Succeeded: counts.succeeded,
    FailedAgain: counts.failedAgain,
    Failing: counts.failing,
    ...(isStarted && isOver && { Status: 'Complete' }),
    ...(next === 'stop' && {
      Status: 'Stopped',
      StopReason: `The first ${FIRST_CALLS} calls failed again. The others stay dead letters.`,
    }),
  });
}

/** Puts the oldest dead letters back into their queues. Those that came after the start, such as failures, stay. */
async function requeueNext(ctx: Context, row: RetryRow, size: number): Promise<readonly string[]> {
  const kind = { Operation: row.Operation ?? '', ErrorCode: row.ErrorCode, Cause: row.Cause ?? NO_CAUSE };
  const filter = { ...filterOf(kind), deadBefore: row.CreatedDate, start: 0, size };
  const ids = await ctx.queue.requeue(ctx.db, filter);
  await addCalls(ctx.db, row.QueueRetryID, ids);
  return ids;
}

async function lookAgain(ctx: Context, id: number, isStarted: boolean): Promise<void> {
  const seconds = isStarted ? LOOK_SECONDS : LOOK_STOPPED_SECONDS;
  await ctx.enqueue({
    route: 'queueretry/continue',
    parameters: { ID: String(id) },
    queuedDate: new Date(ctx.clock.milliseconds() + seconds * 1_000).toISOString(),
    continuation: true,
  });
}

/** Stops a retry: puts nothing more back. The outcomes of the calls in their queues are still counted. */
export function stopRetry(ctx: Context, id: number, reason: string): Promise<RetryRow> {
  return updateRow(ctx, queueRetry, id, { Status: 'Stopped', StopReason: reason });
}

/** Writes only what is new: each version is kept in the history. */
async function changeIfDifferent(ctx: Context, row: RetryRow, values: Values<typeof queueRetry>): Promise<RetryRow> {
  const isSame = Object.entries(values).every(([name, value]) => row[name as keyof RetryRow] === value);
  return isSame ? row : updateRow(ctx, queueRetry, row.QueueRetryID, values);
}
