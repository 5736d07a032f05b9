import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { isConfiguration, type RecordType } from '../../declare/record.ts';
import { arrayLiteral } from '../../database/store.ts';
import { trackWrite } from './conflict.ts';
import { deleteExternalIdsAndLinks } from '../search/links.ts';
import { fromOf, hasRecordClass, idOf, selectListOf } from '../../database/sql.ts';
import { reactToChange } from './after-change.ts';

/**
 * Deletes several rows of one type, those of them that are within reach: as deleting each does it, with its business rules,
 * events, reactions, outside identifiers and links, but in as many statements for all as for one. History keeps each whole. Meant for types in
 * one table. Answers the rows as they were.
 */
export async function deleteMany(ctx: Context, record: RecordType, ids: readonly number[]): Promise<readonly Row[]> {
  if (record.base !== undefined || hasRecordClass(record.root))
    throw new Error(`${record.name} cannot be deleted in bulk`);
  const rows = await ctx.db.query(
    `select ${selectListOf(record)} from ${fromOf(record)} where ${idOf(record)} = any($1::bigint[]) order by ${idOf(record)} for update of ${record.table}`,
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
  const found = rows.map((row) => Number(row[record.idField]));
  await trackWrite({ record, ids: found }, () =>
    ctx.db.query(`delete from ${record.table} where ${idOf(record)} = any($1::bigint[])`, [arrayLiteral(found)]),
  );
  if (isConfiguration(record)) ctx.configurationChanged();
  await deleteExternalIdsAndLinks(ctx, record, found);
  for (const row of rows) await reactToChange(ctx, record, row, 'delete');
  return rows;
}
