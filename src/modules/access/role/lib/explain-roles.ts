import type { Db } from '../../../../kernel/database/store.ts';
import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import { decidingPattern, grantedPermissions } from './permissions.ts';

/** What a role says about a permission, and whether a user has it. */
export interface ExplainedRole {
  readonly RoleID: number;
  readonly Role: string;
  readonly Held: boolean;
  readonly Grants: boolean;
  readonly Pattern: string | null;
  readonly Permission: string;
}

/**
 * Returns what each role says about a permission, for a user with some roles: first those that the user has, then
 * those that would grant it. `permission`: empty for an operation that needs none.
 */
export async function explainRoles(db: Db, held: string, permission: string): Promise<readonly ExplainedRole[]> {
  const names = new Set(splitCommaList(held).map((name) => name.toLowerCase()));
  const roles = await db.query<{ id: number; name: string; permissions: string | null }>(
    'select roleid as id, role as name, permissions from role where role is not null order by role',
  );
  const rows = roles.map(({ id, name, permissions }) => ({
    RoleID: id,
    Role: name,
    Held: names.has(name.toLowerCase()),
    Grants: permission === '' || grantedPermissions(permissions ?? '', [permission]).has(permission),
    Pattern: permission === '' ? null : (decidingPattern(permissions ?? '', permission) ?? null),
    Permission: permission,
  }));
  return rows.toSorted((a, b) => Number(b.Held) - Number(a.Held) || Number(b.Grants) - Number(a.Grants));
}
