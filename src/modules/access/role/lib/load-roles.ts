import type { Db } from '../../../../kernel/database/store.ts';
import { grantedPermissions } from './permissions.ts';

/**
 * The declared permissions that a role's text grants, by the list of declared permissions and by the text: matching
 * all patterns of all roles takes 40 ms, and roles are loaded again after each change of any configuration.
 */
const declaredGrants = new WeakMap<readonly string[], Map<string, ReadonlySet<string>>>();
/** Most texts remembered; beyond that all are forgotten. */
const TEXTS_MAX = 1_000;

/**
 * Returns all roles by lower-cased name, with the existing permissions that their patterns grant: those that the
 * program declares (always the same list) and those of saved operations.
 */
export async function loadRoles(
  db: Db,
  declared: readonly string[],
  saved: readonly string[],
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
        permissions: grantsOf(row.permissions ?? '', declared, saved),
      },
    ]),
  );
}

function grantsOf(text: string, declared: readonly string[], saved: readonly string[]): ReadonlySet<string> {
  const byText = declaredGrants.get(declared) ?? new Map<string, ReadonlySet<string>>();
  declaredGrants.set(declared, byText);
  if (byText.size >= TEXTS_MAX) byText.clear();
  const granted = byText.get(text) ?? grantedPermissions(text, declared);
  byText.set(text, granted);
  return saved.length === 0 ? granted : new Set([...granted, ...grantedPermissions(text, saved)]);
}
