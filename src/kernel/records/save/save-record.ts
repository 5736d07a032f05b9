import { recordId, parentOf, type Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import { reachCacheOf } from '../../door/reach-cache.ts';
import { contradiction } from '../../parameters/identification.ts';
import type { Parameters } from '../../parameters/parameters.ts';
import type { Change } from '../../declare/reaction.ts';
import type { Collection, RecordType } from '../../declare/record.ts';
import { isA } from '../../declare/registry.ts';
import { valueNames, type Values } from '../../declare/values.ts';
import { fromOf, idOf } from '../../database/sql.ts';
import { readRecord } from '../search/read.ts';
import { applyRuleSets, commitOne } from './commit-change.ts';
import { concreteTypeOf, rowAsType } from './concrete-type.ts';
import { deleteRow } from './delete-row.ts';
import { addExternalId, findByExternalId } from './external-id.ts';
import { identifyRecord, type SaveMode } from './identify-record.ts';
import { insertOf } from './insert-row.ts';
import { warnMaskedNumbers } from './masked-number.ts';
import { nestedChildId } from './nested-child.ts';
import { parentValues, planOptions, planSave, type SavePlan } from './plan.ts';
import { resolveExternalIds, resolveParent, type KnownParent } from './resolve-references.ts';
import { runChecks } from './run-checks.ts';
import { updateOf } from './update-row.ts';

/**
 * A record as saved. `change` is `none` where an existing instance of a template was selected and nothing was sent to
 * change. `record` is the concrete type; `row` has the columns of the type that was saved.
 */
export interface SavedRecord<R extends RecordType = RecordType> {
  readonly record: RecordType;
  readonly row: Row<R>;
  readonly id: number;
  readonly change: Change | 'none';
}

/**
 * Saves a record as planned, in the call's transaction: first the records that it points to, then the record, then its
 * children. `known` is a parent that the caller has just saved.
 */
export async function saveRecord<R extends RecordType>(
  ctx: Context,
  plan: SavePlan<R>,
  mode: SaveMode,
  known?: KnownParent,
): Promise<SavedRecord<R>> {
  // The row has the columns of the type that the plan names.
  return await savePlanned(ctx, plan, mode, known);
}

async function savePlanned(
  ctx: Context,
  plan: SavePlan,
  mode: SaveMode,
  known: KnownParent | undefined,
): Promise<SavedRecord> {
  for (const name of plan.ignored)
    ctx.alert({ code: 'COMPUTED_FIELD', text: `${name} is computed by the platform; the value sent was ignored.` });
  await resolveExternalIds(ctx, plan);
  const target = await identifyRecord(ctx, plan, mode, await resolveParent(ctx, plan, known));
  if ('deletes' in target) return deleteCleared(ctx, plan.record, target.deletes);
  const saved = await saveOwnRow(ctx, plan, target.id, target.isSelected);
  warnMaskedNumbers(ctx, plan, saved.row);
  await saveCollections(ctx, plan, saved);
  for (const [, { record, raw }] of plan.parent) await saveParent(ctx, record, raw, saved);
  const isDecided = await applyRuleSets(ctx, saved.record, saved.change, saved.id);
  return (await runFeaturesAfter(ctx, plan, saved.id)) || isDecided
    ? { ...saved, row: await readRecord(ctx.db, plan.record, saved.id) }
    : saved;
}

/** Returns whether a feature may have changed the record. */
async function runFeaturesAfter(ctx: Context, plan: SavePlan, id: number): Promise<boolean> {
  let isChanged = false;
  for (const { after } of ctx.registry.saveFeatures(plan.record)) if (await after?.(ctx, plan, id)) isChanged = true;
  return isChanged;
}

/** Deletes the rows that a save cleared and returns the last as it was; change `none` where there were none. */
async function deleteCleared(ctx: Context, record: RecordType, ids: readonly number[]): Promise<SavedRecord> {
  let deleted: SavedRecord = { record, row: {}, id: 0, change: 'none' };
  for (const id of ids) deleted = { record, row: await deleteRow(ctx, record, id), id, change: 'delete' };
  return deleted;
}

async function saveOwnRow(
  ctx: Context,
  plan: SavePlan,
  id: number | undefined,
  isSelected: boolean,
): Promise<SavedRecord> {
  const record = id === undefined ? plan.record : await concreteTypeOf(ctx, plan.record, id);
  // A derived type that declares no parent, such as an organization, has none, although its base has.
  if (record.parent === undefined && record.root.parent !== undefined) omitParent(plan);
  await saveLinks(ctx, plan, id);
  for (const feature of ctx.registry.saveFeatures(record)) await feature.before?.(ctx, plan, id);
  await runChecks(ctx, record, { values: plan.values, id, plan });
  return id === undefined ? insertOwnRow(ctx, plan) : updateOwnRow(ctx, record, { plan, id, isSelected });
}

function omitParent(plan: SavePlan): void {
  const values = parentValues(plan);
  delete values.Object;
  delete values.ObjectID;
}

async function insertOwnRow(ctx: Context, { record, values, subscriberId }: SavePlan): Promise<SavedRecord> {
  const { row, current } = await commitOne(ctx, {
    ...insertOf(ctx, record, values),
    defersRuleSets: true,
    writeIdentities: async (ids) => {
      for (const id of ids) if (subscriberId !== undefined) await addExternalId(ctx, record, id, subscriberId);
    },
  });
  const id = recordId(record, row);
  return { record, row: current ?? (await readRecord(ctx.db, record, id)), id, change: 'insert' };
}

async function updateOwnRow(
  ctx: Context,
  record: RecordType,
  { plan, id, isSelected }: { readonly plan: SavePlan; readonly id: number; readonly isSelected: boolean },
): Promise<SavedRecord> {
  const sent = new Set(valueNames(plan.values));
  // Part of finding the record, not of changing it: the external ID is bound also where no column changes.
  await bindExternalId(ctx, record, id, plan);
  const values = isSelected ? withoutInstanceKeys(plan) : plan.values;
  if (valueNames(values).length === 0 && plan.version === undefined) {
    const row = await readRecord(ctx.db, plan.record, id);
    reachCacheOf(ctx)?.grant(record, id);
    return { record, row, id, change: 'none' };
  }
  const update = await updateOf(ctx, record, { id, version: plan.version, values });
  const { row } = await commitOne(ctx, { ...update, defersRuleSets: true, sent: () => sent });
  return { record, row: rowAsType(row, record, plan.record), id, change: 'update' };
}

/** Returns the values without those by which an instance of a template was selected: it has them already. */
function withoutInstanceKeys({ record, values }: SavePlan): Values {
  const keys = new Set(['Object', 'ObjectID', `${record.template}ID`]);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !keys.has(name)));
}

/**
 * Gives an existing record the external ID that it was sent with. Throws BAD_PARAMETER where it belongs to another
 * record than the one whose ID was sent, DUPLICATE_KEY where the record was found otherwise.
 */
async function bindExternalId(ctx: Context, record: RecordType, id: number, plan: SavePlan): Promise<void> {
  const { subscriberId } = plan;
  if (subscriberId === undefined) return;
  const bound = await findByExternalId(ctx, record, subscriberId);
  if (bound === undefined) await addExternalId(ctx, record, id, subscriberId);
  else if (bound !== id && plan.id === id) throw contradiction('ID', 'SubscriberID');
  else if (bound !== id)
    throw new PlatformError('DUPLICATE_KEY', {
      field: 'SubscriberID',
      message: `SubscriberID: another ${record.name} has this identifier.`,
    });
}

/** Saves the records that foreign keys point to: an existing one is updated, a missing one inserted. */
async function saveLinks(ctx: Context, plan: SavePlan, id: number | undefined): Promise<void> {
  for (const [name, link] of plan.links) {
    const column = plan.record.valueColumns.get(name);
    if (!column) continue;
    const sent = plan.values[name];
    if (link.id === undefined && typeof sent === 'number') link.id = sent;
    if (link.id === undefined && id !== undefined) {
      const [row] = await ctx.db.query<{ id: number | null }>(
        `select ${column.table}.${column.column} as id from ${fromOf(plan.record)}
         where ${idOf(plan.record)} = $1::bigint`,
        [id],
      );
      if (typeof row?.id === 'number') link.id = row.id;
    }
    const saved = await saveRecord(ctx, link, 'save');
    plan.values[name] = saved.id;
  }
}

async function saveCollections(ctx: Context, plan: SavePlan, saved: SavedRecord): Promise<void> {
  const parent: KnownParent = { record: saved.record, id: saved.id };
  for (const [, { collection, items }] of plan.collections)
    for (const child of items) await saveChild(ctx, collection, child, parent);
}

async function saveChild(ctx: Context, collection: Collection, child: SavePlan, parent: KnownParent): Promise<void> {
  const isByObject = collection.by === 'Object';
  if (!isByObject) child.values[collection.by] = parent.id;
  const id = await nestedChildId(ctx, { collection, plan: child, parent });
  if (id !== undefined) child.id = id;
  await saveRecord(ctx, child, 'save', isByObject ? parent : undefined);
}

/** Updates the parent with the columns that were sent for it: `Process_Status` on the save of a child. */
async function saveParent(ctx: Context, named: RecordType, raw: Parameters, saved: SavedRecord): Promise<void> {
  const above = parentOf(saved.row);
  const parent = above && ctx.registry.record(above.className);
  if (!parent || !isA(parent, named))
    throw new PlatformError('BAD_PARAMETER', {
      field: `${named.name}_${Object.keys(raw)[0] ?? ''}`,
      message: `${named.name}_: the record's parent is not of the type ${named.name}.`,
    });
  const plan = planSave(ctx.registry, parent, raw, planOptions(ctx));
  plan.id = above.id;
  await saveRecord(ctx, plan, 'update');
}
