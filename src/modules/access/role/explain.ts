import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { explainRoles } from './lib/explain-roles.ts';

const explained = {
  RoleID: required(f.id({ doc: 'The role.', to: 'Role' })),
  Role: required(f.text({ doc: 'Its name.' })),
  Held: required(f.boolean({ doc: 'Whether the user has the role.' })),
  Grants: required(f.boolean({ doc: 'Whether the role grants the permission.' })),
  Pattern: f.text({ doc: "The pattern of the role's permissions that decides; empty if none is about it." }),
  Permission: required(f.text({ doc: 'The permission that the operation needs; empty if it needs none.' })),
};

export const operation = defineOperation({
  module: 'role',
  name: 'Explain',
  method: 'GET',
  summary:
    'Says why a user may or may not call an operation: for each role whether the user has it, whether it grants the ' +
    'permission, and by which pattern. Roles that decide come first.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'RoleGranted',
  names: 'PersonID',
  reach: 'row',
  params: {
    PersonID: required(f.id({ doc: 'The user.', to: 'Person' })),
    Operation: required(f.text({ doc: 'The operation, such as `contact/save`.', max: 200 })),
  },
  returns: 'list',
  answerName: 'RoleExplanation',
  rows: explained,
  errors: ['NOT_FOUND', 'BAD_PARAMETER'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { Operation }) => {
  const person = namedRow(ctx, ctx.registry.recordType('Person'), 'PersonID');
  const found = ctx.registry.operation(Operation);
  if (!found) throw bad('Operation', 'the name of an operation, such as contact/save');
  const permission = found.access === 'permission' ? found.permissionName : '';
  return list('RoleExplanation', explained, await explainRoles(ctx.db, person.Roles ?? '', permission));
});
