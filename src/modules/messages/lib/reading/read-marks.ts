import type { Context } from '../../../../kernel/door/context.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';

/** When the caller read a message; null if it is unread. */
export interface ReadMark {
  readonly MessageID: number;
  readonly ReadDate: string | null;
}

/**
 * Records that the caller has read messages, and that a note reached its recipient. What was read before keeps its
 * date. The caller has reached the messages.
 */
export async function markRead(ctx: Context, ids: readonly number[]): Promise<readonly ReadMark[]> {
  return ctx.transaction().elevated(async (db) => {
    const values = [arrayLiteral(ids), ctx.user.personId, ctx.clock.now()];
    const marks = await db.query<ReadMark>(
      `insert into messageread as r (messageid, personid, readdate)
       select distinct id, $2::bigint, $3::timestamptz from unnest($1::bigint[]) id order by id
       on conflict (personid, messageid) do update set readdate = r.readdate
       returning messageid as "MessageID", readdate as "ReadDate"`,
      values,
    );
    await db.query(
      `update messagerecipient set readdate = $3::timestamptz, status = 'Read'
       where messageid = any($1::bigint[]) and personid = $2::bigint and readdate is null`,
      values,
    );
    return inOrder(ids, marks);
  });
}

/** Removes the caller's read marks of messages. */
export async function markUnread(ctx: Context, ids: readonly number[]): Promise<readonly ReadMark[]> {
  await ctx
    .transaction()
    .elevated((db) =>
      db.query('delete from messageread where personid = $2::bigint and messageid = any($1::bigint[])', [
        arrayLiteral(ids),
        ctx.user.personId,
      ]),
    );
  return inOrder(ids, []);
}

/** Returns each message once, in the order of the ids. */
function inOrder(ids: readonly number[], marks: readonly ReadMark[]): readonly ReadMark[] {
  const dates = new Map(marks.map(({ MessageID, ReadDate }) => [MessageID, ReadDate]));
  return [...new Set(ids)].map((id) => ({ MessageID: id, ReadDate: dates.get(id) ?? null }));
}
