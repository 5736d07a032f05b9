import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import { firmOf } from '../../security/identity.ts';
import { namedParameters, typeNameOf } from '../../declare/named-parameters.ts';
import type { Operation } from '../../declare/operation.ts';
import type { ParsedCall } from '../../parameters/parse-parameters.ts';
import type { RecordType } from '../../declare/record.ts';
import { parentValues, planOptions, planSave, type SavePlan } from './plan.ts';
import { existingRecordId } from './parent-scope.ts';
import { assertMayName, assertReachable, namedBy } from '../search/read.ts';
import { requireByExternalId } from './external-id.ts';
import type { Parameters } from '../../parameters/parameters.ts';

/**
 * Throws unless the caller may save a plan, before anything is saved. Records saved along the way need their own
 * permission, and the records that a firm's user refers to must be visible: the database checks foreign keys against
 * all rows, and its error would reveal whether a foreign id exists. Calls from code run on the authority of the door.
 */
export async function assertSaveAllowed(ctx: Context, plan: SavePlan): Promise<void> {
  if (ctx.authority !== 'checked') return;
  for (const each of [plan, ...nestedPlans(plan)])
    for (const feature of ctx.registry.saveFeatures(each.record)) feature.assertAllowed?.(ctx, each);
  assertMayNameParent(ctx, plan);
  assertMayNest(ctx, plan);
  if (firmOf(ctx.user) !== null) await assertReferencesReachable(ctx, plan);
}

/** Throws NO_PERMISSION if a plan attaches a record to one of administration that the caller may not read. */
function assertMayNameParent(ctx: Context, plan: SavePlan): void {
  for (const each of [plan, ...nestedPlans(plan)]) {
    const { Object: className } = parentValues(each);
    const parent = typeof className === 'string' ? ctx.registry.record(className) : undefined;
    if (parent && each.record.parent !== undefined) assertMayName(ctx, parent, 'Object');
  }
}

/** Throws NO_PERMISSION unless the calling user may save the records that a plan saves along the way. */
export function assertMayNest(ctx: Context, plan: SavePlan): void {
  for (const each of nestedPlans(plan)) assertCanSaveNested(ctx, each.record, each.id !== undefined);
  for (const [, { record }] of plan.parent) assertCanSaveNested(ctx, record, true);
}

/** Returns the plans of all records saved along the way, at any depth. */
export function nestedPlans(plan: SavePlan): SavePlan[] {
  const own = [...plan.links.values(), ...[...plan.collections.values()].flatMap(({ items }) => items)];
  return own.flatMap((nested) => [nested, ...nestedPlans(nested)]);
}

function assertCanSaveNested(ctx: Context, record: RecordType, exists: boolean): void {
  const names = ['save', exists ? 'update' : 'insert'].flatMap(
    (path) => ctx.registry.find(record.module, path)?.operation.permissionName ?? [],
  );
  const isOpen = ctx.user.universal || record.reach === 'one' || record.reach === 'many';
  if (isOpen && names.some((name) => ctx.user.permissions.has(name))) return;
  const required = names[0] ?? `${record.name}Save`;
  throw new PlatformError('NO_PERMISSION', {
    message: `The permission ${required} is not granted to you; saving the nested ${record.name} requires it.`,
  });
}

/**
 * Throws NOT_FOUND unless a plan's foreign keys, and the children and linked records that it names by id, are visible.
 */
export async function assertReferencesReachable(ctx: Context, plan: SavePlan): Promise<void> {
  for (const each of [plan, ...nestedPlans(plan)]) {
    if (each !== plan && each.id !== undefined) await reachReference(ctx, each.record, each.id, each.record.idField);
    for (const [name, value] of Object.entries(each.values)) {
      const column = each.record.valueColumns.get(name);
      if (column?.field.to === undefined || typeof value !== 'number') continue;
      const target = ctx.registry.record(column.field.to);
      if (target && target.reach !== 'configuration') await reachReference(ctx, target, value, column.name);
    }
  }
}

/** Throws NOT_FOUND, naming the parameter, unless the record is visible. */
async function reachReference(ctx: Context, record: RecordType, id: number, field: string): Promise<void> {
  await namedBy(field, assertReachable(ctx, record, [id]));
}

/**
 * Throws unless a call may be queued. The caller learns at once of a missing permission or, as a firm's user, of a
 * record that is not visible. Everything is checked again when the call runs.
 */
export async function assertQueueable(
  ctx: Context,
  operation: Operation,
  parsed: ParsedCall,
  parameters: Parameters,
): Promise<void> {
  const plan =
    operation.free === 'fields' && operation.record
      ? planSave(ctx.registry, operation.record, parameters, planOptions(ctx))
      : undefined;
  if (firmOf(ctx.user) === null) {
    if (plan) await assertSaveAllowed(ctx, plan);
    return;
  }
  if (ctx.parent) await assertReachable(ctx, ctx.parent.record, [ctx.parent.id]);
  for (const { param, record, subscriberId } of parsed.externalIds)
    await requireByExternalId(ctx, ctx.registry.requireRecord(record, param), subscriberId, param);
  for (const name of Object.keys(operation.params)) {
    const target = referencedType(ctx, operation, name);
    const ids = idsIn(operation, name, parsed.params[name]);
    if (target && ids.length > 0) await namedBy(name, assertReachable(ctx, target, ids));
  }
  await assertParentReachable(ctx, operation, parsed);
  if (plan) await assertPlanReachable(ctx, plan, operation.name === 'Update');
}

/** Returns the record type that a parameter's ids belong to. */
function referencedType(ctx: Context, operation: Operation, name: string): RecordType | undefined {
  const to = typeNameOf(operation, name);
  if (to !== undefined) return ctx.registry.record(to);
  return name === 'ID' || namedParameters(operation).some(({ id, object }) => id === name && object === undefined)
    ? operation.record
    : undefined;
}

/** Returns the ids that a parameter of kind id or idList was sent with. */
function idsIn({ params }: Operation, name: string, value: unknown): number[] {
  const kind = params[name]?.kind;
  const ids = kind === 'idList' && Array.isArray(value) ? (value as readonly unknown[]) : [value];
  return kind === 'id' || kind === 'idList' ? ids.filter((id) => typeof id === 'number') : [];
}

/**
 * Checks the records named by the parameters Object and ObjectID, and the record that a save with its own parameters
 * updates.
 */
async function assertParentReachable(ctx: Context, operation: Operation, parsed: ParsedCall): Promise<void> {
  const { params, record, free, effect, origin } = operation;
  const { Object: className, ObjectID: sent } = parsed.params;
  const ids = idsIn(operation, 'ObjectID', sent);
  if (params['Object'] && typeof className === 'string' && ids.length > 0) {
    const parent = ctx.registry.requireRecord(className, 'Object');
    await namedBy('ObjectID', assertReachable(ctx, parent, ids));
  }
  if (free !== 'any' || effect !== 'write' || origin !== 'built-in' || !record) return;
  const updated = await existingRecordId(ctx, record, parsed.rest);
  if (updated !== undefined) await assertReachable(ctx, record, [updated]);
}

async function assertPlanReachable(ctx: Context, plan: SavePlan, isUpdate: boolean): Promise<void> {
  if (plan.id !== undefined) await assertReachable(ctx, plan.record, [plan.id]);
  if (isUpdate && plan.id === undefined && plan.subscriberId !== undefined)
    await requireByExternalId(ctx, plan.record, plan.subscriberId, 'SubscriberID');
  const { Object: className, ObjectID: id } = parentValues(plan);
  if (plan.record.parent !== undefined && typeof className === 'string' && typeof id === 'number')
    await reachReference(ctx, ctx.registry.requireRecord(className, 'Object'), id, 'ObjectID');
  await assertSaveAllowed(ctx, plan);
}
