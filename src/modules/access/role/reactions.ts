import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineChecks, defineReactions } from '../../../kernel/declare/reaction.ts';
import { unmatchedPatterns } from './lib/permissions.ts';

export const checks = defineChecks([
  {
    on: 'Role',
    doc: 'Refuses a pattern that matches no permission, which is a misspelling.',
    run(ctx, _record, values) {
      const text = values.get('permissions');
      if (typeof text !== 'string') return;
      const [unmatched] = unmatchedPatterns(text, ctx.registry.permissions());
      if (unmatched !== undefined)
        throw bad('Permissions', `names of permissions such as ContactSave; "${unmatched.slice(0, 60)}" matches none`);
    },
  },
]);

const eventNames = { insert: 'RoleMade', update: 'RoleChanged', delete: 'RoleDeleted' } as const;

export const reactions = defineReactions([
  {
    on: 'Role',
    after: ['insert', 'update', 'delete'],
    doc: 'Writes changes of roles to the security log and applies them at once in this process.',
    async run(ctx, row, change) {
      await ctx.security({
        event: eventNames[change],
        object: 'Role',
        objectId: Number(row['RoleID']),
      });
    },
  },
]);
