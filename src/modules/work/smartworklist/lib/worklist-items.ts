import type { Context } from '../../../../kernel/door/context.ts';
import { namedRow } from '../../../../kernel/door/named-records.ts';
import { forEachBatch } from '../../../../kernel/database/cursor.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { lockRecord } from '../../../../kernel/records/save/lock-record.ts';
import { filledColumns } from '../../../../kernel/records/save/changed-columns.ts';
import { commitWritten } from '../../../../kernel/records/save/commit-change.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import { OPEN } from '../../smartworklistmember/lib/item-state.ts';
import type { smartWorklist } from '../smartworklist.record.ts';

/**
 * Items changed or created per statement: as many as a call cancels. A page takes some tenths of a second, and its
 * events fit in memory.
 */
export const PIECE_ITEMS = 5_000;

/**
 * Locks an open worklist until the transaction ends, so that only one transaction changes all its items. @throws
 * NOT_FOUND, STATE_REFUSES
 */
export async function lockOpenWorklist(
  ctx: Context<typeof smartWorklist>,
  id: number,
): Promise<Row<typeof smartWorklist>> {
  return requireOpen(await lockRecord(ctx, ctx.record, id));
}

/** Returns the worklist that a call names and that the door has locked. @throws STATE_REFUSES */
export function openNamedWorklist(ctx: Context<typeof smartWorklist>): Row<typeof smartWorklist> {
  return requireOpen(namedRow(ctx, ctx.record));
}

function requireOpen(row: Row<typeof smartWorklist>): Row<typeof smartWorklist> {
  if (row.CanceledDate === null) return row;
  throw new PlatformError('STATE_REFUSES', {
    field: 'ID',
    message: `Queue ${row.SmartWorklistID} is canceled.`,
  });
}

/**
 * Cancels the open items that meet a condition, page by page, and returns their number. `$1` of the condition is the
 * worklist. They are selected once: selecting them again for each page would scan all items each time.
 */
export async function cancelWhere(
  ctx: Context,
  condition: string,
  worklistId: number,
  reason: string,
): Promise<number> {
  let count = 0;
  await forEachBatch<{ id: number }>(
    ctx.transaction(),
    {
      text: `select i.smartworklistmemberid as id
        from smartworklistmember i
        where ${condition} and ${OPEN}
        order by i.smartworklistmemberid
        for update`,
      values: [worklistId],
      size: PIECE_ITEMS,
    },
    async (rows) => {
      if (rows.length > 0)
        await ctx.call('smartworklistmember/cancel', { ID: rows.map(({ id }) => id), Reason: reason });
      count += rows.length;
    },
  );
  return count;
}

/** Publishes items that one statement inserted. */
export async function publishInsertedItems(ctx: Context, ids: readonly number[]): Promise<void> {
  const record = ctx.registry.recordType('SmartWorklistMember');
  await commitWritten(ctx, { record, change: 'insert', ids, publishedColumns: (row) => filledColumns(record, row) });
}
