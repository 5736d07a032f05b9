import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
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
