import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import type { ItemDefinition } from './score-definition.ts';

/** Suffix of an item's safe name for the parameter and column of its confidence. */
export const CONFIDENCE = 'Confidence';

/** Parameters of a save other than the columns of a score. */
const reservedNames = new Set([
  'id',
  'template',
  'templateid',
  'scoretemplate',
  'subscriberid',
  'scoresubscriberid',
  'objectsubscriberid',
  'value',
  'unmask',
  'safename',
  'recordcount',
  'recordcountisestimate',
]);

/** Throws for a safe name that would be ambiguous. @throws BAD_PARAMETER, DUPLICATE_KEY */
export function assertSafeName(
  ctx: Context,
  safe: string,
  others: readonly { readonly name: string; readonly safe: string }[],
): void {
  const lower = safe.toLowerCase();
  if (lower === '') throw bad('ScoreItemTemplate', 'a name with a letter or digit');
  const own = ctx.registry.recordType('Score').columns;
  if (reservedNames.has(lower) || own.has(lower))
    throw bad('ScoreItemTemplate', `a name other than ${safe}, which a score already uses`);
  for (const other of others) {
    const name = other.safe.toLowerCase();
    if (
      name !== lower &&
      name !== `${lower}${CONFIDENCE.toLowerCase()}` &&
      lower !== `${name}${CONFIDENCE.toLowerCase()}`
    )
      continue;
    throw new PlatformError('DUPLICATE_KEY', {
      field: 'ScoreItemTemplate',
      message: `ScoreItemTemplate: the item ${other.name} of this scorecard already has the safe name ${other.safe}.`,
    });
  }
}

/** What a parameter refers to: an item's value or its confidence. */
export interface ItemBinding {
  readonly item: ItemDefinition;
  readonly part: 'value' | 'confidence';
}

const bindings = new WeakMap<readonly ItemDefinition[], ReadonlyMap<string, ItemBinding>>();

/** Returns the parameters that refer to items, by lower-cased name. */
export function itemBindings(items: readonly ItemDefinition[]): ReadonlyMap<string, ItemBinding> {
  let known = bindings.get(items);
  if (!known) {
    const made = new Map<string, ItemBinding>();
    for (const item of items)
      made
        .set(item.safeName.toLowerCase(), { item, part: 'value' })
        .set(`${item.safeName}${CONFIDENCE}`.toLowerCase(), { item, part: 'confidence' });
    bindings.set(items, (known = made));
  }
  return known;
}
