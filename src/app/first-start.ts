import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { lockNames } from '../kernel/database/advisory-lock.ts';
import type { Actor } from '../kernel/database/store.ts';
import { invoke } from '../kernel/door/invoke.ts';
import { parseRoute } from '../kernel/door/route.ts';
import type { Platform } from '../kernel/ports/platform.ts';
import {
  type FirstStart,
  hasUsers,
  insertAdministrator,
  insertBuiltins,
} from '../modules/access/person/lib/first-users.ts';

/** Configuration documents that every installation starts with, as an export writes them. */
const CONFIGURATION = new URL('./standard/configuration.xml', import.meta.url);
const HOLIDAYS = new URL('./standard/holidays.xml', import.meta.url);
const VIEWS = new URL('./standard/views.xml', import.meta.url);
const WORKFLOWS = new URL('./standard/workflows.xml', import.meta.url);

const FIRST_START: Actor = { personId: null, firm: null, callId: 'first start' };

/** What a first start may leave out. */
export interface FirstStartOptions {
  /** Whether the federal holidays are loaded too. */
  readonly holidays?: boolean;
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
    await importStandard(platform, VIEWS);
    if (options.holidays) await importStandard(platform, HOLIDAYS);
    if (options.workflows) await importStandard(platform, WORKFLOWS);
    return store.transaction(FIRST_START, (transaction) => insertAdministrator(transaction, clock.now(), givenKey));
  });
}

/** Imports a configuration document as the built-in user System, through the operation that administrators call. */
async function importStandard(platform: Platform, document: URL): Promise<void> {
  const personId = await platform.identity.builtinPersonId(platform.configuration, 'System');
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
