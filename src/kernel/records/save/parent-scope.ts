import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import type { Operation } from '../../declare/operation.ts';
import { parameter, type Parameters } from '../../parameters/parameters.ts';
import { f } from '../../declare/field.ts';
import { parseValue } from '../../parameters/parse-value.ts';
import type { RecordType } from '../../declare/record.ts';
import { isA } from '../../declare/registry.ts';
import { assertReachable, grantRead } from '../search/read.ts';
import { parentCondition } from '../search/search.ts';
import { fromOf, idOf, tablesOf } from '../../database/sql.ts';
import { findByExternalId } from './external-id.ts';
import { SqlParameters } from '../search/filter.ts';
import { arrayLiteral } from '../../database/store.ts';

/**
 * Returns the parameters with those that a parent-scope route adds: Object and ObjectID, or the foreign key by which
 * the record belongs to the parent. The route wins over what was sent. Throws NOT_FOUND if the parent is not visible.
 */
export async function parentParameters(
  ctx: Context,
  operation: Operation,
  parameters: Parameters,
): Promise<Parameters> {
  const { parent } = ctx;
  if (!parent || operation.free === 'filters') return parameters;
  await assertReachable(ctx, parent.record, [parent.id]);
  const takes = (name: string): boolean => operation.params[name] !== undefined;
  if (operation.free !== 'fields')
    return takes('Object') && takes('ObjectID')
      ? { ...parameters, Object: parent.record.name, ObjectID: parent.id }
      : parameters;
  const { record } = operation;
  if (!record) return parameters;
  if (record.parent !== undefined)
    return (await existingRecordId(ctx, record, parameters)) !== undefined
      ? parameters
      : { ...parameters, Object: parent.record.name, ObjectID: parent.id };
  for (const collection of ctx.registry.collections(parent.record).values()) {
    if (collection.by !== 'Object' && isA(record, ctx.registry.requireRecord(collection.record, 'module')))
      return { ...parameters, [collection.by]: parent.id };
  }
  throw new PlatformError('BAD_PARAMETER', {
    message: `${record.name} records don't belong to ${parent.record.name} records.`,
  });
}

/** Returns the id of the existing record that a save's parameters name by id or external ID, or undefined. */
export async function existingRecordId(
  ctx: Context,
  record: RecordType,
  parameters: Parameters,
): Promise<number | undefined> {
  for (const { idField } of [{ idField: 'ID' }, ...tablesOf(record)]) {
    const raw = parameter(parameters, idField) ?? null;
    const id = parseValue(f.id({ doc: '' }), raw, idField, { timeZone: 'UTC' });
    if (typeof id === 'number') return id;
  }
  const subscriberId =
    (record.columns.has('subscriberid') ? undefined : parameter(parameters, 'SubscriberID')) ??
    parameter(parameters, `${record.name}SubscriberID`);
  return typeof subscriberId === 'string' && subscriberId !== ''
    ? findByExternalId(ctx, record, subscriberId)
    : undefined;
}

/**
 * Throws NOT_FOUND where a parent-scope route names an id that does not belong to the parent. `ids` is one id, a list,
 * or anything else.
 */
export async function assertBelowParent(ctx: Context, record: RecordType, ids: unknown): Promise<void> {
  const list = (Array.isArray(ids) ? ids : [ids]).filter((id) => typeof id === 'number');
  if (!ctx.parent || list.length === 0) return;
  const sql = new SqlParameters();
  const condition = await parentCondition(ctx, record, ctx.parent, sql);
  const rows = await ctx.db.query<{ id: number }>(
    `select ${idOf(record)} as id from ${fromOf(record)}
     where ${condition} and ${idOf(record)} = any(${sql.add(arrayLiteral(list), 'bigint[]')})`,
    sql.values,
  );
  const found = new Set(rows.map((r) => r.id));
  const missing = list.find((id) => !found.has(id));
  if (missing !== undefined)
    throw new PlatformError('NOT_FOUND', {
      field: 'ID',
      message: `${ctx.parent.record.name} ${ctx.parent.id} has no ${record.name} ${missing}.`,
    });
  grantRead(ctx, record, found);
}
