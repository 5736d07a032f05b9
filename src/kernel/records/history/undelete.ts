import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import { firmOf } from '../../security/identity.ts';
import { isConfiguration, type RecordType } from '../../declare/record.ts';
import { isA } from '../../declare/registry.ts';
import { bothEndsExist } from '../search/links.ts';
import { notFound, readRecord } from '../search/read.ts';
import { fromOf, hasRecordClass, idOf, tablesOf } from '../../database/sql.ts';

/** What history keeps of a deleted row. */
interface DeletedRow {
  readonly historyid: number;
  readonly callid: string | null;
  /** To look into; amounts in it have passed through floating point. */
  readonly old: Readonly<Record<string, unknown>>;
}

/**
 * Makes a deleted record again from its history, under its old id, with the outside identifiers and links that were deleted with it.
 * Only for users with universal access: what a firm reached of a record that is gone is not known any more. Secrets, which
 * history never sees, stay empty. Answers the record with the row of its concrete type.
 */
export async function undeleteRow(
  ctx: Context,
  record: RecordType,
  id: number,
): Promise<{ readonly record: RecordType; readonly row: Row }> {
  if (firmOf(ctx.user) !== null) throw notFound(record, id);
  const { root } = record;
  const present = await ctx.db.query(`select 1 from ${fromOf(root)} where ${idOf(root)} = $1::bigint`, [id]);
  if (present.length > 0)
    throw new PlatformError('DUPLICATE_KEY', {
      field: 'ID',
      message: `${record.name} ${id} exists; there is nothing to bring back.`,
    });
  const last = await lastDeletedRow(ctx, root.table, id);
  if (!last) throw notFound(record, id);
  const concrete = hasRecordClass(root)
    ? ctx.registry.requireRecord(String(last.old['recordclass']), 'Object')
    : record;
  if (!isA(concrete, record)) throw notFound(record, id);
  if (record.name === 'ObjectLink' && !(await bothEndsExist(ctx, last.old)))
    throw new PlatformError('STATE_REFUSES', {
      message: `One of the records that ObjectLink ${id} joined is not there any more.`,
    });
  for (const { table } of tablesOf(concrete)) {
    const deleted = table === root.table ? last : await lastDeletedRow(ctx, table, id);
    if (!deleted)
      throw new PlatformError('STATE_REFUSES', {
        message: `The history of ${record.name} ${id} is not complete any more.`,
      });
    await restoreRow(
      ctx,
      table,
      deleted,
      table === root.table
        ? {
            version: Number(deleted.old['version']) + 1,
            updateddate: ctx.clock.now(),
            updatedpersonid: ctx.user.personId,
          }
        : {},
    );
  }
  if (isConfiguration(concrete)) ctx.configurationChanged();
  const subscriptions = await ctx.db.query<DeletedRow>(
    `select historyid, callid, old from history where tablename = 'objectsubscription' and change = 'delete' and callid = $1::text and old ->> 'object' = $2::text and old ->> 'objectid' = $3::text`,
    [last.callid, concrete.name, String(id)],
  );
  for (const subscription of subscriptions) await restoreRow(ctx, 'objectsubscription', subscription, {});
  const links = await ctx.db.query<DeletedRow>(
    `select historyid, callid, old from history where tablename = 'objectlink' and change = 'delete' and callid = $1::text and ((old ->> 'primaryobject' = $2::text and old ->> 'primaryobjectid' = $3::text) or (old ->> 'linkedobject' = $2::text and old ->> 'linkedobjectid' = $3::text))`,
    [last.callid, concrete.name, String(id)],
  );
  // A link whose other record is gone meanwhile stays away.
  for (const link of links) if (await bothEndsExist(ctx, link.old)) await restoreRow(ctx, 'objectlink', link, {});
  return { record: concrete, row: await readRecord(ctx.db, concrete, id) };
}

async function lastDeletedRow(ctx: Context, table: string, id: number): Promise<DeletedRow | undefined> {
  const [row] = await ctx.db.query<DeletedRow>(
    `select historyid, callid, old from history where tablename = $1::text and recordid = $2::bigint and change = 'delete' order by historyid desc limit 1`,
    [table, id],
  );
  return row;
}

/** Inserts a row as history kept it. Columns that were added since are empty or have their default; computed ones are computed. */
async function restoreRow(
  ctx: Context,
  table: string,
  deleted: DeletedRow,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  const columns = await ctx.db.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  const names = columns
    .map((c) => c.name)
    .filter((name) => name in deleted.old)
    .join(', ');
  await ctx.db.query(
    `insert into public.${table} (${names}) overriding system value select ${names
      .split(', ')
      .map((n) => `r.${n}`)
      .join(
        ', ',
      )} from history h, jsonb_populate_record(null::public.${table}, h.old || $2::text::jsonb) r where h.historyid = $1::bigint`,
    [deleted.historyid, JSON.stringify(changes)],
  );
  // An insert leaves no trace by itself; without one, nobody could tell how long the record was gone.
  await ctx.db.query(
    `insert into history (tablename, recordid, change, personid, callid, old) select tablename, recordid, 'undelete', $2::bigint, $3::text, '{}' from history where historyid = $1::bigint`,
    [deleted.historyid, ctx.user.personId, ctx.correlationId],
  );
}
