import type { Context } from '../../door/context.ts';

/** A deletion in which other rows were deleted too. */
export interface Deletion {
  /** The call that deleted them. */
  readonly callId: string;
  readonly id: unknown;
}

/** Returns the deletion of a row that this call has just undeleted; undefined for any other row. */
export async function lastDeletion(ctx: Context, table: string, id: unknown): Promise<Deletion | undefined> {
  const [last] = await ctx.db.query<{ callid: string }>(
    `select callid
     from history
     where tablename = $1::text and recordid = $2::bigint and change = 'delete' and callid is not null
       and exists (
         select from history u
         where u.tablename = $1::text and u.recordid = $2::bigint and u.change = 'undelete' and u.callid = $3::text)
     order by historyid desc
     limit 1`,
    [table, id, ctx.correlationId],
  );
  return last === undefined ? undefined : { callId: last.callid, id };
}

/**
 * Restores the rows of a table that were deleted in the same call as the row that their `key` names: one statement,
 * however many there are. No checks or reactions run.
 */
export async function undeleteParts(ctx: Context, table: string, key: string, { callId, id }: Deletion): Promise<void> {
  await ctx.db.query(
    `with gone as (
       select h.recordid, h.old
       from history h
       where h.tablename = '${table}' and h.change = 'delete' and h.callid = $1::text
         and (h.old ->> '${key}')::bigint = $2::bigint
     ), back as (
       insert into public.${table} overriding system value
       select r.* from gone, jsonb_populate_record(null::public.${table}, gone.old) r
       returning ${table}id as id
     )
     insert into history (tablename, recordid, change, personid, callid, old)
     select '${table}', back.id, 'undelete', $3::bigint, $4::text, '{}' from back`,
    [callId, id, ctx.user.personId, ctx.correlationId],
  );
}
