import type { Context } from '../../../../kernel/door/context.ts';
import { deleteFailedRun } from '../../lib/run/end-run.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { rowLease } from './claim-row.ts';
import { CHUNK_ROWS_MAX, readLaneCount, queueChunk, queueLanes, UNFINISHED } from './chunk.ts';

/** Rows of a whole batch requeued at a time, all in one transaction. */
const PAGE_ROWS = 5_000;

/** A row to be requeued, locked. */
export interface RequeueCandidate {
  readonly id: number;
  readonly importFileId: number;
  readonly queue: string;
  readonly personId: number;
  readonly succeeded: boolean;
  readonly running: boolean;
  readonly runnable: boolean;
  readonly active: boolean;
  readonly fileStatus: string;
}

// The file is locked first, in the same order as when it ends.
const ORDER_BY = 'order by f.importfileid, q.importfilequeueid';
const SELECT_CANDIDATES = `select q.importfilequeueid as id, q.importfileid as "importFileId", coalesce(q.queue, '')
  as queue, q.createdpersonid as "personId", q.successdate is not null as succeeded,
  coalesce(${rowLease.isLeased('$2', 'q')}, false) as running, q.parameterxml is not null as runnable,
  coalesce(lower(coalesce(p.status, 'Active')) = 'active'
  and p.personid is not null, false) as active, f.status as "fileStatus"
  from importfilequeue q join importfile f on f.importfileid = q.importfileid left
  join person p on p.personid = q.createdpersonid`;

/** Locks and returns the rows with these ids, in order. */
export function lockRows(own: Context, ids: readonly number[]): Promise<RequeueCandidate[]> {
  return own
    .transaction()
    .elevated((db) =>
      db.query<RequeueCandidate>(
        `${SELECT_CANDIDATES} where q.importfilequeueid = any($1::bigint[]) ${ORDER_BY} for no key update of f, q`,
        [arrayLiteral(ids), own.clock.now()],
      ),
    );
}

/** Returns why a row cannot be requeued; undefined if it can. */
export function requeueRefusal(row: RequeueCandidate): string | undefined {
  if (row.succeeded) return 'has succeeded.';
  if (!row.runnable) return 'could not be read as a call; correct it and send it again.';
  if (!row.active) return 'was queued by a user who is no longer active; send it again.';
  if (row.running) return 'is running.';
  return row.fileStatus === 'Stopped' || row.fileStatus === 'Canceled'
    ? `belongs to an import file that is ${row.fileStatus}.`
    : undefined;
}

function countRefusal(refused: Map<string, number>, row: RequeueCandidate): void {
  const why = requeueRefusal(row);
  if (why !== undefined) refused.set(why, (refused.get(why) ?? 0) + 1);
}

/** Requeues rows of a batch: unfinished ones, or also failed ones. Returns how many. */
export async function requeueBatch(
  own: Context,
  importFileId: number,
  which: 'unfinished' | 'not carried out',
  queue?: string,
): Promise<number> {
  const requested = which === 'unfinished' ? UNFINISHED : 'successdate is null';
  const lanes = await readLaneCount(own, importFileId);
  const refused = new Map<string, number>();
  let [count, after] = [0, 0];
  for (;;) {
    const rows = await own
      .transaction()
      .elevated((db) =>
        db.query<RequeueCandidate>(
          `${SELECT_CANDIDATES} where q.importfileid = $1::bigint and ${requested} and q.importfilequeueid > ` +
            `$3::bigint ${ORDER_BY} limit ${PAGE_ROWS} for no key update of f, q`,
          [importFileId, own.clock.now(), after],
        ),
      );
    const waiting = rows.filter((row) => requeueRefusal(row) === undefined);
    for (const row of rows) countRefusal(refused, row);
    if (waiting.length > 0) await resetRows(own, waiting, queue);
    if (waiting.length > 0 && lanes === undefined) await queueRowsByFile(own, waiting, queue);
    count += waiting.length;
    after = rows.at(-1)?.id ?? after;
    if (rows.length < PAGE_ROWS) break;
  }
  for (const [why, n] of refused)
    own.alert({ code: 'STATE_REFUSES', id: importFileId, text: `${n === 1 ? '1 row' : `${n} rows`}: ${why}` });
  if (count > 0 && lanes !== undefined) await queueLanes(own, importFileId, lanes);
  return count;
}

/**
 * Requeues rows with the commit, in order, and reopens their files. They run as the user who first queued them:
 * requeueing lends them no authority.
 */
export async function requeueRows(
  own: Context,
  rows: readonly RequeueCandidate[],
  queue: string | undefined,
): Promise<void> {
  await resetRows(own, rows, queue);
  await queueRowsByFile(own, rows, queue);
}

/** Resets rows as if they had never run, and reopens their files. */
async function resetRows(own: Context, rows: readonly RequeueCandidate[], queue: string | undefined): Promise<void> {
  const now = own.clock.now();
  const files = [...new Set(rows.map((row) => row.importFileId))];
  await own.transaction().elevated(async (db) => {
    for (const importFileId of files) await deleteFailedRun(db, importFileId);
    await db.query(
      `update importfilequeue set status = 'Queued', queueddate = $2::timestamptz, failuredate = null, message = null,
        ${rowLease.end()}, queue = coalesce($3::text, queue), updateddate = $2::timestamptz, updatedpersonid =
        $4::bigint
       where importfilequeueid = any($1::bigint[])`,
      [arrayLiteral(rows.map((row) => row.id)), now, queue ?? null, own.user.personId],
    );
    await db.query(
      `update importfile set status = 'Importing', importcomplete = null, message = null, updateddate =
        $2::timestamptz, updatedpersonid = $3::bigint, version = version + 1
       where importfileid = any($1::bigint[]) and status <> 'Importing'`,
      [arrayLiteral(files), now, own.user.personId],
    );
  });
}

async function queueRowsByFile(
  own: Context,
  rows: readonly RequeueCandidate[],
  queue: string | undefined,
): Promise<void> {
  for (const [importFileId, ofFile] of Map.groupBy(rows, (row) => row.importFileId)) {
    const limited = await readLaneCount(own, importFileId);
    if (limited !== undefined) {
      await queueLanes(own, importFileId, limited);
      continue;
    }
    const lanes = Map.groupBy(ofFile, (row) => `${row.personId} ${queue ?? row.queue}`);
    for (const lane of lanes.values()) await queueRowsInChunks(own, importFileId, queue, lane);
  }
}

/** Queues the rows of one user and queue in as many messages as they have chunks. */
async function queueRowsInChunks(
  own: Context,
  importFileId: number,
  queue: string | undefined,
  rows: readonly RequeueCandidate[],
): Promise<void> {
  const sorted = [...rows].sort((a, b) => a.id - b.id);
  for (let at = 0; at < sorted.length; at += CHUNK_ROWS_MAX) {
    const [first, last] = [sorted[at], sorted[Math.min(at + CHUNK_ROWS_MAX, sorted.length) - 1]];
    if (!first || !last) return;
    await queueChunk(
      own,
      { importFileId, queue: queue ?? first.queue, from: first.id, to: last.id },
      first.personId === own.user.personId ? {} : { personId: first.personId },
    );
  }
}
