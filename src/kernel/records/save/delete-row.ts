import { recordId, versionOf, type Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import type { RecordType } from '../../declare/record.ts';
import { arrayLiteral } from '../../database/store.ts';
import { fromOf, hasRecordClass, idOf, selectListOf } from '../../database/sql.ts';
import { commitChange, commitOne, type PendingChange } from './commit-change.ts';
import { concreteTypeOf, rowAsType } from './concrete-type.ts';
import { trackWrite } from './conflict.ts';
import { deleteExternalIds, type DeletedRecords } from './external-id.ts';
import { lockRecord } from './lock-record.ts';
import { versionConflict } from './version-conflict.ts';

/**
 * Deletes one row with its external IDs and links, and returns it as it was, with the columns of `record`. History
 * keeps the whole row.
 */
export async function deleteRow<R extends RecordType>(ctx: Context, record: R, id: number): Promise<Row<R>> {
  const concrete = await concreteTypeOf(ctx, record, id);
  return deleteLockedRow(ctx, record, { record: concrete, row: await lockRecord(ctx, concrete, id) });
}

/** Deletes a locked row as {@link deleteRow} does. Throws VERSION_CONFLICT unless it has the given version. */
export async function deleteLockedRow<R extends RecordType>(
  ctx: Context,
  record: R,
  { record: concrete, row }: { readonly record: RecordType; readonly row: Row },
  version?: number,
): Promise<Row<R>> {
  if (version !== undefined && versionOf(row) !== version) throw versionConflict(record, row, {}, version);
  await commitOne(ctx, deleteOf(ctx, concrete, [row]));
  return rowAsType(row, concrete, record);
}

/**
 * Deletes the visible rows as if each were deleted alone, but with as many statements for all as for one, and returns
 * them as they were. Only for record types in one table.
 */
export async function deleteMany<R extends RecordType>(
  ctx: Context,
  record: R,
  ids: readonly number[],
): Promise<readonly Row<R>[]> {
  if (record.base !== undefined || hasRecordClass(record.root))
    throw new Error(`${record.name} cannot be deleted in bulk`);
  const rows = await ctx.db.query<Row<R>>(
    `select ${selectListOf(record)} from ${fromOf(record)} where ${idOf(record)} = any($1::bigint[])
     order by ${idOf(record)} for update of ${record.table}`,
    [arrayLiteral(ids)],
  );
  if (rows.length > 0) await commitChange(ctx, deleteOf(ctx, record, rows));
  return rows;
}

/** Returns the delete of locked rows of one concrete type. */
function deleteOf(ctx: Context, record: RecordType, rows: readonly Row[]): PendingChange {
  const ids = rows.map((row) => recordId(record, row));
  return {
    record,
    change: 'delete',
    ids,
    before: rows,
    ruleRows: async () => rows.map((row) => ({ before: row, after: row })),
    write: async () => {
      for (const feature of ctx.registry.saveFeatures(record)) await feature.assertDeletable?.(ctx, record, ids);
      // The derived table first: its row points to the base's.
      for (let at: RecordType | undefined = record; at; at = at.base) await deleteStored(ctx, record, at.table, ids);
      return rows;
    },
    // Of every firm, including those out of the caller's reach.
    writeIdentities: () =>
      ctx.transaction().elevated(async (db) => {
        const deleted: DeletedRecords[] = [{ record, ids }];
        for (const feature of ctx.registry.saveFeatures(record))
          deleted.push(...((await feature.afterDelete?.(db, record, ids)) ?? []));
        await deleteExternalIds(db, deleted);
      }),
  };
}

async function deleteStored(ctx: Context, record: RecordType, table: string, ids: readonly number[]): Promise<void> {
  await trackWrite({ record, ids }, () =>
    ctx.db.query(`delete from ${table} where ${table}id = any($1::bigint[])`, [arrayLiteral(ids)]),
  );
}
