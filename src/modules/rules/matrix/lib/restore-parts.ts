import type { Context } from '../../../../kernel/door/context.ts';

/** The tables deleted together with a matrix or column, each with its foreign key. */
const partTables = {
  matrix: [
    ['matrixdimension', 'matrixid'],
    ['matrixmeasure', 'matrixid'],
    ['matrixfact', 'matrixid'],
  ],
  matrixdimension: [['matrixfact', 'matrixdimensionid']],
  matrixmeasure: [['matrixfact', 'matrixmeasureid']],
} as const;

/**
 * Restores the rows that were deleted in the same call as a matrix or column that has just been undeleted. Reads them
 * from history, with one statement per table however many rows there are. Does nothing for a new record.
 */
export async function restoreParts(ctx: Context, table: keyof typeof partTables, id: unknown): Promise<void> {
  const [last] = await ctx.db.query<{ callid: string }>(
    `select callid from history where tablename = $1::text and recordid = $2::bigint and change = 'delete'
      and callid is not null
      and exists (select from history u where u.tablename = $1::text and u.recordid = $2::bigint
      and u.change = 'undelete' and u.callid = $3::text) order by historyid desc limit 1`,
    [table, id, ctx.correlationId],
  );
  if (!last) return;
  for (const [part, key] of partTables[table]) {
    await ctx.db.query(
      `with gone as (select h.recordid, h.old from history h where h.tablename = '${part}' and h.change = 'delete'
        and h.callid = $1::text and (h.old ->> '${key}')::bigint = $2::bigint),
        back as (insert into public.${part} overriding system value select r.*
        from gone, jsonb_populate_record(null::public.${part}, gone.old) r returning ${part}id as id)
        insert into history (tablename, recordid, change, personid, callid, old)
        select '${part}', back.id, 'undelete', $3::bigint, $4::text, '{}' from back`,
      [last.callid, id, ctx.user.personId, ctx.correlationId],
    );
  }
}
