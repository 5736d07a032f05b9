import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { grantedPermissions } from './lib/permissions.ts';

const differences = {
  Operation: required(f.text({ doc: 'The operation, as `module/operation`.' })),
  Module: required(f.text({ doc: 'Its module.' })),
  Permission: required(f.text({ doc: 'The permission that it needs.' })),
  Changes: required(f.boolean({ doc: 'Whether it changes something.' })),
  Summary: required(f.text({ doc: 'What it does.' })),
  First: required(f.boolean({ doc: 'Whether the first role grants it; otherwise only the second does.' })),
};

export const operation = defineOperation({
  module: 'role',
  name: 'Compare',
  method: 'GET',
  summary: 'Lists the operations that one of two roles grants and the other does not.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'RoleGranted',
  names: ['ID', 'OtherID'],
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The first role.' })),
    OtherID: required(f.id({ doc: 'The second role.', to: 'Role' })),
  },
  returns: 'list',
  answerName: 'RoleDifference',
  rows: differences,
  errors: ['NOT_FOUND'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx) => {
  const limited = ctx.registry.operations().filter(({ access }) => access === 'permission');
  const names = limited.map(({ permissionName }) => permissionName);
  const [first, second] = [namedRow(ctx, ctx.record), namedRow(ctx, ctx.registry.recordType('Role'), 'OtherID')].map(
    ({ Permissions: text }) => grantedPermissions(text ?? '', names),
  );
  const rows = limited
    .filter(({ permissionName: name }) => first?.has(name) !== second?.has(name))
    .map(({ route, module, permissionName, effect, summary }) => ({
      Operation: route,
      Module: module,
      Permission: permissionName,
      Changes: effect !== 'read',
      Summary: summary,
      First: first?.has(permissionName) === true,
    }))
    .toSorted((a, b) => a.Operation.localeCompare(b.Operation));
  return list('RoleDifference', differences, rows);
});
