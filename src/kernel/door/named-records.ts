/**
 * The records that a call names. Before the business rules and the operation run, the door checks that they are
 * visible, or reads or locks their rows for the operation.
 */
import { namedParameters, typeNameOf, type NamedParameter } from '../declare/named-parameters.ts';
import type { Operation } from '../declare/operation.ts';
import type { RecordType } from '../declare/record.ts';
import { concreteTypeOf } from '../records/save/concrete-type.ts';
import { lockRecord, lockRecords } from '../records/save/lock-record.ts';
import {
  assertMayName,
  assertReachable,
  grantRead,
  isClosed,
  namedBy,
  notFound,
  readRecord,
} from '../records/search/read.ts';
import type { Row } from './answer.ts';
import type { Context } from './context.ts';
import { reachCacheOf } from './reach-cache.ts';

/** The rows that a parameter names, in the order of its ids. */
export interface NamedRows {
  /** The record type they were read as. For a locked row, its concrete type: a Process is a Foreclosure. */
  readonly record: RecordType;
  readonly rows: readonly Row[];
}

/**
 * Checks the reach of the records that an operation names. Returns the rows it has read, by parameter. Throws
 * NOT_FOUND, naming the parameter, for the first record that does not exist or that the caller cannot see.
 */
export async function reachNamedRecords(
  ctx: Context,
  operation: Operation,
  params: Readonly<Record<string, unknown>>,
): Promise<ReadonlyMap<string, NamedRows>> {
  const read = new Map<string, NamedRows>();
  const { reach } = operation;
  if (typeof reach === 'object') return read;
  for (const named of namedParameters(operation)) {
    const sent = params[named.id];
    const ids = (Array.isArray(sent) ? (sent as readonly unknown[]) : [sent]).filter((id) => typeof id === 'number');
    const record = ids.length > 0 ? namedType(ctx, operation, named, params) : undefined;
    if (!record) continue;
    if (named.object !== undefined) {
      assertMayName(ctx, record, named.object);
      await namedBy(named.id, reachPair(ctx, operation, record, ids));
    } else if (reach === undefined) await namedBy(named.id, assertReachable(ctx, record, ids));
    else read.set(named.id, await namedBy(named.id, readNamed(ctx, record, ids, reach)));
  }
  return read;
}

/**
 * Returns the row of the record that the call names, which the door has read or locked as `reach` declares. `record`
 * types it. Contexts of other transactions have no rows.
 */
export function namedRow<R extends RecordType>(ctx: NamingContext, record: R, parameter = 'ID'): Row<R> {
  const row = namedRowIfSent(ctx, record, parameter);
  if (!row) throw new Error(`${ctx.operation.route}: the door has read no row for ${parameter}`);
  return row;
}

/** Returns the row of the record that an optional parameter names; undefined if the call names none. */
export function namedRowIfSent<R extends RecordType>(
  ctx: NamingContext,
  record: R,
  parameter = 'ID',
): Row<R> | undefined {
  return namedRows(ctx, record, parameter)[0];
}

/** Returns the rows of the records that a list names, in the order of its ids. */
export function namedRows<R extends RecordType>(ctx: NamingContext, record: R, parameter = 'ID'): readonly Row<R>[] {
  const read = ctx.named.get(parameter);
  if (read && read.record.name !== record.name)
    throw new Error(`${ctx.operation.route}: ${parameter} names a ${read.record.name}, not a ${record.name}`);
  return (read?.rows ?? []) as readonly Row<R>[];
}

/** Returns the record that the call names, locked, with the concrete type as which the door has locked it. */
export function lockedRecord(ctx: NamingContext, parameter = 'ID'): { readonly record: RecordType; readonly row: Row } {
  const { record } = ctx.named.get(parameter) ?? ctx;
  return { record, row: namedRow(ctx, record, parameter) };
}

type NamingContext = Pick<Context, 'named' | 'operation' | 'record'>;

/** Returns the type of the records that a parameter names. */
function namedType(
  { registry }: Context,
  operation: Operation,
  { id, object }: NamedParameter,
  params: Readonly<Record<string, unknown>>,
): RecordType | undefined {
  if (object !== undefined) {
    const className = params[object];
    return typeof className === 'string' ? registry.requireRecord(className, object) : undefined;
  }
  const name = typeNameOf(operation, id);
  return name === undefined ? operation.record : registry.requireRecord(name, id);
}

/** Reaches the record of a pair, unless it is the parent of the route, which has been reached. */
async function reachPair(ctx: Context, { free }: Operation, record: RecordType, ids: readonly number[]): Promise<void> {
  const isParent = free !== 'filters' && ctx.parent?.record === record && ids.every((id) => id === ctx.parent?.id);
  if (!isParent) await assertReachable(ctx, record, ids);
}

async function readNamed(
  ctx: Context,
  record: RecordType,
  ids: readonly number[],
  reach: 'row' | 'locked row',
): Promise<NamedRows> {
  const [id, ...others] = ids as [number, ...number[]];
  if (isClosed(ctx, record) && reachCacheOf(ctx)?.isElevated !== true) throw notFound(record, id);
  if (others.length > 0) return { record, rows: await lockRecords(ctx, record, ids) };
  const concrete = reach === 'row' ? record : await concreteTypeOf(ctx, record, id);
  const row = await (reach === 'row' ? readRecord(ctx.db, record, id) : lockRecord(ctx, concrete, id));
  grantRead(ctx, concrete, [id]);
  return { record: concrete, rows: [row] };
}
