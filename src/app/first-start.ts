import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { lockNames } from '../kernel/database/advisory-lock.ts';
import type { Db, Actor } from '../kernel/database/store.ts';
import { invoke } from '../kernel/door/invoke.ts';
import { parseRoute } from '../kernel/door/route.ts';
import type { Platform } from '../kernel/ports/platform.ts';
import { hashPassword } from '../kernel/security/password.ts';
import { systemPersonId } from '../kernel/security/system-user.ts';
import { hashOfKey, newApiKey, startOfKey } from '../modules/access/apikey/lib/api-key.ts';
import { builtinRoles } from '../modules/access/role/lib/builtin-roles.ts';

/** Configuration documents that every installation starts with, as an export writes them. */
const CONFIGURATION = new URL('./standard/configuration.xml', import.meta.url);
const WORKFLOWS = new URL('./standard/workflows.xml', import.meta.url);

/** Users without password or key, who never sign in: internal work runs as System, workflow steps as Workflow. */
const BUILTIN_USERS = ['System', 'Workflow'];

const FIRST_START: Actor = { personId: null, firm: null, callId: 'first start' };

/** What the first start of a store created; the secrets are shown once and stored only as hashes. */
export interface FirstStart {
  readonly administratorId: number;
  /** The first administrator's API key, if it was generated rather than given. */
  readonly madeKey: string | undefined;
  /** The first administrator's password, generated together with the key. */
  readonly madePassword: string | undefined;
}

/** What a first start may leave out. */
export interface FirstStartOptions {
  /** Whether the standard workflows are loaded too, with their tasks and holds, and started by new referrals. */
  readonly workflows?: boolean;
}

/**
 * Prepares an empty store: creates the built-in roles and users, imports the standard configuration, and creates the
 * first administrator with an API key (and a password, unless the key is given). Returns undefined if the store has
 * been started before.
 *
 * One process does this while the others wait. The administrator is created last, so that an interrupted first start is
 * repeated: existing roles and built-in users are reused, and importing the same configuration again changes nothing.
 */
export async function loadFirst(
  platform: Platform,
  givenKey: string | undefined,
  options: FirstStartOptions = {},
): Promise<FirstStart | undefined> {
  const { store, clock } = platform;
  // Holds the lock in a separate transaction: the configuration is imported through the door, which opens another one.
  return store.transaction(FIRST_START, async (locked) => {
    await lockNames(locked, ['first start']);
    if (await hasUsers(locked)) return undefined;
    await store.transaction(FIRST_START, (transaction) => insertBuiltins(transaction, clock.now()));
    platform.configuration.expire();
    await importStandard(platform, CONFIGURATION);
    if (options.workflows) await importStandard(platform, WORKFLOWS);
    return store.transaction(FIRST_START, (transaction) => insertAdministrator(transaction, clock.now(), givenKey));
  });
}

async function hasUsers(db: Db): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(
    'select exists (select from person where person <> all ($1::text[])) as found',
    [`{${BUILTIN_USERS.join(',')}}`],
  );
  return row?.found ?? false;
}

async function insertBuiltins(transaction: Db, now: string): Promise<void> {
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

/** Imports a configuration document as the built-in user System, through the operation that administrators call. */
async function importStandard(platform: Platform, document: URL): Promise<void> {
  const personId = await systemPersonId(platform.configuration);
  if (personId === undefined) throw new Error('the built-in user System is missing');
  const bytes = readFileSync(document);
  await invoke(platform, {
    route: parseRoute(platform.registry, ['importfiletemplate', 'import'], 'POST'),
    parameters: {},
    principal: await platform.identity.ofPerson(personId),
    address: 'first start',
    correlationId: randomUUID(),
    body: {
      mime: 'text/xml',
      bytes: (async function* () {
        yield bytes;
      })(),
    },
  });
}

async function insertAdministrator(transaction: Db, now: string, givenKey: string | undefined): Promise<FirstStart> {
  const administratorId = await insertAdministratorUser(transaction, 'administrator', now);
  const key = givenKey ?? newApiKey();
  await transaction.query(
    `insert into apikey (apikey, status, personid, keyhash, keystart, createddate)
     values ('First administrator', 'Active', $1::bigint, $2::text, $3::text, $4::timestamptz)`,
    [administratorId, hashOfKey(key), startOfKey(key), now],
  );
  if (givenKey !== undefined) return { administratorId, madeKey: undefined, madePassword: undefined };
  const password = randomPassword();
  await transaction.query('update person set password = $2::text where personid = $1::bigint', [
    administratorId,
    await hashPassword(password),
  ]);
  return { administratorId, madeKey: key, madePassword: password };
}

/** Returns a random password, to be shown once. */
export function randomPassword(): string {
  return randomBytes(12).toString('base64url');
}
