import type { EngineScore, ScoreData, ScoreExplanation } from '../../../../contracts/score-engine.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { RawValue } from '../../../../kernel/parameters/parse-value.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import { SCORE_ENGINE } from '../../../../contracts/score-engine.ts';
import {
  engineItems,
  engineOf,
  parseResults,
  readXPathValues,
  reusableRow,
  type ScoreTarget,
} from './calculate-score.ts';
import { runEngine } from './run-engine.ts';
import type { ItemDefinition, ScoreDefinition } from './score-definition.ts';
import { newScoreRequest, readInput } from './score-input.ts';
import { readItems, type ItemChange, type StoredItem } from './score-items.ts';
import { shownValue, valueText } from './sealed-value.ts';
import { columnOf, parseScoreValue } from './score-value.ts';

/** What a scorecard would calculate, and why. */
export interface ScoreTrial {
  /** The value of the score; null without one. */
  readonly value: string | null;
  /** Why there is no result yet; undefined if there is one. */
  readonly later?: string;
  /** The values that were read, and which of them the call sent instead. */
  readonly inputs: readonly { readonly name: string; readonly value: string | null; readonly isSent: boolean }[];
  readonly steps: ScoreExplanation['steps'];
  readonly items: readonly TriedItem[];
}

/** The value of an item after a trial. */
export interface TriedItem {
  readonly name: string;
  /** Null if it has none, or is masked. */
  readonly value: string | null;
  readonly source: 'Sent' | 'Calculated' | 'Found' | 'Stored' | 'Masked' | 'None';
}

/**
 * Calculates a scorecard for a record and saves nothing. `sent`: values to use instead of those of items and of the
 * input, by name. Scores of items are used as they are stored. @throws UNKNOWN_PARAMETER for a name that is neither
 */
export async function tryScore(ctx: Context, target: ScoreTarget, sent: Parameters): Promise<ScoreTrial> {
  const { definition } = target;
  const known = await reusableRow(ctx, target);
  const stored = known ? await readItems(ctx, definition, known.ScoreID) : new Map<number, StoredItem>();
  const changes = sentItems(ctx, definition, sent);
  const request = newScoreRequest(sent);
  const shown = new Map(
    [...stored.values()].map(({ item, stored: values }): [string, RawValue] => [
      item.safeName.toLowerCase(),
      changes.get(item.id)?.value ?? shownValue(item, values),
    ]),
  );
  const score = known ?? { ...target.parent, ScoreTemplateID: definition.id };
  const data = withSentValues(await readInput(ctx, { definition, score, items: shown, request }), sent, request.used);
  assertUsed(definition, sent, request.used);
  const engine = engineOf(definition);
  const sentIds = new Set(changes.keys());
  await readXPathValues(ctx, definition, data, changes);
  const foundIds = new Set([...changes.keys()].filter((id) => !sentIds.has(id)));
  const engineScore = {
    template: definition.name,
    valueType: definition.valueType,
    parameters: definition.parameters,
    renderId: definition.renderId,
    items: engineItems(definition, stored, changes),
    ctx,
  };
  const found = await runEngine(engine, data, engineScore);
  const explained = await explanation(ctx, engine, data, engineScore);
  const values = found.kind === 'values' ? parseResults(ctx, definition, found, changes) : {};
  const calculated = new Set(found.kind === 'values' ? [...found.items.keys()].map((name) => name.toLowerCase()) : []);
  const sources = { sentIds, foundIds, calculated };
  const names = new Set(Object.keys(sent).map((name) => name.toLowerCase()));
  return {
    value: definition.valueType === undefined ? null : valueText(values[columnOf[definition.valueType]] ?? null),
    ...(found.kind === 'later'
      ? { later: `${engine} calculates later, after a score is saved. A trial does not.` }
      : {}),
    inputs: explained.inputs.map((input) => ({ ...input, isSent: names.has(input.name.toLowerCase()) })),
    steps: explained.steps,
    items: definition.items.map((item) => triedItem(item, { stored, changes }, sources)),
  };
}

/** Returns the values sent for items, parsed. @throws BAD_PARAMETER */
function sentItems(ctx: Context, definition: ScoreDefinition, sent: Parameters): Map<number, ItemChange> {
  const changes = new Map<number, ItemChange>();
  for (const [name, raw] of Object.entries(sent)) {
    const item = itemNamed(definition, name);
    if (item) changes.set(item.id, { value: parseScoreValue(item, raw, ctx.settings.get(timeZone)) });
  }
  return changes;
}

function itemNamed({ items }: ScoreDefinition, name: string): ItemDefinition | undefined {
  return items.find((item) => item.safeName.toLowerCase() === name.toLowerCase());
}

/** Returns the input with values replaced: of a record or the first row. Adds their names to `used`. */
function withSentValues(data: ScoreData, sent: Parameters, used: Set<string>): ScoreData {
  const replaced = (row: Row): Row => {
    const changed: Record<string, unknown> = { ...row };
    for (const [name, value] of Object.entries(sent)) {
      const column = Object.keys(row).find((key) => key.toLowerCase() === name.toLowerCase());
      if (column === undefined) continue;
      used.add(name.toLowerCase());
      changed[column] = value;
    }
    return changed;
  };
  if (data.kind === 'record') return { ...data, row: replaced(data.row) };
  const [first] = data.kind === 'rows' ? data.rows : [];
  return data.kind === 'rows' && first ? { ...data, rows: [replaced(first), ...data.rows.slice(1)] } : data;
}

function assertUsed(definition: ScoreDefinition, sent: Parameters, used: ReadonlySet<string>): void {
  const unused = Object.keys(sent).find((name) => !used.has(name.toLowerCase()) && !itemNamed(definition, name));
  if (unused !== undefined)
    throw new PlatformError('UNKNOWN_PARAMETER', {
      field: unused.slice(0, 100),
      message: `${unused.slice(0, 100)}: ${definition.name} has no such item, and reads no such value.`,
    });
}

async function explanation(
  ctx: Context,
  engine: string,
  data: ScoreData,
  score: EngineScore,
): Promise<ScoreExplanation> {
  const none: ScoreExplanation = { inputs: [], steps: [] };
  return (await ctx.providers.get(SCORE_ENGINE, engine).explain?.(data, score)) ?? none;
}

interface TrialValues {
  readonly stored: ReadonlyMap<number, StoredItem>;
  readonly changes: ReadonlyMap<number, ItemChange>;
}

interface ItemSources {
  readonly sentIds: ReadonlySet<number>;
  readonly foundIds: ReadonlySet<number>;
  /** Safe names, lower-cased. */
  readonly calculated: ReadonlySet<string>;
}

function triedItem(item: ItemDefinition, { stored, changes }: TrialValues, sources: ItemSources): TriedItem {
  const { id, name, safeName, mask } = item;
  const changed = changes.get(id)?.value;
  const value = valueText(changed === undefined ? (stored.get(id)?.value ?? null) : changed);
  if (mask !== null) return { name, value: null, source: value === null ? 'None' : 'Masked' };
  if (sources.calculated.has(safeName.toLowerCase())) return { name, value, source: 'Calculated' };
  if (sources.sentIds.has(id)) return { name, value, source: 'Sent' };
  if (sources.foundIds.has(id)) return { name, value, source: 'Found' };
  return { name, value, source: value === null ? 'None' : 'Stored' };
}
