import type { Context } from '../../../../kernel/door/context.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { openText, sealText } from '../../../../kernel/security/sealed-text.ts';
import type { ItemDefinition } from './score-definition.ts';
import { isMasked, maskValue } from './mask.ts';
import { columnOf, parseScoreValue, valueColumns, type ScoreValue, type ValueColumn } from './score-value.ts';
import type { scoreItem } from '../../scoreitem/scoreitem.record.ts';
import { removeValue, type Values } from '../../../../kernel/declare/values.ts';

/** The columns that hold or seal an item's value, as read. */
export type StoredValue = Readonly<Partial<Record<ValueColumn, ScoreValue>>> & { readonly ScoreSealed?: string | null };

/** The SQL select list of these columns. */
export const storedValueColumns = [...valueColumns, 'ScoreSealed']
  .map((name) => `scoreitem.${name.toLowerCase()} as "${name}"`)
  .join(', ');

/** Returns an item's unmasked value. */
export function clearValue(ctx: Pick<Context, 'cipher'>, item: ItemDefinition, stored: StoredValue): ScoreValue {
  if (item.mask === null) return stored[columnOf[item.valueType]] ?? null;
  const sealed = stored.ScoreSealed ?? null;
  return sealed === null ? null : parseOpened(item, openText(ctx.cipher, 'scoreitem', 'scoresealed', sealed));
}

/** Returns an item's value as everyone who can reach it may see it: masked where the item has a mask. */
export function shownValue(item: ItemDefinition, stored: StoredValue): ScoreValue {
  return stored[item.mask === null ? columnOf[item.valueType] : 'ScoreChar'] ?? null;
}

/** Returns a value as text: the form in which it is sealed and compared. */
export function valueText(value: ScoreValue): string | null {
  return value === null ? null : String(value);
}

function parseOpened(item: ItemDefinition, text: string): ScoreValue {
  if (item.valueType === 'Boolean') return text === 'true';
  return item.valueType === 'Int' ? Number(text) : text;
}

/**
 * Normalizes the value columns about to be written: parsed by type and placed in their column; for an item with a mask,
 * sealed and shown masked. A masked value sent back unchanged is no change. @throws BAD_PARAMETER
 */
export function sealValues(ctx: Context, item: ItemDefinition, values: Values<typeof scoreItem>): void {
  const sent = valueColumns.filter((column) => values[column] !== undefined);
  if (sent.length === 0) return;
  const own = columnOf[item.valueType];
  const filled = sent.filter((column) => (values[column] ?? null) !== null);
  const stray = filled.find((column) => column !== own && !(item.mask !== null && column === 'ScoreChar'));
  if (stray !== undefined) throw bad(stray, `no value: ${item.name} is ${item.valueType}; send its value in ${own}`);
  const [only] = filled;
  const raw = only === undefined ? null : (values[only] ?? null);
  if (item.mask === null) {
    // Each value type's values are those of its column.
    const columns: Values = values;
    if (columns[own] !== undefined) columns[own] = parseScoreValue(item, raw, ctx.settings.get(timeZone));
    return;
  }
  for (const column of sent) removeValue(values, column);
  if (typeof raw === 'string' && isMasked(item.mask, raw)) return;
  const text = valueText(parseScoreValue(item, raw, ctx.settings.get(timeZone)));
  values.ScoreChar = text === null ? null : maskValue(item.mask, text, item.safeName);
  values.ScoreSealed = text === null ? null : sealText(ctx.cipher, 'scoreitem', 'scoresealed', text);
}
