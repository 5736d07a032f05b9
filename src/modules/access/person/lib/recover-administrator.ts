import type { Db } from '../../../../kernel/database/store.ts';
import { hashPassword } from '../../../../kernel/security/password.ts';
import { logWithoutUser } from '../../securitylog/lib/log-without-user.ts';
import { randomPassword } from './first-users.ts';

/** The role that a recovered administrator gets. */
const ROLE = 'Administrator';

/** A recovered administrator. */
export interface RecoveredAdministrator {
  readonly name: string;
  /** Whether the user did not exist before. */
  readonly isNew: boolean;
  /** Shown once; only its hash is stored. */
  readonly password: string;
}

/**
 * Gives an installation an administrator again, for the owner of the machine: restores the role Administrator, creates
 * the named user or makes it active, adds the role, and sets a new password. Keeps the user's other roles, and writes
 * the security log. Runs in the given transaction.
 */
export async function recoverAdministrator(
  transaction: Db,
  name: string,
  now: string,
): Promise<RecoveredAdministrator> {
  await restoreRole(transaction, now);
  const password = randomPassword();
  const hash = await hashPassword(password);
  const [before] = await transaction.query<{ personid: number; roles: string | null }>(
    'select personid, roles from person where person = $1::text for update',
    [name],
  );
  if (before)
    await transaction.query(
      `update person
       set status = 'Active', password = $2::text, roles = $3::text, lockeduntil = null,
         initialpassworddate = $4::timestamptz, updateddate = $4::timestamptz, version = version + 1
       where personid = $1::bigint`,
      [before.personid, hash, withRole(before.roles), now],
    );
  else
    await transaction.query(
      `insert into person (person, status, password, roles, initialpassworddate, createddate)
       values ($1::text, 'Active', $2::text, $3::text, $4::timestamptz, $4::timestamptz)`,
      [name, hash, ROLE, now],
    );
  await logWithoutUser((text, values) => transaction.query(text, values), {
    event: 'AdministratorRecovered',
    object: 'Person',
    detail: `${name}, on the command line`.slice(0, 400),
  });
  return { name, isNew: before === undefined, password };
}

async function restoreRole(transaction: Db, now: string): Promise<void> {
  const restored = await transaction.query(
    `update role
     set permissions = '*', universalaccess = true, updateddate = $2::timestamptz, version = version + 1
     where role = $1::text
     returning 1`,
    [ROLE, now],
  );
  if (restored.length > 0) return;
  await transaction.query(
    `insert into role (role, status, description, permissions, universalaccess, createddate)
     values ($1::text, 'Active', 'All operations on all rows.', '*', true, $2::timestamptz)`,
    [ROLE, now],
  );
}

function withRole(roles: string | null): string {
  const names = (roles ?? '').split(',').map((name) => name.trim());
  const has = names.some((name) => name.toLowerCase() === ROLE.toLowerCase());
  return has ? (roles ?? ROLE) : [...names.filter((name) => name !== ''), ROLE].join(', ');
}
