import type { RecordType } from '../../declare/record.ts';
import { requireColumn, type ValueName } from '../../declare/values.ts';
import type { Context } from '../../door/context.ts';

/** A deletion in which other rows were deleted too. */
export interface Deletion {
  /** The call that deleted them. */
  readonly callId: string;
  readonly id: number;
}

/** Returns the deletion of a row that this call has just undeleted; undefined for any other row. */
export async function lastDeletion(ctx: Context, record: RecordType, id: number): Promise<Deletion | undefined> {
  const [last] = await ctx.db.query<{ callid: string }>(
    `select callid
     from history
     where tablename = $1::text and recordid = $2::bigint and change = 'delete' and callid is not null
       and exists (
         select from history u
         where u.tablename = $1::text and u.recordid = $2::bigint and u.change = 'undelete' and u.callid = $3::text)
     order by historyid desc
     limit 1`,
    [record.table, id, ctx.correlationId],
  );
  return last === undefined ? undefined : { callId: last.callid, id };
}

/**
 * Restores the records of a type that were deleted in the same call as the row that their `key` names: one statement,
 * however many there are. No checks or reactions run.
 */
export async function undeleteParts<R extends RecordType>(
  ctx: Context,
  part: R,
  key: ValueName<R>,
  { callId, id }: Deletion,
): Promise<void> {
  const { table } = part;
  const { column } = requireColumn(part, key);
  await ctx.db.query(
    `with gone as (
       select h.recordid, h.old
       from history h
       where h.tablename = '${table}' and h.change = 'delete' and h.callid = $1::text
         and (h.old ->> '${column}')::bigint = $2::bigint
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
