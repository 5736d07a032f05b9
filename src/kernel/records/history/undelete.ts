import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import { firmOf } from '../../security/identity.ts';
import type { RecordType } from '../../declare/record.ts';
import { valueText } from '../../parameters/value-text.ts';
import { isA } from '../../declare/registry.ts';
import { restoreExternalIds } from '../save/external-id.ts';
import { commitOne, type CommitSteps } from '../save/commit-change.ts';
import { notFound, readRecord } from '../search/read.ts';
import { lastDeletedRow, oldValue, restoreRow, type DeletedRow } from './restore-row.ts';
import { fromOf, hasRecordClass, idOf, tablesOf } from '../../database/sql.ts';

/**
 * Restores a deleted record from its history under its old id, with the external IDs and links that were deleted with
 * it, and returns it with the row of its concrete type. Reactions run as for an insert. Only for users with universal
 * access: which firms could reach a deleted record is not known any more. Secrets, which history does not store, stay
 * empty.
 *
 * @throws DUPLICATE_KEY where the record exists, NOT_FOUND where history has no delete of it, STATE_REFUSES where its
 *   history is incomplete or an end of a link is gone
 */
export async function undeleteRow(
  ctx: Context,
  record: RecordType,
  id: number,
): Promise<{ readonly record: RecordType; readonly row: Row }> {
  if (firmOf(ctx.user) !== null) throw notFound(record, id);
  const { root } = record;
  await assertDeleted(ctx, record, id);
  const last = await lastDeletedRow(ctx, root, id);
  if (!last) throw notFound(record, id);
  const concrete = hasRecordClass(root)
    ? ctx.registry.requireRecord(valueText(oldValue(root, last.old, 'RecordClass')), 'Object')
    : record;
  if (!isA(concrete, record)) throw notFound(record, id);
  const features = ctx.registry.saveFeatures(concrete);
  for (const feature of features) await feature.assertRestorable?.(ctx, concrete, last.old);
  await commitOne(ctx, {
    record: concrete,
    change: 'undelete',
    write: async () => {
      await restoreTables(ctx, concrete, id, last);
      return [await readRecord(ctx.db, concrete, id)];
    },
    writeIdentities: async () => {
      await restoreExternalIds(ctx, concrete, id, last.callid);
      await restoreVisibility(ctx, concrete, id);
      for (const feature of features) await feature.afterUndelete?.(ctx, concrete, { id, callId: last.callid });
    },
    steps: undeleteSteps,
  });
  // Reactions may have changed it, as on an insert.
  return { record: concrete, row: await readRecord(ctx.db, concrete, id) };
}

/**
 * The business rules of an undelete are those of the call, which the door has enforced. The row counts as no write of
 * an import, which cannot undelete.
 */
const undeleteSteps: CommitSteps = { rules: 'omitted', note: 'omitted', reactions: 'taken' };

/**
 * Makes the database work out anew which firms can see the children of a restored record. Deleting a record leaves its
 * children in place, and none of its firms could be found for a child that was saved while it was gone.
 */
async function restoreVisibility(ctx: Context, { name }: RecordType, id: number): Promise<void> {
  const children = ctx.registry
    .records()
    .filter(({ parent, reach }) => parent !== undefined && (reach === 'one' || reach === 'many'));
  const tables = new Set(children.flatMap(({ columns }) => columns.get('objectid')?.table ?? []));
  const updates = [...tables].map(
    (table) =>
      `of_${table} as (update ${table} set objectid = objectid where objectid = $2::bigint and object = $1::text)`,
  );
  await ctx.transaction().elevated((db) => db.query(`with ${updates.join(', ')} select 1`, [name, id]));
}

async function assertDeleted(ctx: Context, { name, root }: RecordType, id: number): Promise<void> {
  const present = await ctx.db.query(`select 1 from ${fromOf(root)} where ${idOf(root)} = $1::bigint`, [id]);
  if (present.length > 0)
    throw new PlatformError('DUPLICATE_KEY', {
      field: 'ID',
      message: `${name} ${id} exists; there is nothing to restore.`,
    });
}

/** Restores the rows of all tables of a record, the root's first and with the next version. */
async function restoreTables(ctx: Context, concrete: RecordType, id: number, last: DeletedRow): Promise<void> {
  const { root } = concrete;
  const tracking = {
    version: Number(oldValue(root, last.old, 'Version')) + 1,
    updateddate: ctx.clock.now(),
    updatedpersonid: ctx.user.personId,
  };
  for (const part of tablesOf(concrete)) {
    const deleted = part.table === root.table ? last : await lastDeletedRow(ctx, part, id);
    if (!deleted)
      throw new PlatformError('STATE_REFUSES', {
        message: `${concrete.name} ${id} cannot be restored: its history is incomplete.`,
      });
    await restoreRow(ctx, part, deleted, part.table === root.table ? tracking : {});
  }
}
