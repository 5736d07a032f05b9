import { isOpenItem } from '../../lib/open.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { selectListOf } from '../../../../kernel/database/sql.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { changeItem } from './change-item.ts';

/** A record with all type names an item may have for it: a foreclosure is also a process. */
export interface RecordReference {
  readonly objects: readonly string[];
  readonly id: number;
}

/**
 * Locks and returns the open items of a record, by rising ID. One indexed statement, so records without items cost next
 * to nothing. Runs without row security: the caller need not have access to worklists.
 */
export async function openItemsOf(ctx: Context, record: RecordType, { objects, id }: RecordReference): Promise<Row[]> {
  return ctx.transaction().elevated((db) =>
    db.query(
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
  record: RecordType,
  named: RecordReference,
  reason: string | undefined,
): Promise<number> {
  const items = await openItemsOf(ctx, record, named);
  const values = new Map<string, unknown>([
    ['cancelleddate', ctx.clock.now()],
    ...(reason === undefined ? [] : ([['reason', reason]] as const)),
  ]);
  for (const item of items) await ctx.transaction().elevated(() => changeItem(ctx, record, item, values));
  return items.length;
}
