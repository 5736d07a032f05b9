import { arrayLiteral, type Db } from '../../../../../kernel/database/store.ts';
import type { Row } from '../../../../../kernel/door/answer.ts';
import type { importFile } from '../../../../imports/importfile/importfile.record.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { findRecord } from '../../../../../kernel/records/search/read.ts';
import type { PlannedStep } from '../template/plan.ts';
import type { StepState } from './stored-steps.ts';

/** A batch that has ended, and its error. */
export interface EndedBatch {
  readonly stepId: number;
  /** Undefined if all rows succeeded. */
  readonly error: PlatformError | undefined;
}

/** Whether a step waits for a batch: of its rows, or one that it called for. */
export function waitsForBatch(step: PlannedStep, state: Pick<StepState, 'object' | 'objectId' | 'status'>): boolean {
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
export async function endedBatches(
  ctx: Context,
  steps: readonly Pick<StepState, 'id' | 'objectId' | 'status'>[],
): Promise<readonly EndedBatch[]> {
  const importFile = ctx.registry.recordType('ImportFile');
  const failures = await failureDates(
    ctx.db,
    steps.filter(({ status }) => status === 'Error').map(({ id }) => id),
  );
  const ended: EndedBatch[] = [];
  for (const { id, objectId } of [...steps].sort((a, b) => a.id - b.id)) {
    const file = objectId === null ? undefined : await findRecord(ctx.db, importFile, objectId);
    const completed = file?.ImportComplete;
    // Timestamps have one format, so that their texts compare like the instants.
    if (file === undefined || typeof completed !== 'string' || completed <= (failures.get(id) ?? '')) continue;
    ended.push({ stepId: id, error: errorOf(file) });
  }
  return ended;
}

/** When these steps last failed, by step. */
async function failureDates(db: Db, stepIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (stepIds.length === 0) return new Map();
  const rows = await db.query<{ id: number; failed: string }>(
    `select decisionstepid as id, errordate as failed
     from decisionstep
     where decisionstepid = any($1::bigint[]) and errordate is not null`,
    [arrayLiteral(stepIds)],
  );
  return new Map(rows.map(({ id, failed }) => [id, failed]));
}

const failedStatuses = new Set<unknown>(['Error', 'Validation Error', 'Canceled']);

function errorOf(file: Row<typeof importFile>): PlatformError | undefined {
  const { Status: status, Message: message } = file;
  const [success, errors] = [file.SuccessCount ?? 0, file.ErrorCount ?? 0];
  if (errors === 0 && !failedStatuses.has(status)) return undefined;
  const reason =
    errors === 0
      ? `it ended as ${status ?? 'nothing'}`
      : `${errors} of ${success + errors} rows failed; the others are done`;
  return new PlatformError('RULE_EXCEPTION', {
    field: 'Method',
    message:
      `Import file ${file.ImportFileID}: ${reason}.${message ? ` ${message}` : ''} ` +
      'importfilequeue/requeue queues the failed rows again.',
  });
}
