import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import { marks } from '../../door/scratch.ts';
import type { RecordType } from '../../declare/record.ts';
import { lockInstance, lockName } from '../../database/advisory-lock.ts';
import type { IdentifiedRecords } from '../../declare/save-feature.ts';
import { fromOf, idOf } from '../../database/sql.ts';
import { notFound } from '../search/read.ts';
import { externalIdView, findByExternalId } from './external-id.ts';
import { activeCondition } from './final-status.ts';
import { assertOnlyInstance } from './moved-instance.ts';
import type { SavePlan } from './plan.ts';
import { resolveTemplate, type KnownParent } from './resolve-references.ts';
import type { Template } from './template.ts';

/** Instances of templates that the transaction has saved: table, template and parent. */
const savedInstances = marks<string>('instances of templates saved');

/** What a save may do. `save` inserts or updates, depending on whether the record exists. */
export type SaveMode = 'save' | 'insert' | 'update';

/** What a save does to which stored row. */
export type SaveTarget =
  /** The save clears records that a feature found: these rows are deleted. */
  | { readonly deletes: readonly number[] }
  | {
      /** The row to update; undefined for an insert. */
      readonly id: number | undefined;
      /** Whether the row is an existing instance of the template, so that parent and template need not be written. */
      readonly isSelected: boolean;
    };

/**
 * Finds the row that a save changes: by its id or external ID, by a feature, or as the existing instance of its
 * template, in this order. A new instance takes its label from the template where the record type says so.
 *
 * @throws DUPLICATE_KEY where an insert names an existing record; MISSING_PARAMETER, NOT_FOUND where an update names
 * none
 */
export async function identifyRecord(
  ctx: Context,
  plan: SavePlan,
  mode: SaveMode,
  parent: KnownParent | undefined,
): Promise<SaveTarget> {
  const { record } = plan;
  const sentId = await idBySentIdentity(ctx, plan, mode);
  const found = await identifyByFeature(ctx, plan, sentId);
  if (found?.isCleared) return { deletes: found.ids };
  const known = sentId ?? found?.ids[0];
  if (mode === 'insert' && found && known !== undefined) throw existsAlready(record, found.field, known);
  const template = await resolveTemplate(ctx, plan, parent?.record.name);
  if (known !== undefined) await assertOnlyInstance(ctx, plan, known, parent);
  if (known !== undefined || !template) return { id: known, isSelected: false };
  const instance = await existingInstance(ctx, plan, template, parent);
  if (instance === undefined) labelFromTemplate(plan, template);
  const isSelected = instance !== undefined && plan.subscriberId === undefined && found === undefined;
  return { id: instance, isSelected };
}

/** Returns the records that the first feature finds which looks for any. */
async function identifyByFeature(
  ctx: Context,
  plan: SavePlan,
  sentId: number | undefined,
): Promise<IdentifiedRecords | undefined> {
  for (const feature of ctx.registry.saveFeatures(plan.record)) {
    const found = await feature.identify?.(ctx, plan, sentId);
    if (found) return found;
  }
  return undefined;
}

function labelFromTemplate({ record, values }: SavePlan, template: Template): void {
  const { name } = record.root;
  if (record.labelFromTemplate && values[name] === undefined) values[name] = template.name;
}

/** Returns the id that was sent or that the external ID names; refuses the identities that the mode does not allow. */
async function idBySentIdentity(ctx: Context, plan: SavePlan, mode: SaveMode): Promise<number | undefined> {
  const { record, subscriberId } = plan;
  const id =
    plan.id ?? (subscriberId === undefined ? undefined : await findOrLockExternalId(ctx, record, subscriberId));
  if (mode === 'update' && id === undefined)
    throw subscriberId === undefined ? missingIdentity(record) : notFound(record, subscriberId);
  if (mode === 'insert' && id !== undefined)
    throw new PlatformError('DUPLICATE_KEY', {
      field: plan.id === undefined ? 'SubscriberID' : 'ID',
      message: `${record.name} ${id} already exists; insert only creates new records.`,
    });
  return id;
}

function missingIdentity(record: RecordType): PlatformError {
  return new PlatformError('MISSING_PARAMETER', {
    field: 'ID',
    message: `ID: an update needs the ID or the SubscriberID of an existing ${record.name}.`,
  });
}

function existsAlready(record: RecordType, field: string, id: number): PlatformError {
  return new PlatformError('DUPLICATE_KEY', {
    field,
    message: `${field}: ${record.name} ${id} already has this value; insert only creates new records.`,
    details: { Object: record.name, ObjectID: id },
  });
}

/**
 * Finds a record by external ID. Of two calls that bring the same new one, the second waits and finds the first's
 * record.
 */
async function findOrLockExternalId(
  ctx: Context,
  record: RecordType,
  subscriberId: string,
): Promise<number | undefined> {
  const found = await findByExternalId(ctx, record, subscriberId);
  if (found !== undefined) return found;
  await lockName(ctx, `subscriber ${record.root.table} ${externalIdView(ctx)} ${subscriberId}`);
  return findByExternalId(ctx, record, subscriberId);
}

/**
 * Returns the instance of the template that a parent already has and that is used again: with Repeatable One always,
 * with OneActive while it is not final.
 */
async function existingInstance(
  ctx: Context,
  { record, values }: SavePlan,
  template: Template,
  parent: KnownParent | undefined,
): Promise<number | undefined> {
  const repeatable = (template.repeatable ?? 'Many').toLowerCase();
  if (repeatable === 'many' || !parent) return undefined;
  // No other transaction sees a parent that this one has inserted: the first instance needs no query and no lock.
  const { instanceKey } = record;
  const sent = instanceKey === undefined ? null : values[instanceKey];
  const owner = typeof sent === 'number' ? sent : null;
  const key = `${record.root.table} ${template.id} ${parent.record.name}:${parent.id} ${owner ?? ''}`;
  if (ctx.scratch(savedInstances).add(key) && ctx.reach.hasCreated(parent.record, parent.id)) return undefined;
  const { table } = record.root;
  await lockInstance(ctx, table, template.id, { object: parent.record.name, id: parent.id });
  const active = repeatable === 'oneactive' ? ` and ${activeCondition(record)}` : '';
  const templateKey = `${String(record.template).toLowerCase()}id`;
  const own =
    instanceKey === undefined ? '' : ` and ${table}.${instanceKey.toLowerCase()} is not distinct from $4::bigint`;
  const [row] = await ctx.db.query<{ id: number }>(
    `select ${idOf(record)} as id from ${fromOf(record)}
     where ${table}.object = $1::text and ${table}.objectid = $2::bigint
       and ${table}.${templateKey} = $3::bigint${active}${own}
     order by 1 desc limit 1`,
    [parent.record.name, parent.id, template.id, ...(instanceKey === undefined ? [] : [owner])],
  );
  return row?.id;
}
