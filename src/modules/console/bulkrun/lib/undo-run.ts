import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { bulkRun } from '../bulkrun.record.ts';
import { startRun } from './start-run.ts';

/** A bulk change that is to be undone. */
export type UndoneRun = Pick<
  Row<typeof bulkRun>,
  'BulkRunID' | 'BulkRun' | 'RecordType' | 'ImportFileID' | 'UndoSignature'
>;

/**
 * Starts the bulk change that undoes another one for the calls that succeeded, except those for the records `except`.
 * Whoever calls it must know that the current user may make the calls of the UndoSignature: somebody else may have
 * written it. Throws STATE_REFUSES if nothing is left to undo.
 */
export function undoRun(ctx: Context, undone: UndoneRun, except: readonly number[] = []): Promise<Row> {
  return startRun(ctx, {
    name: `Undo: ${undone.BulkRun ?? ''}`.slice(0, 255),
    query: {
      module: 'importfilequeue',
      filters: {
        ImportFileID: String(undone.ImportFileID),
        Status: 'Complete',
        ...(except.length > 0 && { Result: except.map((id) => `not ${id}`) }),
      },
    },
    recordType: undone.RecordType ?? '',
    labelColumn: 'ImportFileQueue',
    signature: undone.UndoSignature ?? '',
    undoneRunId: undone.BulkRunID,
  });
}

/** Whether a bulk change has been undone. */
export async function isUndone(ctx: Context, bulkRunId: number): Promise<boolean> {
  const rows = await ctx.db.query('select 1 from bulkrun where undonerunid = $1::bigint', [bulkRunId]);
  return rows.length > 0;
}
