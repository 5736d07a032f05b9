import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import type { RecordType } from '../../declare/record.ts';
import { arrayLiteral } from '../../database/store.ts';
import { fromOf, idOf, selectListOf } from '../../database/sql.ts';
import { notFound } from '../search/read.ts';

/**
 * Returns one row, locked until the transaction ends: a value computed from several columns must see every change of
 * them.
 *
 * @param more continues the select list: `, column as "name"`
 * @throws NOT_FOUND
 */
export async function lockRecord<R extends RecordType>(
  ctx: Context,
  record: R,
  id: number,
  more = '',
): Promise<Row<R>> {
  const [row] = await ctx.db.query<Row<R>>(
    `select ${selectListOf(record)}${more} from ${fromOf(record)}
     where ${idOf(record)} = $1::bigint
     for update of ${record.root.table}`,
    [id],
  );
  if (!row) throw notFound(record, id);
  return row;
}

/**
 * Returns the rows of distinct IDs, in the order given, locked until the transaction ends. Locks them in ascending
 * order of ID, so that two calls for the same rows wait for each other instead of deadlocking.
 *
 * @throws NOT_FOUND for the first id that is missing
 */
export async function lockRecords<R extends RecordType>(
  ctx: Context,
  record: R,
  ids: readonly number[],
): Promise<Row<R>[]> {
  const rows = await ctx.db.query<Row<R>>(
    `select ${selectListOf(record)} from ${fromOf(record)}
     where ${idOf(record)} = any($1::bigint[])
     order by ${idOf(record)}
     for update of ${record.root.table}`,
    [arrayLiteral(ids)],
  );
  const byId = new Map(rows.map((row) => [row[record.idField], row]));
  return ids.map((id) => {
    const row = byId.get(id);
    if (!row) throw notFound(record, id);
    return row;
  });
}
