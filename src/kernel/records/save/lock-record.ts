import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import type { RecordType } from '../../declare/record.ts';
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
