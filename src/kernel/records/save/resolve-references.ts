import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import { reachCacheOf } from '../../door/reach-cache.ts';
import { contradiction } from '../../parameters/identification.ts';
import type { RecordType } from '../../declare/record.ts';
import { fromOf, idOf } from '../../database/sql.ts';
import { concreteClass, isClosed, notFound, assertReachable } from '../search/read.ts';
import { requireByExternalId } from './external-id.ts';
import { parentValues, type ParentValues, type SavePlan } from './plan.ts';
import { findTemplate, templateById, type Template } from './template.ts';

/** A parent that exists and that the caller can reach. */
export interface KnownParent {
  readonly record: RecordType;
  readonly id: number;
}

/**
 * Throws unless a save that runs later, in a call of its own, can find what it refers to: the record, its parent, the
 * external IDs and the template. Changes no row; the save checks all of it again.
 */
export async function assertSaveResolvable(ctx: Context, plan: SavePlan): Promise<void> {
  await resolveExternalIds(ctx, plan);
  const parent = await resolveParent(ctx, plan, undefined);
  await resolveTemplate(ctx, plan, parent?.record.name);
  if (plan.id !== undefined) await assertReachable(ctx, plan.record, [plan.id]);
}

/**
 * Puts the ids of the records that external IDs name into the plan's foreign keys. Throws NOT_FOUND for an unknown one,
 * BAD_PARAMETER for one that names another record than the id that was sent.
 */
export async function resolveExternalIds(ctx: Context, plan: SavePlan): Promise<void> {
  for (const [key, subscriberId] of plan.subscribers) {
    // `ObjectSubscriberID` needs the record type in `Object`; a foreign key declares its own.
    const classKey = key.slice(0, -'ID'.length);
    const field = `${classKey}SubscriberID`;
    const className = plan.record.valueColumns.get(key)?.field.to ?? plan.values[classKey];
    const classField = plan.record.valueColumns.has(classKey) ? classKey : 'Object';
    if (typeof className !== 'string')
      throw new PlatformError('MISSING_PARAMETER', {
        field: classField,
        message: `${classField} is required with ${field}: the record type that the external ID belongs to.`,
      });
    const target = ctx.registry.requireRecord(className, classField);
    const id = await requireByExternalId(ctx, target, subscriberId, field);
    const sent = plan.values[key];
    if (typeof sent === 'number' && sent !== id) throw contradiction(key, field);
    plan.values[key] = id;
  }
}

/**
 * Returns the parent named by Object and ObjectID, and puts its concrete type into the plan. Undefined where the record
 * has no parent. A parent that the caller has just saved is passed as `known` and not looked up again.
 *
 * @throws MISSING_PARAMETER for one of the two columns without the other, NOT_FOUND for a parent that is not visible
 */
export async function resolveParent(
  ctx: Context,
  plan: SavePlan,
  known: KnownParent | undefined,
): Promise<KnownParent | undefined> {
  if (plan.record.parent === undefined) return undefined;
  const values = parentValues(plan);
  if (known) {
    values.Object = known.record.name;
    values.ObjectID = known.id;
    return known;
  }
  const sent = sentParent(values);
  if (!sent) return undefined;
  const { className, id } = sent;
  const named = ctx.registry.requireRecord(className, 'Object');
  const record = ctx.reach.has(named, id) ? named : await reachParent(ctx, named, id);
  values.Object = record.name;
  return { record, id };
}

/** Returns Object and ObjectID as they were sent; undefined where neither was, or both were sent empty. */
function sentParent(values: ParentValues): { readonly className: string; readonly id: number } | undefined {
  const { Object: className, ObjectID: id } = values;
  if ((className === undefined && id === undefined) || (className === null && id === null)) return undefined;
  if (typeof className !== 'string')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Object',
      message: 'Object is required with ObjectID: the record type of the parent.',
    });
  if (typeof id !== 'number')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ObjectID',
      message: 'ObjectID is required with Object: the id of the parent.',
    });
  return { className, id };
}

/** Returns the concrete type of a parent. Throws NOT_FOUND unless it is visible. */
async function reachParent(ctx: Context, named: RecordType, id: number): Promise<RecordType> {
  const record = await concreteClass(ctx, ctx.db, named, id);
  // Reading the concrete type of a record has already shown that it is visible.
  if (record === named) {
    const rows = isClosed(ctx, record)
      ? []
      : await ctx.db.query(`select 1 from ${fromOf(record)} where ${idOf(record)} = $1::bigint`, [id]);
    if (rows.length === 0) throw notFound(record, id, 'ObjectID');
  }
  reachCacheOf(ctx)?.grant(record, id);
  return record;
}

/** Returns the template that a save names by name or id, and puts its id into the plan. */
export async function resolveTemplate(
  ctx: Context,
  plan: SavePlan,
  parentClass: string | undefined,
): Promise<Template | undefined> {
  if (plan.record.template === undefined) return undefined;
  const templateType = ctx.registry.record(plan.record.template);
  // The module of the template type is not installed: the id is stored as it was sent.
  if (!templateType) return undefined;
  const key = `${plan.record.template}ID`;
  if (plan.templateName !== undefined) {
    const template = await findTemplate(ctx, templateType, {
      name: plan.templateName,
      parentClass,
      field: 'Template',
    });
    plan.values[key] = template.id;
    return template;
  }
  const id = plan.values[key];
  return typeof id === 'number' ? templateById(ctx, templateType, id, key) : undefined;
}
