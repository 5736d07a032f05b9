import type { Db } from '../../../../kernel/database/store.ts';
import { grantedPermissions } from './permissions.ts';

/** Returns all roles by lower-cased name, with the existing permissions that their patterns grant. */
export async function loadRoles(
  db: Db,
  allPermissions: readonly string[],
): Promise<
  ReadonlyMap<string, { readonly name: string; readonly universal: boolean; readonly permissions: ReadonlySet<string> }>
> {
  const rows = await db.query<{ role: string; permissions: string | null; universalaccess: boolean | null }>(
    'select role, permissions, universalaccess from role',
  );
  return new Map(
    rows.map((row) => [
      row.role.toLowerCase(),
      {
        name: row.role,
        universal: row.universalaccess === true,
        permissions: grantedPermissions(row.permissions ?? '', allPermissions),
      },
    ]),
  );
}
