import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { isConfiguration, type RecordType } from '../../declare/record.ts';
import { arrayLiteral } from '../../database/store.ts';
import { trackWrite } from './conflict.ts';
import { deleteExternalIdsAndLinks } from '../search/links.ts';
import { fromOf, hasRecordClass, idOf, selectListOf } from '../../database/sql.ts';
import { reactToChange } from './after-change.ts';

/**
 * Deletes the visible rows, and returns them as they were. Business rules, events, reactions, external IDs and
 * links are handled as when each is deleted alone, but with as many statements for all as for one. History keeps each
 * whole row. Only for record types in one table.
 */
export async function deleteMany(ctx: Context, record: RecordType, ids: readonly number[]): Promise<readonly Row[]> {
  if (record.base !== undefined || hasRecordClass(record.root))
    throw new Error(`${record.name} cannot be deleted in bulk`);
  const rows = await ctx.db.query(
    `select ${selectListOf(record)} from ${fromOf(record)} where ${idOf(record)} = any($1::bigint[])
     order by ${idOf(record)} for update of ${record.table}`,
    [arrayLiteral(ids)],
  );
  if (rows.length === 0) return [];
  if (await ctx.businessRules.applies(record, 'Delete'))
    for (const row of rows)
      await ctx.businessRules.enforce(ctx, { operation: 'Delete', of: record, before: row, after: row });
  if (await ctx.recordEvents.hasSubscribers(ctx, record, 'delete'))
    await ctx.recordEvents.publish(
      ctx,
      record,
      'delete',
      rows.map((row) => ({ row, changed: [] })),
    );
  const deleted = rows.map((row) => Number(row[record.idField]));
  await trackWrite({ record, ids: deleted }, () =>
    ctx.db.query(`delete from ${record.table} where ${idOf(record)} = any($1::bigint[])`, [arrayLiteral(deleted)]),
  );
  if (isConfiguration(record)) ctx.configurationChanged();
  await deleteExternalIdsAndLinks(ctx, record, deleted);
  for (const row of rows) await reactToChange(ctx, record, row, 'delete');
  return rows;
}
