import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { marks } from '../../../kernel/door/scratch.ts';
import { lockName } from '../../../kernel/database/advisory-lock.ts';
import { splitCommaList } from '../../../kernel/parameters/split-list.ts';
import type { Rights } from '../../../kernel/security/identity.ts';

/** What an administrator must be able to do, so that everybody else's access can be restored. */
const ADMINISTRATOR_PERMISSIONS = ['PersonSave', 'RoleSave'];

const administratorChecks = marks<string>('checks that an administrator remains');

/** Whether rights are those of an administrator. */
export function isAdministrator({ universal, permissions }: Rights): boolean {
  return universal && ADMINISTRATOR_PERMISSIONS.every((name) => permissions.has(name));
}

/** Whether rights are, or together with other roles may be, those of an administrator. */
export function contributesToAdministrator({ universal, permissions }: Rights): boolean {
  return universal || ADMINISTRATOR_PERMISSIONS.some((name) => permissions.has(name));
}

/**
 * Makes the transaction fail with STATE_REFUSES if it would leave no administrator who can sign in. Checked once, right
 * before the commit: one change may replace another's administrator. Call it before each change that may remove one.
 */
export function requireRemainingAdministrator(ctx: Context): void {
  ctx.once(administratorChecks, 'all', () => ctx.beforeCommit(() => assertAdministratorRemains(ctx)));
}

async function assertAdministratorRemains(ctx: Context): Promise<void> {
  // Two callers who each remove another administrator wait for each other here; the second sees what the first did.
  await lockName(ctx, 'administrators');
  const rows = await ctx.transaction().elevated((db) =>
    db.query<{ roles: string }>(
      `select distinct roles
       from person p
       where roles is not null and lower(coalesce(status, 'Active')) = 'active'
         and (password is not null or exists (
           select from apikey k
           where k.personid = p.personid and k.keyhash is not null and k.revokeddate is null
             and (k.expires is null or k.expires > $1::timestamptz)))`,
      [ctx.clock.now()],
    ),
  );
  for (const { roles } of rows) if (isAdministrator(await ctx.rightsOfRoles(splitCommaList(roles)))) return;
  throw new PlatformError('STATE_REFUSES', {
    message:
      'After this change, no one could administer users and roles. Make another active user an administrator ' +
      'first.',
  });
}
