import { arrayLiteral, type Db } from '../../../kernel/database/store.ts';

/** A role that users can have. */
export interface NamedRole {
  readonly name: string;
  /** Whether it grants access to all rows. */
  readonly universal: boolean;
}

/** Returns all roles. */
export async function readRoles(db: Db): Promise<readonly NamedRole[]> {
  const rows = await db.query<{ role: string; universal: boolean | null }>(
    'select role, universalaccess as universal from role where role is not null',
  );
  return rows.map(({ role, universal }) => ({ name: role, universal: universal === true }));
}

/** Returns which of the named roles exist and do not grant access to all rows, sorted by name. */
export async function findLimitedRoles(db: Db, names: readonly string[]): Promise<readonly string[]> {
  const rows = await db.query<{ role: string }>(
    'select role from role where role = any($1::text[]) and universalaccess is not true order by role',
    [arrayLiteral(names)],
  );
  return rows.map(({ role }) => role);
}
