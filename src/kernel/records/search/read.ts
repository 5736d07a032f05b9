import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import { reachCacheOf } from '../../door/reach-cache.ts';
import type { ColumnName, ColumnsOf } from '../../declare/columns.ts';
import type { Column, RecordType } from '../../declare/record.ts';
import { arrayLiteral, type Db } from '../../database/store.ts';
import { columnList, fromOf, hasRecordClass, idOf, selectListOf } from '../../database/sql.ts';

const byIdTexts = new WeakMap<RecordType, string>();

/** Returns one record by id; undefined if it does not exist or is not visible. */
export async function findRecord<R extends RecordType>(db: Db, record: R, id: number): Promise<Row<R> | undefined> {
  let text = byIdTexts.get(record);
  if (text === undefined)
    byIdTexts.set(
      record,
      (text = `select ${selectListOf(record)} from ${fromOf(record)} where ${idOf(record)} = $1::bigint`),
    );
  const [row] = await db.query<Row<R>>(text, [id], 'point');
  return row;
}

/** Returns one record by id. Throws NOT_FOUND, without revealing whether it does not exist or is not visible. */
export async function readRecord<R extends RecordType>(db: Db, record: R, id: number): Promise<Row<R>> {
  const row = await findRecord(db, record, id);
  if (!row) throw notFound(record, id);
  return row;
}

/** Returns some columns of one record; undefined if it does not exist or is not visible. */
export async function readColumns<R extends RecordType, N extends ColumnName<R>>(
  db: Db,
  record: R,
  id: number,
  names: readonly N[],
): Promise<Pick<ColumnsOf<R>, N> | undefined> {
  const columns = names.map((name) => record.columns.get(name.toLowerCase()) as Column);
  const text = `select ${columnList(columns)} from ${fromOf(record)} where ${idOf(record)} = $1::bigint`;
  const [row] = await db.query<Pick<ColumnsOf<R>, N> & object>(text, [id], 'point');
  return row;
}

/**
 * Throws NOT_FOUND, naming the first missing id, unless every id is a visible record. The door does this for the
 * records that an operation `names`; call it for those that come in another way. What the transaction has reached
 * before is not read again.
 */
export async function assertReachable(ctx: Context, record: RecordType, ids: readonly number[]): Promise<void> {
  if (isClosed(ctx, record)) throw notFound(record, ids[0] ?? 0);
  const unknown = ids.filter((id) => !ctx.reach.has(record, id));
  if (unknown.length === 0) return;
  const rows = await ctx.db.query<{ id: number }>(
    `select ${idOf(record)} as id from ${fromOf(record)} where ${idOf(record)} = any($1::bigint[])`,
    [arrayLiteral(unknown)],
  );
  const found = new Set(rows.map((r) => r.id));
  const missing = unknown.find((id) => !found.has(id));
  if (missing !== undefined) throw notFound(record, missing);
  grantRead(ctx, record, found);
}

/**
 * Notes records as reached that have been read as the caller, by the type that was read. A row of a base type may be of
 * any derived one, which is not known then: it is not noted.
 */
export function grantRead(ctx: Context, record: RecordType, ids: Iterable<number>): void {
  if (record.base === undefined && hasRecordClass(record)) return;
  const cache = reachCacheOf(ctx);
  if (cache) for (const id of ids) cache.grant(record, id);
}

/** Whether the user can reach no row of a record type: row security closes the whole table to firms. */
export function isClosed(ctx: Pick<Context, 'user'>, record: RecordType): boolean {
  return !ctx.user.universal && record.reach === 'none';
}

/**
 * Throws NO_PERMISSION unless the caller may search the records of a type. For operations that reveal such records in
 * another way: a collection's members, a score's input. Calls from code run on the authority of the door.
 */
export function assertCanSearch(ctx: Pick<Context, 'authority' | 'registry' | 'user'>, record: RecordType): void {
  const permission = ctx.registry.find(record.module, 'search')?.operation.permissionName ?? `${record.name}Search`;
  if (ctx.authority !== 'checked' || ctx.user.permissions.has(permission)) return;
  throw new PlatformError('NO_PERMISSION', {
    message: `The permission ${permission} is not granted to you; reading ${record.name} records requires it.`,
  });
}

/**
 * Whether records of a type belong to the administration of the installation: no firm reaches them, as with settings
 * and logs, or guards bound who changes them, as with users, roles and keys.
 */
export function isAdministration({ registry }: Pick<Context, 'registry'>, record: RecordType): boolean {
  return record.reach === 'none' || registry.isAccessControl(record);
}

/**
 * Throws NO_PERMISSION if a call names a record of administration, or attaches another record to one, and the caller
 * may neither select nor search its type: templates, workflows and forms show values of the records on which they are
 * used.
 * @param parameter The parameter with the name of the record type
 */
export function assertMayName(
  ctx: Pick<Context, 'authority' | 'registry' | 'user'>,
  record: RecordType,
  parameter: string,
): void {
  if (ctx.authority !== 'checked' || !isAdministration(ctx, record)) return;
  const names = ['select', 'search'].flatMap(
    (path) => ctx.registry.find(record.module, path)?.operation.permissionName ?? [],
  );
  if (names.some((name) => ctx.user.permissions.has(name))) return;
  throw new PlatformError('NO_PERMISSION', {
    field: parameter,
    message:
      `${parameter}: the permission ${names[0] ?? `${record.name}Select`} is not granted to you; naming ` +
      `${record.name} records requires it.`,
  });
}

/**
 * Returns NOT_FOUND for an id or external ID that does not exist or is not visible; the message does not say which.
 * @param record What is missing: a record type, or its name for people
 * @param parameter The parameter that holds the id, if it is not the operation's own ID. It begins the message.
 */
export function notFound(record: Pick<RecordType, 'name'>, id: number | string, parameter?: string): PlatformError {
  const message = notFoundText(record, id);
  return new PlatformError('NOT_FOUND', {
    field: parameter ?? 'ID',
    message: parameter === undefined ? message : `${parameter}: ${message}`,
  });
}

/**
 * Returns the result of reaching the records that a parameter names.
 * @throws NOT_FOUND for the parameter, where `reached` throws it for the ID
 */
export async function namedBy<T>(parameter: string, reached: Promise<T>): Promise<T> {
  try {
    return await reached;
  } catch (error) {
    const isMissing = error instanceof PlatformError && error.code === 'NOT_FOUND' && error.field === 'ID';
    if (!isMissing || parameter === 'ID') throw error;
    throw new PlatformError('NOT_FOUND', { field: parameter, message: `${parameter}: ${error.message}` });
  }
}

/** Returns the text of {@link notFound}, for errors with another code or field. */
export function notFoundText(record: Pick<RecordType, 'name'>, id: number | string): string {
  return `${record.name} ${id} not found, or you don't have access to it.`;
}

/** Returns the concrete record type of a row: a Process is a Foreclosure. Throws NOT_FOUND. */
export async function concreteClass(
  ctx: Pick<Context, 'registry'>,
  db: Db,
  record: RecordType,
  id: number,
): Promise<RecordType> {
  if (record.base !== undefined || !hasRecordClass(record)) return record;
  const [row] = await db.query<{ recordclass: string }>(
    `select recordclass from ${record.table} where ${record.table}id = $1::bigint`,
    [id],
  );
  if (!row) throw notFound(record, id);
  return ctx.registry.requireRecord(row.recordclass, 'Object');
}
