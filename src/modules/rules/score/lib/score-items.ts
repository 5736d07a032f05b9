import type { Context } from '../../../../kernel/door/context.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { parseDecimal } from '../../../../kernel/parameters/parse-value.ts';
import { insertMany } from '../../../../kernel/records/save/insert-many.ts';
import { planOptions, planSave } from '../../../../kernel/records/save/plan.ts';
import { commitOne } from '../../../../kernel/records/save/commit-change.ts';
import { saveRecord } from '../../../../kernel/records/save/save-record.ts';
import { updateOf } from '../../../../kernel/records/save/update-row.ts';
import type { scoreItem } from '../../scoreitem/scoreitem.record.ts';
import { weightedConfidence } from './confidence.ts';
import type { ItemDefinition, ScoreDefinition } from './score-definition.ts';
import { clearValue, sealValues, storedValueColumns, type StoredValue } from './sealed-value.ts';
import { columnOf, type ScoreValue } from './score-value.ts';
import { valueNames } from '../../../../kernel/declare/values.ts';

/** A stored item with its unmasked value. */
export interface StoredItem {
  readonly scoreItemId: number;
  readonly item: ItemDefinition;
  readonly value: ScoreValue;
  readonly stored: StoredValue;
  readonly confidence: string | null;
  readonly childScoreId: number | null;
}

/** The changes of an item. Properties that are missing keep their value. */
export interface ItemChange {
  readonly value?: ScoreValue;
  readonly confidence?: string | null;
}

type ItemRow = StoredValue & {
  readonly id: number;
  readonly at: number;
  readonly confidence: string | null;
  readonly child: number | null;
};

/** Returns a score's items that its template has, by the template's item. */
export async function readItems(
  ctx: Context,
  definition: ScoreDefinition,
  scoreId: number,
): Promise<ReadonlyMap<number, StoredItem>> {
  const rows = await ctx.db.query<ItemRow>(
    `select scoreitemid as id, scoreitemtemplateid as at, confidence, childscoreid as child, ${storedValueColumns}
     from scoreitem
     where scoreid = $1::bigint and scoreitemtemplateid is not null`,
    [scoreId],
  );
  const items = new Map(definition.items.map((item) => [item.id, item]));
  const found = rows.flatMap((stored): [number, StoredItem][] => {
    const item = items.get(stored.at);
    return item
      ? [
          [
            item.id,
            {
              scoreItemId: stored.id,
              item,
              value: clearValue(ctx, item, stored),
              stored,
              confidence: stored.confidence,
              childScoreId: stored.child,
            },
          ],
        ]
      : [];
  });
  return new Map(found);
}

/**
 * Writes items of a score that the caller has locked: creates the missing ones from the template and updates those that
 * differ. `before` holds the stored items.
 */
export async function writeItems(
  ctx: Context,
  { definition, scoreId }: { readonly definition: ScoreDefinition; readonly scoreId: number },
  before: ReadonlyMap<number, StoredItem>,
  changes: ReadonlyMap<number, ItemChange>,
): Promise<void> {
  const record = ctx.registry.recordType('ScoreItem');
  const missing: Parameters[] = [];
  for (const item of definition.items) {
    const change = changes.get(item.id);
    if (!change) continue;
    const stored = before.get(item.id);
    // A masked value of any type goes as text, and its check encrypts it.
    const column = item.mask === null ? columnOf[item.valueType] : 'ScoreChar';
    if (!stored) {
      missing.push({
        ScoreID: scoreId,
        ScoreItemTemplateID: item.id,
        ScoreItem: item.name,
        [column]: change.value ?? null,
        Confidence: change.confidence ?? null,
      });
      continue;
    }
    const differing = changedValues(stored, change, column);
    if (Object.keys(differing).length > 0) await updateItem(ctx, record, stored, differing);
  }
  if (missing.length > 0) await insertMany(ctx, record, missing);
}

/**
 * Updates one item as a save does. If only this module's own check concerns items, does that check's work here, which
 * saves the two reads at the start of a save: two thirds of the statements for a score with many items.
 */
async function updateItem(
  ctx: Context,
  record: typeof scoreItem,
  { item, scoreItemId }: StoredItem,
  differing: Record<string, string | number | boolean | null>,
): Promise<void> {
  const plan = planSave(ctx.registry, record, { ID: scoreItemId, ...differing }, planOptions(ctx));
  if (ctx.registry.checks(record).length > 1 || ctx.registry.reactions(record).length > 0) {
    await saveRecord(ctx, plan, 'update');
    return;
  }
  sealValues(ctx, item, plan.values);
  if (valueNames(plan.values).length === 0) return;
  await commitOne(ctx, await updateOf(ctx, record, { id: scoreItemId, values: plan.values }));
}

/** Returns a score's confidence after its items are changed. */
export function confidenceAfter(
  definition: ScoreDefinition,
  before: ReadonlyMap<number, StoredItem>,
  changes: ReadonlyMap<number, ItemChange>,
): string | null {
  const items = definition.items.filter((item) => before.has(item.id) || changes.has(item.id));
  return weightedConfidence(
    items.map((item) => {
      const changed = changes.get(item.id)?.confidence;
      return {
        confidence: changed === undefined ? (before.get(item.id)?.confidence ?? null) : changed,
        weight: item.weight,
      };
    }),
  );
}

function changedValues(
  stored: StoredItem,
  change: ItemChange,
  column: string,
): Record<string, string | number | boolean | null> {
  const differing: Record<string, string | number | boolean | null> = {};
  // A masked value may be sent as it was shown, which is no number.
  const isNumber =
    stored.item.mask === null && (stored.item.valueType === 'Money' || stored.item.valueType === 'Float');
  if (change.value !== undefined && !isSame(stored.value, change.value, isNumber)) differing[column] = change.value;
  if (change.confidence !== undefined && !isSame(stored.confidence, change.confidence, true))
    differing['Confidence'] = change.confidence;
  return differing;
}

/** Pads a number with the zeros that its column stores. */
function isSame(one: ScoreValue, other: ScoreValue, isNumber: boolean): boolean {
  if (!isNumber || typeof one !== 'string' || typeof other !== 'string') return one === other;
  return parseDecimal(one, '', STORED_DECIMALS_MAX) === parseDecimal(other, '', STORED_DECIMALS_MAX);
}

const STORED_DECIMALS_MAX = 18;
