import { randomUUID } from 'node:crypto';
import { allQueuedState, isAllQueued } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { markStopped } from './run-import.ts';
import { endRun, type RunEndTerms } from '../../lib/run/end-run.ts';
import { insertImportFile } from './create-import-file.ts';
import { importTemplate } from './import-template.ts';
import { exceedsFailureThreshold } from '../../lib/run/threshold.ts';

/** Terms of a batch without an import type. */
const DEFAULT_TERMS: RunEndTerms = {
  onCompleteStatus: 'Complete',
  failureThreshold: undefined,
  successThreshold: undefined,
  endImportMethod: undefined,
  workflow: undefined,
};

/**
 * Creates the import file of a batch whose rows are queued in the same transaction, below its workflow step if there is
 * one. Returns its id.
 */
export function createBatch(own: Context, name: string, stepId?: number): Promise<number> {
  return insertImportFile(own, {
    ImportFile: name,
    Status: 'Importing',
    ImportStart: own.clock.now(),
    ...(stepId === undefined ? {} : { Object: 'DecisionStep', ObjectID: stepId }),
  });
}

/**
 * Records that all rows of a batch are queued, so that the last of them ends it. `lanes`: the most rows that run
 * concurrently, if limited.
 */
export async function markAllQueued(own: Context, importFileId: number, total: number, lanes?: number): Promise<void> {
  await own.transaction().elevated((db) =>
    db.query(
      `insert into importrun (importfileid, deliveryid, done, total, state, starteddate, activedate)
          values ($1::bigint, $2::uuid, $3::bigint, $3::bigint, $4::text, $5::timestamptz, $5::timestamptz)`,
      [importFileId, randomUUID(), total, allQueuedState(lanes), own.clock.now()],
    ),
  );
}

interface BatchState {
  readonly state: string | null;
  readonly stopped: boolean;
  readonly total: number;
  readonly unfinished: boolean;
  readonly errors: number;
}

/**
 * Ends a batch that is finished, was stopped, or has too many failed rows; otherwise does nothing. Locks the file, so
 * that concurrent callers end it once. Runs in the caller's transaction.
 */
export async function endBatch(own: Context, importFileId: number): Promise<void> {
  const [file] = await own.db.query<{ templateid: number | null }>(
    `select importfiletemplateid as templateid from importfile where importfileid = $1::bigint
      and status = 'Importing' for update`,
    [importFileId],
  );
  const run = file && (await readBatchState(own, importFileId));
  if (!file || !run) return;
  if (run.stopped) {
    await countRows(own, importFileId);
    return markStopped(own, importFileId);
  }
  const template = file.templateid === null ? DEFAULT_TERMS : await importTemplate(own, file.templateid);
  const isQueued = isAllQueued(run.state);
  const isOver = isQueued && !run.unfinished;
  const isBreached = exceedsFailureThreshold(template.failureThreshold, {
    success: 0,
    errors: run.errors,
    total: isQueued ? run.total : undefined,
  });
  if (!isOver && !isBreached) return;
  await countRows(own, importFileId);
  await endRun(own, { importFileId, template }, { kind: isBreached ? 'threshold' : 'completed' });
}

async function readBatchState(own: Context, importFileId: number): Promise<BatchState | undefined> {
  const [run] = await own.transaction().elevated((db) =>
    db.query<BatchState>(
      `select state, stopped, greatest(total, done) as total,
       exists (select from importfilequeue q where q.importfileid = r.importfileid and q.successdate is null
       and q.failuredate is null) as unfinished,
       (select count(*)::integer from importfilequeue q where q.importfileid = r.importfileid
       and q.failuredate is not null) as errors
     from importrun r where r.importfileid = $1::bigint`,
      [importFileId],
    ),
  );
  return run;
}

/** Counts the rows at the end: a count updated with each row would serialize all workers of a batch. */
async function countRows(own: Context, importFileId: number): Promise<void> {
  await own.transaction().elevated((db) =>
    db.query(
      `update importrun r set success = q.success, warnings = q.warnings, errors = q.errors,
         activedate = $2::timestamptz
     from (select count(successdate) as success, count(message) filter (where successdate is not null) as warnings,
       count(failuredate) as errors from importfilequeue
     where importfileid = $1::bigint) q where r.importfileid = $1::bigint`,
      [importFileId, own.clock.now()],
    ),
  );
}
