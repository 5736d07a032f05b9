import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Store, type Connection, type Transaction } from '../kernel/database/store.ts';
import { silentLog } from '../kernel/ports/log.ts';
import { dropCredentials } from '../modules/access/public/drop-credentials.ts';
import { logWithoutUser } from '../modules/access/securitylog/lib/log-without-user.ts';
import { dropRegistrations } from '../modules/contacts/organization/lib/drop-registrations.ts';
import { dropGatewayKeys } from '../modules/ledgers/public/drop-gateway-keys.ts';
import { dropSftpCredentials } from '../modules/imports/sftpaccount/lib/drop-credentials.ts';
import { ConfigurationError } from './configuration-error.ts';

/**
 * What a store is. `Paused`: a copy whose queues, schedules, watched folders and sFTP server do not run yet, so that it
 * neither sends nor fetches anything. `Copy`: a copy that runs.
 */
export type InstallationState = 'Original' | 'Paused' | 'Copy';

/** What an operator says about a store that is in another place than before. */
export type Decision = 'copy' | 'move';

/** Where a store is used: its database, and the name of the environment. */
interface Here {
  readonly place: string;
  readonly environment: string | null;
}

/** Where a store was last used, and what it is. */
interface Installation extends Here {
  readonly state: InstallationState;
}

/** File of the data folder with what a restored store is; the next start carries it out. */
export const RESTORED_AS = 'restored-as';

/** What people read about a paused copy. */
export const PAUSED_COPY =
  'this store is a copy of another installation. Its API keys, passwords and sessions do not work here, and queues, ' +
  'schedules, watched folders and sFTP do not run. Get a password with: npm run db -- administrator. Once mail ' +
  'servers, webhooks, storage locations and queued calls are checked: npm run db -- installation --resume, and restart';

/** Parameters of {@link openInstallation}. */
export interface InstallationParts {
  readonly connection: Connection;
  readonly dataFolder: string;
  /** CASEWRIGHT_ENVIRONMENT. */
  readonly environmentName: string | undefined;
}

/**
 * Compares a migrated store with the database and environment in which it was last used, and carries out the decision
 * of a restore. Returns what the store is.
 *
 * @throws ConfigurationError for a store that was copied or moved by other means, until an operator says which
 */
export async function openInstallation(parts: InstallationParts): Promise<InstallationState> {
  const decision = restoreDecision(parts.dataFolder);
  const state = await inTransaction(parts, async (transaction, here) => {
    const stored = await readInstallation(transaction);
    if (decision) return decide(transaction, here, stored, decision);
    if (!stored) return writeInstallation(transaction, here, 'Original');
    if (isHere(stored, here)) return writeInstallation(transaction, here, stored.state);
    throw new ConfigurationError(mismatchText(stored, here));
  });
  if (decision) rmSync(join(parts.dataFolder, RESTORED_AS), { force: true });
  return state;
}

/** Notes in the data folder what a restored store is. */
export function writeRestoreDecision(dataFolder: string, decision: Decision): void {
  writeFileSync(join(dataFolder, RESTORED_AS), `${decision}\n`, { mode: 0o600, flush: true });
}

/** Whether the store was restored and not started since: the first start carries out the decision of the restore. */
export function isRestoredStore(dataFolder: string): boolean {
  return restoreDecision(dataFolder) !== undefined;
}

/**
 * Carries out an operator's decision about the store, for `npm run db -- installation`. It replaces that of a restore
 * which the first start would carry out.
 */
export async function decideInstallation(parts: InstallationParts, decision: Decision): Promise<InstallationState> {
  const state = await inTransaction(parts, async (transaction, here) =>
    decide(transaction, here, await readInstallation(transaction), decision),
  );
  rmSync(join(parts.dataFolder, RESTORED_AS), { force: true });
  return state;
}

/**
 * Lets a copy run its queues and schedules from the next start on. Returns the state.
 *
 * @throws ConfigurationError if the store is no paused copy
 */
export function resumeInstallation(parts: InstallationParts): Promise<InstallationState> {
  return inTransaction(parts, async (transaction, here) => {
    const stored = await readInstallation(transaction);
    if (restoreDecision(parts.dataFolder) === 'copy')
      throw new ConfigurationError(
        'this copy has not been started since it was restored. Nothing was changed. Start it, check what leads to ' +
          "the original's partners, then repeat the command.",
      );
    if (stored?.state !== 'Paused' || !isHere(stored, here))
      throw new ConfigurationError('this store is not a paused copy. Nothing was changed.');
    await logDecision(transaction, 'CopyResumed', 'queues, schedules and sFTP run from the next start on');
    return writeInstallation(transaction, here, 'Copy');
  });
}

/** Returns what a store is, in words for people. */
export async function installationText(parts: InstallationParts): Promise<string> {
  const restored = restoreDecision(parts.dataFolder);
  if (restored === 'copy')
    return (
      "restored as a copy, not started yet: the first start makes the original's API keys, passwords and sessions " +
      'useless here, and starts without queues, schedules, watched folders and sFTP. If the original does not run ' +
      'any more: npm run db -- installation --move'
    );
  const stored = await inTransaction(parts, (transaction) => readInstallation(transaction));
  if (!stored) return 'not started yet';
  const texts: Readonly<Record<InstallationState, string>> = {
    Original: 'original',
    Paused: 'paused copy: queues, schedules, watched folders and sFTP do not run',
    Copy: 'copy, running',
  };
  return `${texts[stored.state]}; ${describe(stored)}`;
}

/**
 * Throws unless the store was copied or moved, or `isConfirmed`: dropping the credentials of an installation that is
 * where it was cannot be undone.
 */
export function assertMayDrop(parts: InstallationParts, isConfirmed: boolean): Promise<void> {
  return inTransaction(parts, async (transaction, here) => {
    const stored = await readInstallation(transaction);
    const isRestored = restoreDecision(parts.dataFolder) === 'copy';
    if (isConfirmed || isRestored || (stored && !isHere(stored, here))) return;
    throw new ConfigurationError(
      'this store is in the database and environment in which it was last used. Nothing was changed; if it ' +
        'is a copy anyway, repeat the command with --yes, which invalidates all API keys, passwords and ' +
        'sessions in it.',
    );
  });
}

function restoreDecision(dataFolder: string): Decision | undefined {
  const file = join(dataFolder, RESTORED_AS);
  if (!existsSync(file)) return undefined;
  return readFileSync(file, 'utf8').trim() === 'move' ? 'move' : 'copy';
}

/** Runs `run` in a transaction that locks the installation, alone among the processes that start. */
async function inTransaction<T>(
  { connection, environmentName }: InstallationParts,
  run: (transaction: Transaction, here: Here) => Promise<T>,
): Promise<T> {
  const store = new Store({ connection, log: silentLog, connectionsMax: 1 });
  try {
    return await store.transaction({ personId: null, firm: null, callId: 'installation' }, async (transaction) => {
      await transaction.query('lock table installation in share row exclusive mode');
      const [row] = await transaction.query<{ place: string }>(
        `select c.system_identifier || '/' || d.oid as place
         from pg_control_system() c, pg_database d
         where d.datname = current_database()`,
      );
      return run(transaction, { place: row?.place ?? '', environment: environmentName ?? null });
    });
  } finally {
    await store.end();
  }
}

async function readInstallation(transaction: Transaction): Promise<Installation | undefined> {
  const [stored] = await transaction.query<Installation>('select place, environment, state from installation');
  return stored;
}

/** A move keeps what the store was: a moved copy stays one. A copy loses the source's credentials and is paused. */
async function decide(
  transaction: Transaction,
  here: Here,
  stored: Installation | undefined,
  decision: Decision,
): Promise<InstallationState> {
  const from = stored ? `, before in ${describe(stored)}` : '';
  if (decision === 'move') {
    await logDecision(transaction, 'StoreMoved', `now in ${describe(here)}${from}`);
    return writeInstallation(transaction, here, stored?.state ?? 'Original');
  }
  await dropCredentials(transaction);
  await dropSftpCredentials(transaction);
  await dropRegistrations(transaction);
  await dropGatewayKeys(transaction);
  await logDecision(
    transaction,
    'StoreCopied',
    `API keys, passwords, sessions and keys of payment gateways dropped; now in ${describe(here)}${from}`,
  );
  return writeInstallation(transaction, here, 'Paused');
}

async function writeInstallation(
  transaction: Transaction,
  here: Here,
  state: InstallationState,
): Promise<InstallationState> {
  await transaction.query(
    `insert into installation as i (place, environment, state) values ($1::text, $2::text, $3::text)
     on conflict (singleton) do update
     set place = excluded.place, environment = excluded.environment, state = excluded.state, changed = now()
     where (i.place, i.environment, i.state) is distinct from (excluded.place, excluded.environment, excluded.state)`,
    [here.place, here.environment, state],
  );
  return state;
}

/** Whether a store was last used here. One whose environment had no name may be given one. */
function isHere(stored: Installation, here: Here): boolean {
  return stored.place === here.place && (stored.environment === null || stored.environment === here.environment);
}

function logDecision(transaction: Transaction, event: string, detail: string): Promise<void> {
  return logWithoutUser((text, values) => transaction.query(text, values), {
    event,
    object: 'Installation',
    detail: detail.slice(0, 400),
  });
}

function describe({ place, environment }: Here): string {
  return `${environment === null ? 'environment without a name' : `environment ${environment}`}, database ${place}`;
}

function mismatchText(stored: Installation, here: Here): string {
  const what =
    stored.place === here.place
      ? `was last used in the environment ${stored.environment ?? 'without a name'}, and CASEWRIGHT_ENVIRONMENT is ` +
        (here.environment ?? 'not set')
      : 'was last used in another database';
  return (
    `this store ${what}: it was moved or copied. Nothing was changed. If the original no longer runs (a new ` +
    'machine, a new version of PostgreSQL, a new name): npm run db -- installation --move. If it still runs: ' +
    'npm run db -- installation --copy. That invalidates the API keys, passwords and sessions in this store, and ' +
    'leaves queues, schedules, watched folders and sFTP off'
  );
}
