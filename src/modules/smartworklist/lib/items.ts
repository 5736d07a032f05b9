import type { Context } from '../../../kernel/context.ts';
import { PlatformError } from '../../../kernel/errors.ts';
import type { RecordType } from '../../../kernel/record.ts';
import { lockRecord, tellInserted, updateRow } from '../../../kernel/records/write.ts';
import type { Row } from '../../../kernel/answer.ts';
import { arrayLiteral } from '../../../kernel/store.ts';
import { selectListOf } from '../../../kernel/records/sql.ts';

/** SQL that is true for an item on which there is still something to do; `i` is the item. */
export const OPEN = 'i.completiondate is null and i.cancelleddate is null';

/** Items that are changed or made with one statement: a piece takes some tenths of a second, and what is told of it fits in memory. */
export const PIECE_ITEMS = 5_000;

/** The record type of items. */
export function itemRecord(ctx: Context): RecordType {
  return ctx.registry.requireRecord('SmartWorklistMember', 'SmartWorklistMember');
}

/** An open worklist, locked until the transaction ends: what works on all of its items does so alone. @throws NOT_FOUND, STATE_REFUSES */
export async function lockOpen(ctx: Context, id: number): Promise<Row> {
  const row = await lockRecord(ctx, ctx.record, id);
  if (row['CanceledDate'] !== null) throw new PlatformError('STATE_REFUSES', { field: 'ID', message: `Worklist ${id} is canceled.` });
  return row;
}

/**
 * Cancels items by their ids, in one statement; where somebody outside listens, one by one, so that each is told. What was changed
 * stands in their history either way.
 */
async function cancelItems(ctx: Context, ids: readonly number[], reason: string): Promise<void> {
  const record = itemRecord(ctx);
  const now = ctx.clock.now();
  if (await ctx.recordEvents.hears(ctx, record, 'update')) {
    for (const id of ids) await updateRow(ctx, record, id, new Map([['cancelleddate', now], ['status', 'Canceled'], ['reason', reason]]));
    return;
  }
  await ctx.db.query(
    `update smartworklistmember i set cancelleddate = $2::timestamptz, status = 'Canceled', reason = $3::text, updateddate = $2::timestamptz, updatedpersonid = $4::bigint, version = i.version + 1
     where i.smartworklistmemberid = any($1::bigint[]) and ${OPEN}`,
    [arrayLiteral(ids), now, reason, ctx.user.personId],
  );
}

/** Cancels the open items that a condition finds, piece by piece; answers how many. `$1` of the condition is the worklist. */
export async function cancelWhere(ctx: Context, condition: string, worklistId: number, reason: string): Promise<number> {
  let count = 0;
  for (let after = 0; ; ) {
    const rows = await ctx.db.query<{ id: number }>(
      `select i.smartworklistmemberid as id from smartworklistmember i where ${condition} and ${OPEN} and i.smartworklistmemberid > $2::bigint order by i.smartworklistmemberid limit ${PIECE_ITEMS} for update`,
      [worklistId, after],
    );
    if (rows.length === 0) return count;
    await cancelItems(ctx, rows.map(({ id }) => id), reason);
    count += rows.length;
    after = rows.at(-1)?.id ?? after;
  }
}

/** Tells who listens outside of items that one statement made. */
export async function tellMade(ctx: Context, ids: readonly number[]): Promise<void> {
  const record = itemRecord(ctx);
  if (ids.length === 0 || !(await ctx.recordEvents.hears(ctx, record, 'insert'))) return;
  const rows = await ctx.db.query<Record<string, unknown>>(`select ${selectListOf(record)} from smartworklistmember where smartworklistmemberid = any($1::bigint[]) order by smartworklistmemberid`, [arrayLiteral(ids)]);
  await tellInserted(ctx, record, rows);
}
