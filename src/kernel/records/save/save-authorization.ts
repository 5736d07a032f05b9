import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import { firmOf } from '../../security/identity.ts';
import type { Operation } from '../../declare/operation.ts';
import type { ParsedCall } from '../../parameters/parse-parameters.ts';
import type { RecordType } from '../../declare/record.ts';
import { planOptions, planSave, type SavePlan } from './plan.ts';
import { existingRecordId } from './parent-scope.ts';
import { reachAll } from '../search/read.ts';
import { assertCanApplyRuleSet } from './rule-set.ts';
import { requireByExternalId } from './external-id.ts';
import type { Parameters } from '../../parameters/parameters.ts';

/**
 * Checks what a caller asks to be saved before anything is: the records that it saves along the way need a permission of
 * their own, and the records that a firm's user names must be within reach. The database's own check of a foreign key sees
 * every row, and would tell a foreign id from one that does not exist. Calls from code run on the authority of the door.
 */
export async function assertSaveAllowed(ctx: Context, plan: SavePlan): Promise<void> {
  if (ctx.authority !== 'checked') return;
  for (const each of [plan, ...nestedPlans(plan)]) if (each.ruleSet) assertCanApplyRuleSet(ctx, each.record);
  for (const nested of nestedPlans(plan)) assertCanSaveNested(ctx, nested.record, nested.id !== undefined);
  for (const [, { record }] of plan.parent) assertCanSaveNested(ctx, record, true);
  if (firmOf(ctx.user) !== null) await assertReferencesReachable(ctx, plan);
}

function nestedPlans(plan: SavePlan): SavePlan[] {
  const own = [...plan.links.values(), ...[...plan.collections.values()].flatMap(({ items }) => items)];
  return own.flatMap((nested) => [nested, ...nestedPlans(nested)]);
}

function assertCanSaveNested(ctx: Context, record: RecordType, exists: boolean): void {
  const names = ['save', exists ? 'update' : 'insert'].flatMap(
    (path) => ctx.registry.find(record.module, path)?.operation.permissionName ?? [],
  );
  const open = ctx.user.universal || record.reach === 'one' || record.reach === 'many';
  if (open && names.some((name) => ctx.user.permissions.has(name))) return;
  throw new PlatformError('NO_PERMISSION', {
    message: `The permission ${names[0] ?? `${record.name}Save`} is not granted to you; it is needed for the ${record.name} that is saved with the record.`,
  });
}

/** Throws NOT_FOUND unless a save's foreign keys, and the children and linked records that it names by id, are within reach. */
export async function assertReferencesReachable(ctx: Context, plan: SavePlan): Promise<void> {
  for (const of of [plan, ...nestedPlans(plan)]) {
    if (of !== plan && of.id !== undefined) await reachReference(ctx, of.record, of.id, of.record.idField);
    for (const [name, value] of of.values) {
      const column = of.record.columns.get(name);
      const target =
        column?.field.to === undefined || typeof value !== 'number' ? undefined : ctx.registry.record(column.field.to);
      if (column && target && target.reach !== 'configuration')
        await reachReference(ctx, target, value as number, column.name);
    }
  }
}

/** Throws NOT_FOUND, naming the parameter, unless the id is a record within reach. */
async function reachReference(ctx: Context, record: RecordType, id: number, field: string): Promise<void> {
  try {
    await reachAll(ctx, record, [id]);
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'NOT_FOUND')
      throw new PlatformError('NOT_FOUND', {
        field,
        message: `${field}: there is no ${record.name} ${id} within reach.`,
      });
    throw error;
  }
}

/**
 * A caller learns at once, not from the queue, that the records saved along the way need a permission of their own, and a firm's
 * user that a record is out of reach; and nothing is queued for it. All of it is checked again when the call runs.
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
  if (ctx.parent) await reachAll(ctx, ctx.parent.record, [ctx.parent.id]);
  for (const { param, record, subscriberId } of parsed.externalIds)
    await requireByExternalId(ctx, ctx.registry.requireRecord(record, param), subscriberId, param);
  for (const [name, field] of Object.entries(operation.params)) {
    const value = parsed.params[name];
    const target =
      name === 'ID' || name === operation.names
        ? operation.record
        : field.to === undefined
          ? undefined
          : ctx.registry.record(field.to);
    const ids =
      field.kind === 'id' ? [value] : field.kind === 'idList' && Array.isArray(value) ? (value as unknown[]) : [];
    const sent = ids.filter((id) => typeof id === 'number');
    if (target && sent.length > 0) await reachAll(ctx, target, sent);
  }
  await assertParentReachable(ctx, operation, parsed);
  if (plan) await assertPlanReachable(ctx, plan, operation.name === 'Update');
}

/** The parent that declared parameters name by class and id; and the record that a save with names of its own changes. */
async function assertParentReachable(
  ctx: Context,
  { params, record, free, effect, origin }: Operation,
  parsed: ParsedCall,
): Promise<void> {
  const { Object: className, ObjectID: id } = parsed.params;
  if (params['Object'] && params['ObjectID'] && typeof className === 'string' && typeof id === 'number')
    await reachReference(ctx, ctx.registry.requireRecord(className, 'Object'), id, 'ObjectID');
  if (free !== 'any' || effect !== 'write' || origin !== 'built-in' || !record) return;
  const sent = await existingRecordId(ctx, record, parsed.rest);
  if (sent !== undefined) await reachAll(ctx, record, [sent]);
}

async function assertPlanReachable(ctx: Context, plan: SavePlan, isUpdate: boolean): Promise<void> {
  if (plan.id !== undefined) await reachAll(ctx, plan.record, [plan.id]);
  if (isUpdate && plan.id === undefined && plan.subscriberId !== undefined)
    await requireByExternalId(ctx, plan.record, plan.subscriberId, 'SubscriberID');
  const [className, id] = [plan.values.get('object'), plan.values.get('objectid')];
  if (plan.record.parent !== undefined && typeof className === 'string' && typeof id === 'number')
    await reachReference(ctx, ctx.registry.requireRecord(className, 'Object'), id, 'ObjectID');
  await assertSaveAllowed(ctx, plan);
}
