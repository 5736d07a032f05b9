import type { Context } from '../../door/context.ts';
import type { RecordType } from '../../declare/record.ts';
import { requireColumn, type ValueName } from '../../declare/values.ts';

/** A deleted row as stored in history, by physical column; see {@link oldValue}. */
export interface DeletedRow {
  readonly historyid: number;
  readonly callid: string | null;
  /** For inspection only: amounts in it have passed through floating point. */
  readonly old: Readonly<Record<string, unknown>>;
}

/** Returns a column of a deleted row. */
export function oldValue<R extends RecordType>(record: R, old: DeletedRow['old'], name: ValueName<R>): unknown {
  return old[requireColumn(record, name).column];
}

/** Returns the last deleted row of a record's table with an ID. */
export async function lastDeletedRow(ctx: Context, { table }: RecordType, id: number): Promise<DeletedRow | undefined> {
  const [row] = await ctx.db.query<DeletedRow>(
    `select historyid, callid, old from history
     where tablename = $1::text and recordid = $2::bigint and change = 'delete' order by historyid desc limit 1`,
    [table, id],
  );
  return row;
}

/** A record, and the pairs of columns (record type, id) by which records of a type `R` refer to one. */
interface RecordReference<R extends RecordType> {
  readonly record: RecordType;
  readonly id: number;
  readonly by: readonly (readonly [ValueName<R>, ValueName<R>])[];
}

/** Returns the records of a type that a call deleted and that referred to a record by one of the pairs of columns. */
export function rowsDeletedByCall<R extends RecordType>(
  ctx: Context,
  deleted: R,
  callId: string | null,
  { record, id, by }: RecordReference<R>,
): Promise<DeletedRow[]> {
  const old = (name: ValueName<R>): string => `old ->> '${requireColumn(deleted, name).column}'`;
  const referred = by.map(([object, objectId]) => `(${old(object)} = $3::text and ${old(objectId)} = $4::text)`);
  return ctx.db.query<DeletedRow>(
    `select historyid, callid, old from history
     where tablename = $1::text and change = 'delete' and callid = $2::text and (${referred.join(' or ')})`,
    [deleted.table, callId, record.name, String(id)],
  );
}

/**
 * Inserts a row as history keeps it, with `changes`. Columns added since get their default; generated ones are
 * computed.
 */
export async function restoreRow(
  ctx: Context,
  { table }: RecordType,
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
