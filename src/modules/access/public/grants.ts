import type { Context } from '../../../kernel/door/context.ts';
import { assertConfirmed } from '../../../kernel/security/confirmation.ts';
import { assertHolds, assertHoldsRightsOf } from '../lib/grant-limit.ts';

/**
 * Throws NO_PERMISSION, naming the field, unless the calling user holds everything that a stored user may do, and
 * CONFIRM_IDENTITY unless they have proved recently who they are. For what lets somebody act as that user. Needs a
 * transaction.
 */
export async function assertMayActAs(ctx: Context, personId: number, field: string): Promise<void> {
  assertConfirmed(ctx);
  await assertHoldsRightsOf(ctx, personId, field);
}

/**
 * Throws NO_PERMISSION, naming the field, unless the calling user holds everything that these roles grant. For
 * configuration that gives roles to users. Needs a transaction.
 */
export async function assertMayGrantRoles(ctx: Context, names: readonly string[], field: string): Promise<void> {
  assertHolds(ctx, await ctx.rightsOfRoles(names), { field, holder: 'A user with these roles' });
}
