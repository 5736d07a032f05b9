import type { Db } from '../../../../../kernel/database/store.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { PlannedStep } from '../template/plan.ts';
import type { StepState } from './stored-steps.ts';

/** A batch that has ended, and its error. */
export interface EndedBatch {
  readonly stepId: number;
  /** Undefined if all rows succeeded. */
  readonly error: PlatformError | undefined;
}

interface FileRow extends Record<string, unknown> {
  readonly step: number;
  readonly file: number;
  readonly status: string | null;
  readonly success: number;
  readonly errors: number;
  readonly message: string | null;
}

/** Whether a step waits for a batch: of its rows, or one that it called for. */
export function waitsForBatch(step: PlannedStep, state: StepState): boolean {
  if (
    state.object !== 'ImportFile' ||
    state.objectId === null ||
    (state.status !== 'Pending' && state.status !== 'Error')
  )
    return false;
  return step.batchLog || (step.object?.toLowerCase() === 'importfile' && step.operation?.toLowerCase() === 'batch');
}

/**
 * Returns those batches of steps that have ended. For a step in Error only a batch that ended again since counts, after
 * its failed rows were requeued.
 */
export async function endedBatches(db: Db, steps: readonly StepState[]): Promise<readonly EndedBatch[]> {
  const rows = await db.query<FileRow>(
    `select w.step, w.file, f.status, coalesce(f.successcount, 0) as success, coalesce(f.errorcount, 0) as errors,
       f.message
     from json_to_recordset($1::json) as w (step bigint, file bigint, failed boolean)
     join importfile f on f.importfileid = w.file
     left join decisionstep s on s.decisionstepid = w.step
     where f.importcomplete is not null and (not w.failed or s.errordate is null or f.importcomplete > s.errordate)
     order by w.step`,
    [
      JSON.stringify(
        steps.map(({ id, objectId, status }) => ({ step: id, file: objectId, failed: status === 'Error' })),
      ),
    ],
  );
  return rows.map((row) => ({ stepId: row.step, error: errorOf(row) }));
}

const failedStatuses = new Set(['Error', 'Validation Error', 'Canceled']);

function errorOf({ file, status, success, errors, message }: FileRow): PlatformError | undefined {
  if (errors === 0 && !failedStatuses.has(status ?? '')) return undefined;
  const reason =
    errors === 0
      ? `it ended as ${status ?? 'nothing'}`
      : `${errors} of ${success + errors} rows failed; the others are done`;
  return new PlatformError('RULE_EXCEPTION', {
    field: 'Method',
    message:
      `Import file ${file}: ${reason}.${message === null ? '' : ` ${message}`} importfilequeue/requeue ` +
      'queues the failed rows again.',
  });
}
