import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { splitCommaList } from '../../../kernel/parameters/split-list.ts';
import { isBuiltinUser } from '../../../kernel/security/system-user.ts';
import type { Rights } from '../../../kernel/security/identity.ts';

/** Most missing permissions that an error names. */
const NAMED_MAX = 5;

/** What a user would grant: a field of a change, and in words whose rights it concerns. */
export interface Grant {
  readonly field: string;
  /** Completes "… may do what you may not do yourself": `This user`, `The role`. */
  readonly holder: string;
}

/**
 * Throws NO_PERMISSION unless the calling user holds all of these rights: nobody grants, takes over or changes more
 * than they may do themselves. An agent holds only what agents may do.
 */
export function assertHolds(ctx: Context, { universal, permissions }: Rights, { field, holder }: Grant): void {
  // It may do everything, but its steps do what the authors of workflows chose.
  if (isBuiltinUser(ctx.user, 'Workflow'))
    throw new PlatformError('NO_PERMISSION', {
      field,
      message:
        `${field}: workflow steps cannot change what users may do. Ask a user with the permissions to ` +
        'make this change.',
    });
  if (universal && !ctx.user.universal)
    throw new PlatformError('NO_PERMISSION', {
      field,
      message:
        `${field}: ${holder} has universal access and you don't. You can only grant permissions and ` +
        'access that you have yourself.',
    });
  const missing = [...permissions].filter((name) => !ctx.user.permissions.has(name)).sort();
  if (missing.length === 0) return;
  const more = missing.length - NAMED_MAX;
  throw new PlatformError('NO_PERMISSION', {
    field,
    message:
      `${field}: ${holder} has permissions that you don't have: ${missing.slice(0, NAMED_MAX).join(', ')}` +
      `${more > 0 ? ` and ${more} more` : ''}. You can only grant permissions and access that you have yourself.`,
  });
}

/** Returns the rights of a stored user, whatever their status; of a missing one none. Needs a transaction. */
export async function rightsOfPerson(ctx: Context, personId: number): Promise<Rights> {
  const [row] = await ctx.transaction().elevated((db) =>
    // Locked: the roles that are compared are those that the change commits with.
    db.query<{ roles: string | null }>('select roles from person where personid = $1::bigint for no key update', [
      personId,
    ]),
  );
  return ctx.rightsOfRoles(splitCommaList(row?.roles ?? ''));
}

/** Throws NO_PERMISSION unless the calling user holds everything that a stored user may do. Needs a transaction. */
export async function assertHoldsRightsOf(ctx: Context, personId: number, field: string): Promise<void> {
  assertHolds(ctx, await rightsOfPerson(ctx, personId), { field, holder: 'This user' });
}
