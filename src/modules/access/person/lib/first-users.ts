/** The roles and users that every store starts with. */
import { randomBytes } from 'node:crypto';
import type { Db } from '../../../../kernel/database/store.ts';
import { hashPassword } from '../../../../kernel/security/password.ts';
import { hashOfKey, newApiKey, startOfKey } from '../../apikey/lib/api-key.ts';
import { builtinRoles } from '../../role/lib/builtin-roles.ts';

/** Users without password or key, who never sign in: internal work runs as System, workflow steps as Workflow. */
const BUILTIN_USERS = ['System', 'Workflow'];

/** What the first start of a store created; the secrets are shown once and stored only as hashes. */
export interface FirstStart {
  readonly administratorId: number;
  /** The first administrator's API key, if it was generated rather than given. */
  readonly madeKey: string | undefined;
  /** The first administrator's password, generated together with the key. */
  readonly madePassword: string | undefined;
}

/** Whether anybody but the built-in users exists. */
export async function hasUsers(db: Db): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(
    'select exists (select from person where person <> all ($1::text[])) as found',
    [`{${BUILTIN_USERS.join(',')}}`],
  );
  return row?.found ?? false;
}

/** Creates the built-in roles and users, unless a store has users. */
export async function insertBuiltins(transaction: Db, now: string): Promise<void> {
  const [row] = await transaction.query<{ found: boolean }>('select exists (select from person) as found');
  if (row?.found) return;
  for (const role of builtinRoles) {
    await transaction.query(
      `insert into role (role, status, description, permissions, universalaccess, createddate)
       values ($1::text, 'Active', $2::text, nullif($3::text, ''), $4::boolean, $5::timestamptz)`,
      [role.Role, role.Description, role.Permissions, role.UniversalAccess, now],
    );
  }
  for (const name of BUILTIN_USERS) await insertAdministratorUser(transaction, name, now);
}

async function insertAdministratorUser(transaction: Db, name: string, now: string): Promise<number> {
  const [row] = await transaction.query<{ personid: number }>(
    `insert into person (person, status, roles, createddate)
     values ($1::text, 'Active', 'Administrator', $2::timestamptz) returning personid`,
    [name, now],
  );
  return row?.personid ?? 0;
}

/**
 * Creates the first administrator with an API key: the given one, or else a new one together with a password.
 */
export async function insertAdministrator(
  transaction: Db,
  now: string,
  givenKey: string | undefined,
): Promise<FirstStart> {
  const administratorId = await insertAdministratorUser(transaction, 'administrator', now);
  const key = givenKey ?? newApiKey();
  await transaction.query(
    `insert into apikey (apikey, status, personid, keyhash, keystart, createddate)
     values ('First administrator', 'Active', $1::bigint, $2::text, $3::text, $4::timestamptz)`,
    [administratorId, hashOfKey(key), startOfKey(key), now],
  );
  if (givenKey !== undefined) return { administratorId, madeKey: undefined, madePassword: undefined };
  const password = randomPassword();
  await transaction.query(
    `update person set password = $2::text, initialpassworddate = $3::timestamptz where personid = $1::bigint`,
    [administratorId, await hashPassword(password), now],
  );
  return { administratorId, madeKey: key, madePassword: password };
}

/** Returns a random password, to be shown once. */
export function randomPassword(): string {
  return randomBytes(12).toString('base64url');
}
