import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { selectHolders } from './lib/holders.ts';

const holders = {
  PersonID: required(f.id({ doc: 'The user.', to: 'Person' })),
  Person: f.text({ doc: 'The sign-in name.' }),
  Status: f.text({ doc: 'Whether the user may sign in.' }),
  OrganizationID: f.id({ doc: 'The firm that the user belongs to; empty for staff.', to: 'Organization' }),
  OtherRoles: f.text({ doc: 'The other roles of the user, separated by commas.' }),
  HasPassword: required(f.boolean({ doc: 'Whether the user signs in with a password.' })),
  Keys: required(f.integer({ doc: "How many of the user's API keys have the role's rights now." })),
  Sessions: required(f.integer({ doc: "How many of the user's sessions are open." })),
};

export const operation = defineOperation({
  module: 'role',
  name: 'Holders',
  method: 'GET',
  summary: 'Lists the users who have a role, and through what they use it: a password, API keys, open sessions.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'RoleGranted',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The role.' })) },
  returns: 'list',
  answerName: 'RoleHolder',
  rows: holders,
  errors: ['NOT_FOUND', 'NO_PERMISSION'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx) => {
  if (!ctx.user.universal)
    throw new PlatformError('NO_PERMISSION', {
      message: 'Only users with universal access can see who has a role.',
    });
  const { Role: name } = namedRow(ctx, ctx.record);
  const rows = name === null ? [] : await selectHolders(ctx.db, name, ctx.clock.now());
  return list(
    'RoleHolder',
    holders,
    rows.map(({ roles, ...row }) => ({
      ...row,
      OtherRoles: roles.filter((each) => each.toLowerCase() !== name?.toLowerCase()).join(', ') || null,
    })),
  );
});
