import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck, defineGuard, defineReaction } from '../../../kernel/declare/reaction.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { assertConfirmed } from '../../../kernel/security/confirmation.ts';
import type { Rights } from '../../../kernel/security/identity.ts';
import { contributesToAdministrator, requireRemainingAdministrator } from '../lib/administrators.ts';
import { assertHolds } from '../lib/grant-limit.ts';
import { unmatchedPatterns } from './lib/permissions.ts';
import { role } from './role.record.ts';

export const checks = [
  defineCheck({
    on: role,
    doc: 'Refuses a pattern that matches no permission, which is a misspelling.',
    run(ctx, { values }) {
      const text = values.Permissions;
      if (typeof text !== 'string') return;
      const [unmatched] = unmatchedPatterns(text, ctx.registry.permissions());
      if (unmatched !== undefined)
        throw bad('Permissions', `names of permissions such as ContactSave; "${unmatched.slice(0, 60)}" matches none`);
    },
  }),
];

export const guards = [
  defineGuard({
    on: role,
    decidesBy: 'rights',
    doc: 'Nobody changes a role that grants more than they hold, or gives a role more. The last administrator stays.',
    async before(ctx, { id }) {
      assertConfirmed(ctx);
      const rights = await rightsOfRole(ctx, id);
      assertHolds(ctx, rights, { field: 'ID', holder: 'A user with this role' });
      if (contributesToAdministrator(rights)) requireRemainingAdministrator(ctx);
    },
    async after(ctx, { id }) {
      assertConfirmed(ctx);
      assertHolds(ctx, await rightsOfRole(ctx, id), { field: 'Permissions', holder: 'A user with this role' });
    },
  }),
];

/** Returns what a stored role grants; of one without a name nothing, since nobody can have it. */
async function rightsOfRole(ctx: Context, roleId: number): Promise<Rights> {
  const [row] = await ctx
    .transaction()
    .elevated((db) =>
      db.query<{ role: string | null }>('select role from role where roleid = $1::bigint for no key update', [roleId]),
    );
  return ctx.rightsOfRoles(row?.role ? [row.role] : []);
}

const eventNames = { insert: 'RoleMade', update: 'RoleChanged', delete: 'RoleDeleted' } as const;

export const reactions = [
  defineReaction({
    on: role,
    after: ['insert', 'update', 'delete'],
    doc: 'Writes changes of roles to the security log and applies them at once in this process.',
    async run(ctx, row, change) {
      await ctx.security({
        event: eventNames[change],
        object: 'Role',
        objectId: row.RoleID,
      });
    },
  }),
];
