import type { Context } from '../../../../kernel/door/context.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { didYouMean, PlatformError } from '../../../../kernel/door/errors.ts';
import { parameter, type Parameters } from '../../../../kernel/parameters/parameters.ts';
import type { RawValue } from '../../../../kernel/parameters/parse-value.ts';
import { assertBelowParent, existingRecordId } from '../../../../kernel/records/save/parent-scope.ts';
import { planOptions, planSave, type SavePlan } from '../../../../kernel/records/save/plan.ts';
import { concreteClass, readRecord } from '../../../../kernel/records/search/read.ts';
import { assertSaveAllowed } from '../../../../kernel/records/save/save-authorization.ts';
import { findTemplate } from '../../../../kernel/records/save/template.ts';
import { lockRecord } from '../../../../kernel/records/save/lock-record.ts';
import { saveRecord, type SavedRecord } from '../../../../kernel/records/save/save-record.ts';
import type { SaveMode } from '../../../../kernel/records/save/identify-record.ts';
import type { score } from '../score.record.ts';
import { withConfidence } from './calculate-score.ts';
import { assertApplies, requireDefinition, type ScoreDefinition } from './score-definition.ts';
import { confidenceAfter, readItems, writeItems, type ItemChange, type StoredItem } from './score-items.ts';
import { itemBindings, CONFIDENCE, type ItemBinding } from './item-names.ts';
import { parseConfidence, parseScoreValue } from './score-value.ts';

/**
 * The submitted values of a save: items, columns and the parent. On the route of a parent, an existing score must
 * belong to that parent and keeps it.
 */
export async function parametersWithParent(
  ctx: Context,
  { Object: className, ObjectID: id }: { readonly Object?: string | null; readonly ObjectID?: number | null },
  rest: Parameters,
): Promise<Parameters> {
  const saved = ctx.parent ? await existingRecordId(ctx, ctx.record, rest) : undefined;
  if (saved === undefined)
    return {
      ...rest,
      ...(className === undefined ? {} : { Object: className }),
      ...(id === undefined ? {} : { ObjectID: id }),
    };
  await assertBelowParent(ctx, ctx.record, saved);
  return rest;
}

/** A save of a score, parsed from its parameters. */
interface ScorePlan {
  readonly definition: ScoreDefinition | undefined;
  /** The changes of items, by the ID of the template's item. */
  readonly changes: ReadonlyMap<number, ItemChange>;
  readonly plan: SavePlan<typeof score>;
}

/**
 * Throws for parameters that no save of a score takes. A queued save may name a score that an earlier one creates: then
 * its template, whose items name parameters, is not known yet.
 */
export async function checkScoreParameters(ctx: Context, parameters: Parameters): Promise<void> {
  const external = parameter(parameters, 'SubscriberID') ?? parameter(parameters, 'ScoreSubscriberID') ?? '';
  const definition = await definitionToSave(ctx, parameters);
  if (definition || external === '') planScore(ctx, parameters, definition);
}

/**
 * Saves a score from flat parameters. A parameter with the safe name of a template's item sets that item, which is
 * created if missing; the others are columns as in any save.
 */
export async function saveScoreParameters(
  ctx: Context<typeof score>,
  parameters: Parameters,
  mode: SaveMode,
): Promise<SavedRecord<typeof score>> {
  const { definition, changes, plan } = planScore(ctx, parameters, await definitionToSave(ctx, parameters));
  await assertSaveAllowed(ctx, plan);
  const saved = await saveRecord(ctx, plan, mode);
  if (!definition || changes.size === 0) return saved;
  // Submitted columns have locked the score already; items alone have not.
  if (saved.change === 'none') await lockRecord(ctx, ctx.record, saved.id);
  const before = saved.change === 'insert' ? new Map<number, StoredItem>() : await readItems(ctx, definition, saved.id);
  await writeItems(ctx, { definition, scoreId: saved.id }, before, changes);
  const row =
    plan.values.Confidence !== undefined
      ? saved.row
      : await withConfidence(ctx, saved, confidenceAfter(definition, before, changes));
  return { ...saved, row };
}

function planScore(ctx: Context, parameters: Parameters, definition: ScoreDefinition | undefined): ScorePlan {
  const bound = definition ? itemBindings(definition.items) : new Map<string, ItemBinding>();
  const columns: Record<string, RawValue> = Object.create(null) as Record<string, RawValue>;
  const changes = new Map<number, ItemChange>();
  for (const name in parameters) {
    const raw = parameters[name] ?? null;
    const item = bound.get(name.toLowerCase());
    if (!item) columns[name] = raw;
    else changes.set(item.item.id, { ...changes.get(item.item.id), ...parseItemChange(ctx, item, raw) });
  }
  return { definition, changes, plan: planColumns(ctx, columns, definition) };
}

/** Most items that an error message lists. */
const ITEMS_NAMED_MAX = 50;

/** Plans the columns. An unknown name is most often meant as an item, so the error lists the items of the scorecard. */
function planColumns(
  ctx: Context,
  columns: Parameters,
  definition: ScoreDefinition | undefined,
): SavePlan<typeof score> {
  try {
    return planSave(ctx.registry, ctx.registry.recordType('Score'), columns, planOptions(ctx));
  } catch (error) {
    if (
      !definition ||
      !(error instanceof PlatformError) ||
      error.code !== 'UNKNOWN_PARAMETER' ||
      error.field === undefined
    )
      throw error;
    const items = definition.items.map((item) => item.safeName);
    const known = [...items, ...ctx.record.shown.map(({ name }) => name)];
    const more = items.length > ITEMS_NAMED_MAX ? ` and ${items.length - ITEMS_NAMED_MAX} more` : '';
    const named =
      items.length === 0 ? 'It has no items' : `Items: ${items.slice(0, ITEMS_NAMED_MAX).join(', ')}${more}`;
    throw new PlatformError('UNKNOWN_PARAMETER', {
      field: error.field,
      message:
        `${error.field}: ${definition.name} has no item and a score has no column with this name.` +
        `${didYouMean(error.field, known)} ${named}.`,
      cause: error,
    });
  }
}

function parseItemChange(ctx: Context, { item, part }: ItemBinding, raw: RawValue): ItemChange {
  if (part === 'confidence') return { confidence: parseConfidence(raw, `${item.safeName}${CONFIDENCE}`) };
  // A masked value may be sent back as it was shown; the item's check handles that.
  if (item.mask !== null && typeof raw === 'string') return { value: raw === '' ? null : raw };
  return { value: parseScoreValue(item, raw, ctx.settings.get(timeZone)) };
}

/** Returns the template of a save: the one that it names, otherwise that of the score that it changes. */
async function definitionToSave(ctx: Context, parameters: Parameters): Promise<ScoreDefinition | undefined> {
  const id = Number(parameter(parameters, 'ScoreTemplateID') ?? parameter(parameters, 'TemplateID') ?? 0);
  if (Number.isSafeInteger(id) && id > 0) {
    const definition = await requireDefinition(ctx, id);
    const scored = await parentClass(ctx, parameters);
    if (scored !== undefined) assertApplies(ctx, definition, scored);
    return definition;
  }
  const name = parameter(parameters, 'Template') ?? parameter(parameters, 'ScoreTemplate');
  if (typeof name === 'string' && name !== '') {
    const templates = ctx.registry.recordType('ScoreTemplate');
    return requireDefinition(
      ctx,
      (await findTemplate(ctx, templates, { name, parentClass: await parentClass(ctx, parameters), field: 'Template' }))
        .id,
    );
  }
  const scores = ctx.registry.recordType('Score');
  const saved = await existingRecordId(ctx, scores, parameters);
  const template = saved === undefined ? null : (await readRecord(ctx.db, scores, saved)).ScoreTemplateID;
  return typeof template === 'number' ? requireDefinition(ctx, template) : undefined;
}

/** Returns the class of the submitted parent, which selects the template. The save itself rejects an unknown class. */
async function parentClass(ctx: Context, parameters: Parameters): Promise<string | undefined> {
  const [className, id] = [parameter(parameters, 'Object'), Number(parameter(parameters, 'ObjectID') ?? 0)];
  if (typeof className !== 'string' || className === '') return undefined;
  const record = ctx.registry.requireRecord(className, 'Object');
  return Number.isSafeInteger(id) && id > 0 ? (await concreteClass(ctx, ctx.db, record, id)).name : record.name;
}
