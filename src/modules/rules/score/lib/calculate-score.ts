import type { EngineItem, ScoreData, ScoreValues } from '../../../../contracts/score-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { sandboxScope } from '../../../../kernel/security/identity.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import type { RawValue } from '../../../../kernel/parameters/parse-value.ts';
import { planOptions, planSave, type SavePlan } from '../../../../kernel/records/save/plan.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import { assertSaveAllowed } from '../../../../kernel/records/save/save-authorization.ts';
import { activeCondition } from '../../../../kernel/records/save/final-status.ts';
import { saveRecord, type SavedRecord } from '../../../../kernel/records/save/save-record.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { requireDefinition, type ScoreDefinition } from './score-definition.ts';
import { runEngine } from './run-engine.ts';
import { readInput, type ScoreRequest } from './score-input.ts';
import { confidenceAfter, readItems, writeItems, type ItemChange, type StoredItem } from './score-items.ts';
import { itemBindings, CONFIDENCE } from './item-names.ts';
import { saveWithRender } from './render.ts';
import type { score, Score } from '../score.record.ts';
import { shownValue } from './sealed-value.ts';
import { columnOf, parseConfidence, parseScoreValue } from './score-value.ts';

/** Most levels of nested scores: an item's score is calculated before the item. */
const NESTED_SCORES_MAX = 10;

/** The score to calculate: an existing one, or one that a template creates on a record. */
export interface ScoreTarget {
  readonly definition: ScoreDefinition;
  /** The row of an existing score. */
  readonly row?: Score;
  /** Object and ObjectID as sent, for a score to be created or found. */
  readonly parent: Parameters;
}

/** Returns the target for a score's id. @throws NOT_FOUND; STATE_REFUSES if it has no template */
export async function requireTarget(ctx: Context, id: number): Promise<ScoreTarget> {
  return targetOf(ctx, await readRecord(ctx.db, scoreRecord(ctx), id));
}

/** Returns the target of a stored score. @throws STATE_REFUSES if it has no template */
export async function targetOf(ctx: Context, row: Score): Promise<ScoreTarget> {
  const template = row.ScoreTemplateID;
  if (template === null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `ID: score ${row.ScoreID} has no template, so it cannot be calculated.`,
    });
  return { definition: await requireDefinition(ctx, template), row, parent: {} };
}

/**
 * Calculates and saves a score: nested scores first, then its input, the values found by XPath, and its engine. Locks
 * and writes nothing of the score itself before the engine has finished, so a failing engine leaves it unchanged.
 */
export async function calculateScore(
  ctx: Context,
  target: ScoreTarget,
  request: ScoreRequest,
  depth = 1,
): Promise<Score> {
  if (depth > NESTED_SCORES_MAX)
    throw new PlatformError('CHAIN_TOO_DEEP', {
      message: `Scores can be nested at most ${NESTED_SCORES_MAX} deep.`,
    });
  const { definition, row } = target;
  const engine = engineOf(definition);
  const known = row ?? (await reusableRow(ctx, target));
  const stored = known ? await readItems(ctx, definition, known.ScoreID) : new Map<number, StoredItem>();
  const changes = await nestedValues(ctx, stored, request, depth);
  const shown = new Map(
    [...stored.values()].map(({ item, stored: values }): [string, RawValue] => [
      item.safeName.toLowerCase(),
      shownValue(item, values),
    ]),
  );
  const data = await readInput(ctx, {
    definition,
    score: known ?? { ...target.parent, ScoreTemplateID: definition.id },
    items: shown,
    request,
  });
  await readXPathValues(ctx, definition, data, changes);
  const found = await runEngine(engine, data, {
    template: definition.name,
    valueType: definition.valueType,
    parameters: definition.parameters,
    renderId: definition.renderId,
    items: engineItems(definition, stored, changes),
    ctx,
  });
  const values = found.kind === 'values' ? parseResults(ctx, definition, found, changes) : {};
  if (found.kind === 'values' && found.render !== undefined)
    return saveWithRender(ctx, found.render, () => saveScore(ctx, target, values, { stored, changes }));
  const saved = await saveScore(ctx, target, values, { stored, changes });
  if (found.kind === 'later')
    await ctx.enqueue({ route: found.route, parameters: { ...found.parameters, ScoreID: saved.ScoreID } });
  return saved;
}

/** Returns the engine of a scorecard. @throws STATE_REFUSES if its scores are entered by hand */
export function engineOf({ engine, name }: ScoreDefinition): string {
  if (engine !== null) return engine;
  throw new PlatformError('STATE_REFUSES', {
    field: 'ScoreEngine',
    message: `ScoreEngine: ${name} has none; its scores are entered by hand, not calculated.`,
  });
}

function scoreRecord(ctx: Context): typeof score {
  return ctx.registry.recordType('Score');
}

/** Returns the score that the template will reuse, with its stored values: substitution and engines read them. */
export async function reusableRow(
  ctx: Context,
  { definition, parent: place }: ScoreTarget,
): Promise<Score | undefined> {
  const [className, id] = [place['Object'], place['ObjectID']];
  if (typeof className !== 'string' || typeof id !== 'number') return undefined;
  const record = scoreRecord(ctx);
  const family = ctx.registry.family(ctx.registry.requireRecord(className, 'Object')).map(({ name }) => name);
  const [found] = await ctx.db.query<{ id: number }>(
    `select score.scoreid as id from score join scoretemplate using (scoretemplateid)
      where score.objectid = $1::bigint and score.object = any($2::text[]) and scoretemplateid = $3::bigint
      and (scoretemplate.repeatable = 'One' or (scoretemplate.repeatable = 'OneActive'
      and ${activeCondition(record)})) order by 1 desc limit 1`,
    [id, arrayLiteral(family), definition.id],
  );
  return found && readRecord(ctx.db, record, found.id);
}

/** Calculates nested scores. Their values and confidences become those of their items. */
async function nestedValues(
  ctx: Context,
  stored: ReadonlyMap<number, StoredItem>,
  request: ScoreRequest,
  depth: number,
): Promise<Map<number, ItemChange>> {
  const changes = new Map<number, ItemChange>();
  for (const { item, childScoreId } of stored.values()) {
    if (childScoreId === null) continue;
    const child = await requireTarget(ctx, childScoreId);
    const row: Partial<Score> =
      child.definition.engine === null ? (child.row ?? {}) : await calculateScore(ctx, child, request, depth + 1);
    const type = child.definition.valueType;
    const value = type === undefined ? null : (row[columnOf[type]] ?? null);
    changes.set(item.id, {
      value: parseScoreValue(item, value, ctx.settings.get(timeZone)),
      confidence: row.Confidence ?? null,
    });
  }
  return changes;
}

/** Returns the values of items with an XPath, from the input. An item that is not found keeps its value. */
export async function readXPathValues(
  ctx: Context,
  definition: ScoreDefinition,
  data: ScoreData,
  changes: Map<number, ItemChange>,
): Promise<void> {
  const sought = definition.items.filter((item) => item.xpath !== null && !changes.has(item.id));
  const xml = sought.length === 0 ? undefined : data.xml();
  if (xml === undefined) return;
  const values = await ctx.sandbox.evaluate({
    xml,
    expressions: sought.map((item) => item.xpath ?? ''),
    scope: sandboxScope(ctx.user),
  });
  for (const [n, item] of sought.entries()) {
    const value = values[n];
    if (value !== undefined)
      changes.set(item.id, {
        value: parseScoreValue(item, value.trim(), ctx.settings.get(timeZone)),
      });
  }
}

export function engineItems(
  definition: ScoreDefinition,
  stored: ReadonlyMap<number, StoredItem>,
  changes: ReadonlyMap<number, ItemChange>,
): EngineItem[] {
  return definition.items.map((item) => {
    const change = changes.get(item.id);
    const value = change?.value === undefined ? (stored.get(item.id)?.value ?? null) : change.value;
    const confidence = change?.confidence === undefined ? (stored.get(item.id)?.confidence ?? null) : change.confidence;
    return {
      name: item.name,
      safeName: item.safeName,
      valueType: item.valueType,
      value: typeof value === 'number' ? String(value) : value,
      confidence,
      prompt: item.prompt,
      enumeration: item.enumeration,
      masked: item.mask !== null,
    };
  });
}

/** Parses the engine's results by value type before anything is saved. Returns the score's own columns. */
export function parseResults(
  ctx: Context,
  definition: ScoreDefinition,
  found: ScoreValues,
  changes: Map<number, ItemChange>,
): Values<typeof score> {
  const bound = itemBindings(definition.items);
  for (const [name, result] of found.items) {
    const item = bound.get(name.toLowerCase())?.item;
    if (!item)
      throw new PlatformError('STATE_REFUSES', {
        field: 'ScoreEngine',
        message:
          `ScoreEngine: ${definition.engine ?? ''} returned a value for ${name.slice(0, 100)}, which is not an ` +
          `item of ${definition.name}.`,
      });
    const before = changes.get(item.id) ?? {};
    const value =
      result.value === undefined
        ? {}
        : {
            value: parseScoreValue(item, result.value, ctx.settings.get(timeZone)),
          };
    const confidence =
      result.confidence === undefined
        ? {}
        : { confidence: parseConfidence(result.confidence, `${item.safeName}${CONFIDENCE}`) };
    changes.set(item.id, { ...before, ...value, ...confidence });
  }
  const { valueType } = definition;
  if (valueType === undefined || found.value === undefined) return {};
  const value = { valueType, enumeration: [], safeName: definition.name };
  return { [columnOf[valueType]]: parseScoreValue(value, found.value, ctx.settings.get(timeZone)) };
}

/** Finds or creates the score as its template specifies, and saves its value and items. */
async function saveScore(
  ctx: Context,
  target: ScoreTarget,
  values: Values<typeof score>,
  {
    stored,
    changes,
  }: { readonly stored: ReadonlyMap<number, StoredItem>; readonly changes: ReadonlyMap<number, ItemChange> },
): Promise<Score> {
  const { definition, row } = target;
  const plan = planScore(ctx, target);
  Object.assign(plan.values, values);
  // A change locks the score: of two concurrent calculations, the second writes on top of the first one's result.
  plan.values.Confidence = confidenceAfter(definition, stored, changes);
  await assertSaveAllowed(ctx, plan);
  const saved = await saveRecord(ctx, plan, row ? 'update' : 'save');
  const before = saved.change === 'insert' ? new Map<number, StoredItem>() : await readItems(ctx, definition, saved.id);
  await writeItems(ctx, { definition, scoreId: saved.id }, before, changes);
  return withConfidence(ctx, saved, confidenceAfter(definition, before, changes));
}

function planScore(ctx: Context, { definition, row, parent: place }: ScoreTarget): SavePlan<typeof score> {
  return planSave(
    ctx.registry,
    scoreRecord(ctx),
    row ? { ID: row.ScoreID } : { ...place, ScoreTemplateID: definition.id },
    planOptions(ctx),
  );
}

/** Saves a score's confidence if it has changed. */
export async function withConfidence(
  ctx: Context,
  saved: Pick<SavedRecord<typeof score>, 'id' | 'row'>,
  confidence: string | null,
): Promise<Score> {
  const before = saved.row.Confidence;
  if (before === confidence || (before !== null && confidence !== null && Number(before) === Number(confidence)))
    return saved.row;
  const plan = planSave(ctx.registry, scoreRecord(ctx), { ID: saved.id, Confidence: confidence }, planOptions(ctx));
  return (await saveRecord(ctx, plan, 'update')).row;
}
