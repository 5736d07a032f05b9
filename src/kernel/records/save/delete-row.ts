import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { isConfiguration, type RecordType } from '../../declare/record.ts';
import { deleteExternalIdsAndLinks } from '../search/links.ts';
import { reactToChange } from './after-change.ts';
import { concreteTypeOf, rowAsType } from './concrete-type.ts';
import { trackWrite } from './conflict.ts';
import { lockRecord } from './lock-record.ts';
import { versionConflict } from './version-conflict.ts';

/**
 * Deletes one row with its external IDs and links, and returns it as it was, with the columns of `record`. Enforces the
 * business rules, publishes the event and runs the reactions. History keeps the whole row.
 */
export async function deleteRow(ctx: Context, record: RecordType, id: number, version?: number): Promise<Row> {
  const concrete = await concreteTypeOf(ctx, record, id);
  const row = await lockRecord(ctx, concrete, id);
  if (version !== undefined && row['Version'] !== version) throw versionConflict(record, row, new Map(), version);
  if (await ctx.businessRules.applies(concrete, 'Delete'))
    await ctx.businessRules.enforce(ctx, { operation: 'Delete', of: concrete, before: row, after: row });
  if (await ctx.recordEvents.hasSubscribers(ctx, concrete, 'delete'))
    await ctx.recordEvents.publish(ctx, concrete, 'delete', [{ row, changed: [] }]);
  // The derived table first: its row points to the base's.
  for (let at: RecordType | undefined = concrete; at; at = at.base)
    await trackWrite({ record: concrete, ids: [id] }, () =>
      ctx.db.query(`delete from ${at.table} where ${at.table}id = $1::bigint`, [id]),
    );
  if (isConfiguration(concrete)) ctx.configurationChanged();
  await deleteExternalIdsAndLinks(ctx, concrete, [id]);
  await reactToChange(ctx, concrete, row, 'delete');
  return rowAsType(row, concrete, record);
}
