import type { Db } from '../../../../kernel/database/store.ts';
import { Cache } from '../../../../kernel/time/cache.ts';
import { grantedPermissions } from './permissions.ts';

/**
 * The declared permissions that a role's text grants, by the list of declared permissions and by the text: matching
 * all patterns of all roles takes 40 ms, and roles are loaded again after each change of any configuration.
 */
const declaredGrants = new WeakMap<readonly string[], Cache<string, ReadonlySet<string>>>();
/** Most texts cached. */
const TEXTS_MAX = 1_000;

/**
 * Returns all roles that have a name, by lower-cased name, with the existing permissions that their patterns grant:
 * those that the program declares (always the same list) and those of saved operations.
 */
export async function loadRoles(
  db: Db,
  declared: readonly string[],
  saved: readonly string[],
): Promise<
  ReadonlyMap<string, { readonly name: string; readonly universal: boolean; readonly permissions: ReadonlySet<string> }>
> {
  const rows = await db.query<{ role: string; permissions: string | null; universalaccess: boolean | null }>(
    'select role, permissions, universalaccess from role where role is not null',
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
  let byText = declaredGrants.get(declared);
  if (!byText) declaredGrants.set(declared, (byText = new Cache({ max: TEXTS_MAX })));
  const granted = byText.getOrLoad(text, () => grantedPermissions(text, declared));
  return saved.length === 0 ? granted : new Set([...granted, ...grantedPermissions(text, saved)]);
}
