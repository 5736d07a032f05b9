import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import { firmOf } from '../../security/identity.ts';
import type { RecordType } from '../../declare/record.ts';
import { valueText } from '../../parameters/value-text.ts';
import { isA } from '../../declare/registry.ts';
import { commitOne, type CommitSteps } from '../save/commit-change.ts';
import { bothEndsExist } from '../search/links.ts';
import { notFound, readRecord } from '../search/read.ts';
import { fromOf, hasRecordClass, idOf, tablesOf } from '../../database/sql.ts';

/** A deleted row as history keeps it. */
interface DeletedRow {
  readonly historyid: number;
  readonly callid: string | null;
  /** For inspection only: amounts in it have passed through floating point. */
  readonly old: Readonly<Record<string, unknown>>;
}

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
  const last = await lastDeletedRow(ctx, root.table, id);
  if (!last) throw notFound(record, id);
  const concrete = hasRecordClass(root)
    ? ctx.registry.requireRecord(valueText(last.old['recordclass']), 'Object')
    : record;
  if (!isA(concrete, record)) throw notFound(record, id);
  if (record.name === 'ObjectLink' && !(await bothEndsExist(ctx, last.old)))
    throw new PlatformError('STATE_REFUSES', {
      message: `ObjectLink ${id} cannot be restored: one of the records that it links no longer exists.`,
    });
  await commitOne(ctx, {
    record: concrete,
    change: 'undelete',
    write: async () => {
      await restoreTables(ctx, concrete, id, last);
      return [await readRecord(ctx.db, concrete, id)];
    },
    writeIdentities: () => restoreExternalIdsAndLinks(ctx, concrete, id, last.callid),
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
    version: Number(last.old['version']) + 1,
    updateddate: ctx.clock.now(),
    updatedpersonid: ctx.user.personId,
  };
  for (const { table } of tablesOf(concrete)) {
    const deleted = table === root.table ? last : await lastDeletedRow(ctx, table, id);
    if (!deleted)
      throw new PlatformError('STATE_REFUSES', {
        message: `${concrete.name} ${id} cannot be restored: its history is incomplete.`,
      });
    await restoreRow(ctx, table, deleted, table === root.table ? tracking : {});
  }
}

/** Restores the external IDs and links that the same call deleted. A link whose other end is gone stays deleted. */
async function restoreExternalIdsAndLinks(
  ctx: Context,
  { name }: RecordType,
  id: number,
  callId: string | null,
): Promise<void> {
  const params = [callId, name, String(id)];
  const externalIds = await ctx.db.query<DeletedRow>(
    `select historyid, callid, old from history
     where tablename = 'objectsubscription' and change = 'delete' and callid = $1::text
       and old ->> 'object' = $2::text and old ->> 'objectid' = $3::text`,
    params,
  );
  for (const externalId of externalIds) await restoreRow(ctx, 'objectsubscription', externalId, {});
  const links = await ctx.db.query<DeletedRow>(
    `select historyid, callid, old from history
     where tablename = 'objectlink' and change = 'delete' and callid = $1::text
       and ((old ->> 'primaryobject' = $2::text and old ->> 'primaryobjectid' = $3::text)
         or (old ->> 'linkedobject' = $2::text and old ->> 'linkedobjectid' = $3::text))`,
    params,
  );
  for (const link of links) if (await bothEndsExist(ctx, link.old)) await restoreRow(ctx, 'objectlink', link, {});
}

async function lastDeletedRow(ctx: Context, table: string, id: number): Promise<DeletedRow | undefined> {
  const [row] = await ctx.db.query<DeletedRow>(
    `select historyid, callid, old from history
     where tablename = $1::text and recordid = $2::bigint and change = 'delete' order by historyid desc limit 1`,
    [table, id],
  );
  return row;
}

/**
 * Inserts a row as history keeps it, with `changes`. Columns added since get their default; generated ones are
 * computed.
 */
async function restoreRow(
  ctx: Context,
  table: string,
  deleted: DeletedRow,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  const columns = await ctx.db.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  const names = columns.map((c) => c.name).filter((name) => name in deleted.old);
  await ctx.db.query(
    `insert into public.${table} (${names.join(', ')}) overriding system value
     select ${names.map((name) => `r.${name}`).join(', ')}
     from history h, jsonb_populate_record(null::public.${table}, h.old || $2::text::jsonb) r
     where h.historyid = $1::bigint`,
    [deleted.historyid, JSON.stringify(changes)],
  );
  // History records no inserts; without this entry it would not show how long the record was deleted.
  await ctx.db.query(
    `insert into history (tablename, recordid, change, personid, callid, old)
     select tablename, recordid, 'undelete', $2::bigint, $3::text, '{}' from history where historyid = $1::bigint`,
    [deleted.historyid, ctx.user.personId, ctx.correlationId],
  );
}
