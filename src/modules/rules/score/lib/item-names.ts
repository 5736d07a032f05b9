import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import type { ItemDefinition } from './score-definition.ts';

/** Behind an item's safe name: the parameter and column of how sure its value is. */
export const CONFIDENCE = 'Confidence';

/** Names that parameters of a save have already, beside the columns of a score. */
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

/** Refuses a safe name that would mean something else too. @throws BAD_PARAMETER, DUPLICATE_KEY */
export function assertSafeName(
  ctx: Context,
  safe: string,
  others: readonly { readonly name: string; readonly safe: string }[],
): void {
  const lower = safe.toLowerCase();
  if (lower === '') throw bad('ScoreItemTemplate', 'a name with a letter or digit');
  const own = ctx.registry.requireRecord('Score', 'Object').columns;
  if (reservedNames.has(lower) || own.has(lower))
    throw bad('ScoreItemTemplate', `a name other than ${safe}, which is one of a score's own`);
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
      message: `ScoreItemTemplate: the item ${other.name} of this kind of score is meant by the name ${other.safe} too.`,
    });
  }
}

/** What a parameter means: an item's value, or its confidence. */
export interface ItemBinding {
  readonly item: ItemDefinition;
  readonly part: 'value' | 'confidence';
}

const bindings = new WeakMap<readonly ItemDefinition[], ReadonlyMap<string, ItemBinding>>();

/** The parameters by which items are meant, by lower-cased name. */
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
