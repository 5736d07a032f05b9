import { list } from '../../../kernel/door/answer.ts';
import type { Operation } from '../../../kernel/declare/operation.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { grantedPermissions } from './lib/permissions.ts';

const granted = {
  RoleID: required(f.id({ doc: 'The role.', to: 'Role' })),
  Role: required(f.text({ doc: 'Its name.' })),
  Module: required(f.text({ doc: 'The module whose operations are counted.' })),
  Reads: required(f.integer({ doc: 'Operations that read, and that the role may call.' })),
  ReadsAll: required(f.integer({ doc: 'All operations of the module that read.' })),
  Changes: required(f.integer({ doc: 'Operations that change something, and that the role may call.' })),
  ChangesAll: required(f.integer({ doc: 'All operations of the module that change something.' })),
};

/** Most roles that are compared. */
const ROLES_MAX = 50;

export const operation = defineOperation({
  module: 'role',
  name: 'Granted',
  method: 'GET',
  summary:
    'Counts for each role and module how many operations the role may call: those that read, and those that change.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: { ID: f.id({ doc: 'Only this role.' }) },
  returns: 'list',
  answerName: 'Grant',
  rows: granted,
  errors: [],
  source: 'checklist WEB-06',
});

interface RoleRow {
  readonly id: number;
  readonly name: string;
  readonly permissions: string | null;
}

export const run = handle(operation, async (ctx, { ID }) => {
  const roles = await ctx.db.query<RoleRow>(
    `select roleid as id, role as name, permissions from role
     where role is not null and ($1::bigint is null or roleid = $1::bigint)
     order by role limit ${ROLES_MAX}`,
    [ID ?? null],
  );
  const limited = ctx.registry.operations().filter(({ access }) => access === 'permission');
  const modules = [...Map.groupBy(limited, ({ module }) => module)].sort(([a], [b]) => a.localeCompare(b));
  const names = limited.map(({ permissionName }) => permissionName);
  const rows = roles.flatMap(({ id, name, permissions }) => {
    const has = grantedPermissions(permissions ?? '', names);
    return modules.map(([module, operations]) => ({
      RoleID: id,
      Role: name,
      Module: module,
      ...counts(operations, has),
    }));
  });
  return list('Grant', granted, rows);
});

function counts(
  operations: readonly Operation[],
  has: ReadonlySet<string>,
): { readonly Reads: number; readonly ReadsAll: number; readonly Changes: number; readonly ChangesAll: number } {
  const reads = operations.filter(({ effect }) => effect === 'read');
  const changes = operations.filter(({ effect }) => effect !== 'read');
  const count = (of: readonly Operation[]): number => of.filter(({ permissionName }) => has.has(permissionName)).length;
  return { Reads: count(reads), ReadsAll: reads.length, Changes: count(changes), ChangesAll: changes.length };
}
