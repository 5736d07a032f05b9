import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { openCondition } from '../../../../kernel/records/save/final-status.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import { bulkRun } from '../../bulkrun/bulkrun.record.ts';
import { isUndone, undoRun } from '../../bulkrun/lib/undo-run.ts';
import type { Handover } from '../handover.record.ts';
import { handoverKinds, recordOf, type HandoverKind } from './handover-kinds.ts';

/** Most rows that are left out of an undo because somebody has worked on them: a search takes no more negations. */
const TOUCHED_MAX = 1_000;

/** What a bulk change of a handover has done so far. */
interface RunProgress {
  readonly isrunning: boolean;
  readonly done: number;
}

/**
 * Starts the bulk changes that give back what nobody has worked on since. Throws STATE_REFUSES while the work is still
 * being handed over.
 */
export async function undoHandoverRuns(ctx: Context, handover: Handover): Promise<void> {
  for (const kind of handoverKinds) {
    const runId = handover[kind.run];
    if (runId === null || (await isUndone(ctx, runId))) continue;
    const run = await readRecord(ctx.db, bulkRun, runId);
    const progress = await progressOf(ctx, run.ImportFileID ?? 0);
    if (progress.isrunning)
      throw new PlatformError('STATE_REFUSES', {
        field: 'ID',
        message: `ID: the ${kind.words} are still being handed over. Wait until that is done, or stop it.`,
      });
    const touched = await touchedRecords(ctx, kind, run.ImportFileID ?? 0);
    if (progress.done > touched.length) await undoRun(ctx, run, touched);
  }
}

async function progressOf(ctx: Context, importFileId: number): Promise<RunProgress> {
  const [row] = await ctx.db.query<RunProgress>(
    `select f.status in ('Importing', 'Queued') as isrunning,
       (select count(*)::integer from importfilequeue q
        where q.importfileid = f.importfileid and q.status = 'Complete' and q.result is not null) as done
     from importfile f where f.importfileid = $1::bigint`,
    [importFileId],
  );
  return row ?? { isrunning: false, done: 0 };
}

/** Returns the handed over records that somebody has worked on since. Throws TOO_LARGE for too many. */
async function touchedRecords(ctx: Context, kind: HandoverKind, importFileId: number): Promise<readonly number[]> {
  const record = recordOf(ctx, kind);
  const rows = await ctx.db.query<{ id: number }>(
    `select q.result as id
     from importfilequeue q
     join ${record.table} r on r.${record.idField.toLowerCase()} = q.result
     where q.importfileid = $1::bigint and q.status = 'Complete' and (${kind.touched(openCondition(record, 'r'))})
     limit ${TOUCHED_MAX + 1}`,
    [importFileId],
  );
  if (rows.length > TOUCHED_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'ID',
      message: `ID: more than ${TOUCHED_MAX} ${kind.words} have changed since. Reassign the others by hand.`,
    });
  return rows.map(({ id }) => id);
}
