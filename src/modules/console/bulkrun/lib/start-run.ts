import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { planColumns } from '../../../../kernel/records/save/plan.ts';
import { saveRecord } from '../../../../kernel/records/save/save-record.ts';
import { bulkRun } from '../bulkrun.record.ts';

/** A bulk change that is to start. */
export interface RunStart {
  readonly name: string;
  /** The search that finds the records. */
  readonly query: { readonly module: string; readonly filters: Parameters };
  readonly recordType: string;
  /** The column of the search that names each record. */
  readonly labelColumn: string;
  readonly signature: string;
  readonly undoSignature?: string | undefined;
  readonly undoneRunId?: number;
}

/** Queues the calls as the rows of a batch, and records the bulk change. Throws STATE_REFUSES if nothing is found. */
export async function startRun(ctx: Context, start: RunStart): Promise<Row> {
  const { name, query, recordType, labelColumn, signature, undoSignature, undoneRunId } = start;
  const { row } = await ctx.call(
    'importfile/batch',
    { ClassName: query.module, Operation: 'Search', Signature: signature, LabelColumn: labelColumn },
    query.filters,
  );
  if (row.RowCount === 0)
    throw new PlatformError('STATE_REFUSES', { field: 'ID', message: 'ID: no record is found any more.' });
  const saved = await saveRecord(
    ctx,
    planColumns(bulkRun, {
      BulkRun: name,
      Status: 'Started',
      RecordType: recordType,
      Signature: signature,
      UndoSignature: undoSignature ?? null,
      ImportFileID: row.ImportFileID,
      UndoneRunID: undoneRunId ?? null,
    }),
    'insert',
  );
  return saved.row;
}
