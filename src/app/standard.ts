import { randomBytes } from 'node:crypto';
import type { Platform } from '../kernel/ports/platform.ts';
import { hashOfKey, newApiKey, startOfKey } from '../modules/access/apikey/lib/key.ts';
import { hashPassword } from '../kernel/security/password.ts';
import { lockNames } from '../kernel/database/lock.ts';
import { builtinRoles } from '../modules/access/role/lib/builtin.ts';
import { loadStandardConfiguration } from './standard-configuration.ts';
import { loadStandardWorkflows } from './standard-workflows.ts';

/** What the first start of a store made that must be told once. */
export interface FirstStart {
  readonly administratorId: number;
  /** The first administrator's key, where it was made here rather than given. */
  readonly madeKey: string | undefined;
  /** The first administrator's password, made together with the key. */
  readonly madePassword: string | undefined;
}

/** What a first start may leave out. */
export interface FirstStartOptions {
  /** Whether the standard workflows are loaded too, with their tasks and holds, and started by new referrals. */
  readonly workflows?: boolean;
}

/**
 * Loads what every installation has, on an empty store: the built-in roles, the built-in users, the first administrator with
 * an API key, and a password where the key is not given. Answers undefined where the store has been started before. One process does it, the others wait.
 */
export async function loadFirst(
  platform: Platform,
  givenKey: string | undefined,
  options: FirstStartOptions = {},
): Promise<FirstStart | undefined> {
  const { store, clock } = platform;
  return store.transaction({ personId: null, firm: null, callId: 'first start' }, async (transaction) => {
    await lockNames(transaction, ['first start']);
    const [{ n } = { n: 0 }] = await transaction.query<{ n: number }>('select count(*)::integer as n from person');
    if (n > 0) return undefined;
    for (const role of builtinRoles) {
      await transaction.query(
        'insert into role (role, status, description, permissions, universalaccess, createddate) values ($1::text, $2::text, $3::text, $4::text, $5::boolean, $6::timestamptz)',
        [
          role.Role,
          'Active',
          role.Description,
          role.Permissions === '' ? null : role.Permissions,
          role.UniversalAccess,
          clock.now(),
        ],
      );
    }
    const person = async (name: string, status: string, roles: string): Promise<number> => {
      const [row] = await transaction.query<{ personid: number }>(
        'insert into person (person, status, roles, createddate) values ($1::text, $2::text, $3::text, $4::timestamptz) returning personid',
        [name, status, roles, clock.now()],
      );
      return row?.personid ?? 0;
    };
    await loadStandardConfiguration(transaction, clock.now());
    if (options.workflows) await loadStandardWorkflows(transaction, clock.now());
    // Built-in users never sign in: they have neither password nor key. Workflow steps and the platform's own work run as them.
    await person('System', 'Active', 'Administrator');
    await person('Workflow', 'Active', 'Administrator');
    const administratorId = await person('administrator', 'Active', 'Administrator');
    const key = givenKey ?? newApiKey();
    await transaction.query(
      'insert into apikey (apikey, status, personid, keyhash, keystart, createddate) values ($1::text, $2::text, $3::bigint, $4::text, $5::text, $6::timestamptz)',
      ['First administrator', 'Active', administratorId, hashOfKey(key), startOfKey(key), clock.now()],
    );
    if (givenKey !== undefined) return { administratorId, madeKey: undefined, madePassword: undefined };
    const password = randomPassword();
    await transaction.query('update person set password = $2::text where personid = $1::bigint', [
      administratorId,
      await hashPassword(password),
    ]);
    return { administratorId, madeKey: key, madePassword: password };
  });
}

/** A random password, to be shown once. */
export function randomPassword(): string {
  return randomBytes(12).toString('base64url');
}
