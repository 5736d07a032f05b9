import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { fromOf, idOf } from '../../../kernel/database/sql.ts';
import { arrayLiteral } from '../../../kernel/database/store.ts';
import { defineSaveFeature } from '../../../kernel/declare/save-feature.ts';
import { valueText } from '../../../kernel/parameters/value-text.ts';
import {
  oldValue,
  restoreRow,
  rowsDeletedByCall,
  type DeletedRow,
} from '../../../kernel/records/history/restore-row.ts';
import { objectLink } from './objectlink.record.ts';

const sides = [
  ['PrimaryObject', 'PrimaryObjectID'],
  ['LinkedObject', 'LinkedObjectID'],
] as const;

export const saveFeature = defineSaveFeature({
  doc: 'The links of a record are deleted and restored with it. A link without one of its records is not restored.',
  async afterDelete(db, { name }, ids) {
    const links = await db.query<{ id: number }>(
      `delete from objectlink
       where (primaryobjectid = any($2::bigint[]) and primaryobject = $1::text)
         or (linkedobjectid = any($2::bigint[]) and linkedobject = $1::text)
       returning objectlinkid as id`,
      [name, arrayLiteral(ids)],
    );
    return links.length === 0 ? [] : [{ record: objectLink, ids: links.map(({ id }) => id) }];
  },
  async assertRestorable(ctx, { name }, old) {
    if (name === 'ObjectLink' && !(await bothEndsExist(ctx, old)))
      throw new PlatformError('STATE_REFUSES', {
        message:
          `ObjectLink ${valueText(oldValue(objectLink, old, 'ObjectLinkID'))} cannot be restored: ` +
          'one of the records that it links no longer exists.',
      });
  },
  async afterUndelete(ctx, record, { id, callId }) {
    const links = await rowsDeletedByCall(ctx, objectLink, callId, { record, id, by: sides });
    for (const link of links) if (await bothEndsExist(ctx, link.old)) await restoreRow(ctx, objectLink, link, {});
  },
});

/** Whether both records of a deleted link exist, so that it can be restored. `old` is its row in history. */
async function bothEndsExist(ctx: Context, old: DeletedRow['old']): Promise<boolean> {
  for (const [object, objectId] of sides) {
    const record = ctx.registry.record(valueText(oldValue(objectLink, old, object)));
    const rows =
      record === undefined
        ? []
        : await ctx.db.query(`select 1 from ${fromOf(record)} where ${idOf(record)} = $1::bigint`, [
            Number(oldValue(objectLink, old, objectId)),
          ]);
    if (rows.length === 0) return false;
  }
  return true;
}
