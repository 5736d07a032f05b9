import { isOpenItem } from '../../lib/open.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { selectListOf } from '../../../../kernel/database/sql.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { changeItem } from './change-item.ts';
import type { smartWorklistMember, WorkItem } from '../smartworklistmember.record.ts';

/** A record with all type names an item may have for it: a foreclosure is also a process. */
export interface RecordReference {
  readonly objects: readonly string[];
  readonly id: number;
}

/**
 * Locks and returns the open items of a record, by rising ID. One indexed statement, so records without items cost next
 * to nothing. Runs without row security: the caller need not have access to worklists.
 */
export async function openItemsOf(
  ctx: Context,
  record: typeof smartWorklistMember,
  { objects, id }: RecordReference,
): Promise<WorkItem[]> {
  return ctx.transaction().elevated((db) =>
    db.query<WorkItem>(
      `select ${selectListOf(record)}
       from smartworklistmember
       where sourceobjectid = $1::bigint
         and sourceobject = any($2::text[])
         and ${isOpenItem()}
       order by smartworklistmemberid
       for update`,
      [id, arrayLiteral(objects)],
    ),
  );
}

/** Cancels the open items of a record and returns their number. */
export async function cancelOpenItems(
  ctx: Context,
  record: typeof smartWorklistMember,
  named: RecordReference,
  reason: string | undefined,
): Promise<number> {
  const items = await openItemsOf(ctx, record, named);
  const values = { CancelledDate: ctx.clock.now(), ...(reason === undefined ? {} : { Reason: reason }) };
  for (const item of items) await ctx.transaction().elevated(() => changeItem(ctx, record, item, values));
  return items.length;
}
