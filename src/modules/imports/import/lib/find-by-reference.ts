import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';

/**
 * Returns the record that was imported with a Reference, of some of one type; undefined if there is none. The import
 * log keeps references for as long as it keeps its rows, and those of the present item are not in it yet.
 */
export async function findByReference(
  ctx: Context,
  object: string,
  ids: readonly number[],
  reference: string,
): Promise<number | undefined> {
  if (ids.length === 0) return undefined;
  const [row] = await ctx.db.query<{ id: number }>(
    `select objectid as id from importlog
     where reference = $1::text and object = $2::text and objectid = any($3::bigint[])
     order by importlogid desc limit 1`,
    [reference, object, arrayLiteral(ids)],
  );
  return row?.id;
}
