import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { mayUnmask } from '../../../../kernel/security/identity.ts';
import type { ItemDefinition } from './score-definition.ts';

/** Most masked items named in one security log entry. */
const NAMES_LISTED_MAX = 10;

/**
 * Returns the masked items that the caller sees in the clear: none unless requested, otherwise those whose permission
 * the caller has, and writes them to the security log. An alert names those that stay masked. @throws NO_PERMISSION if
 * there are masked items and the caller may see none of them
 */
export async function unmaskedItems(
  ctx: Context,
  items: readonly ItemDefinition[],
  unmask: boolean,
  scoreTemplateId: number | null,
): Promise<ReadonlySet<number>> {
  const masked = unmask ? items.filter((item) => item.mask !== null) : [];
  if (masked.length === 0) return new Set();
  const open = masked.filter((item) => mayUnmask(ctx.user, item.unmaskPermission));
  if (open.length === 0) throw permissionError(masked[0]);
  const names = open
    .slice(0, NAMES_LISTED_MAX)
    .map((item) => item.safeName)
    .join(', ');
  await ctx.security({
    event: 'ScoresUnmasked',
    object: 'ScoreTemplate',
    objectId: scoreTemplateId,
    detail: open.length > NAMES_LISTED_MAX ? `${names} and ${open.length - NAMES_LISTED_MAX} more` : names,
  });
  const closed = masked.filter((item) => !open.includes(item));
  if (closed.length > 0)
    ctx.alert({
      code: 'NO_PERMISSION',
      text: `Shown masked, because you don't have their UnmaskPermission: ${closed
        .slice(0, NAMES_LISTED_MAX)
        .map((item) => item.name)
        .join(', ')}${closed.length > NAMES_LISTED_MAX ? ' and others' : ''}.`,
    });
  return new Set(open.map((item) => item.id));
}

function permissionError(item: ItemDefinition | undefined): PlatformError {
  const permission = item?.unmaskPermission ?? null;
  return new PlatformError('NO_PERMISSION', {
    field: 'Unmask',
    message:
      permission === null
        ? `Unmask: ${item?.name ?? 'the item'} has no UnmaskPermission, so its value cannot be shown.`
        : `Unmask: the permission ${permission} is required to see the values in the clear.`,
  });
}
