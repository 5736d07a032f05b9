/**
 * `npm run db -- <command>`: operators' commands on the store of an installation, most of them while it is running.
 *
 * Reads the same environment as the server: DATABASE_URL or the data folder, and the secret key.
 */
import { join, resolve } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { Store } from '../kernel/database/store.ts';
import { recoverAdministrator } from '../modules/access/person/lib/recover-administrator.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { nearest } from '../kernel/door/errors.ts';
import { backup } from './backup/backup.ts';
import { restore } from './backup/restore.ts';
import { ConfigurationError } from './configuration-error.ts';
import { connectionOf, readEnvironment, type Environment } from './environment.ts';
import {
  assertMayDrop,
  decideInstallation,
  installationText,
  isRestoredStore,
  openInstallation,
  resumeInstallation,
  type InstallationParts,
} from './installation.ts';
import { ledgerCheck } from './ledger-check.ts';
import { createLog } from './log.ts';
import { migrate } from './migrate.ts';
import { migrateDown, planDown } from './migrate-down.ts';
import { openStore, type OpenStore } from './open-store.ts';
import { watchParent } from './parent-watch.ts';
import { keySource, type KeySource } from './rotation/key-source.ts';
import { BATCH_ROWS, sealedStore } from './rotation/reseal.ts';
import { rotate } from './rotation/rotate.ts';
import { storeStatus } from './store-status.ts';
import { VERSION } from './version.ts';

/** Most rows that one transaction of a rotation may reseal: they are locked meanwhile. */
const ROWS_MAX = 10_000;
/** Connections of the platform that a rotation opens in addition to the serving ones. */
const CONNECTIONS_MAX = 2;

/** Arguments of a command. */
interface Call {
  readonly environment: Environment;
  readonly dataFolder: string;
  readonly source: KeySource;
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly print: (line: string) => void;
}

interface Command {
  readonly usage: string;
  readonly about: string;
  readonly options?: NonNullable<ParseArgsConfig['options']>;
  /** How many, or the least and the most. */
  readonly positionals: number | readonly [number, number];
  run(call: Call): Promise<void>;
}

const commands: Readonly<Record<string, Command>> = {
  backup: {
    usage: 'backup <folder or file.tar>',
    about: 'backs up the installation while it runs; the backup does not contain the secret key',
    positionals: 1,
    run: runBackup,
  },
  restore: {
    usage: 'restore <folder or file.tar> [--move]',
    about:
      'restores a backup into the data folder (and DATABASE_URL), which must be empty: as a copy, or with ' +
      '--move in place of the original, which no longer runs',
    options: { move: { type: 'boolean' } },
    positionals: 1,
    run: runRestore,
  },
  rotate: {
    usage: 'rotate [--rows n]',
    about:
      'seals all sealed values with a new key while the installation runs, n rows per transaction ' +
      `(default: ${BATCH_ROWS})`,
    options: { rows: { type: 'string' } },
    positionals: 0,
    run: runRotate,
  },
  migrate: {
    usage: 'migrate [--to nnnn [--yes]]',
    about: 'updates the schema, or with --to undoes all migrations after nnnn',
    options: { to: { type: 'string' }, yes: { type: 'boolean' } },
    positionals: 0,
    run: runMigrate,
  },
  administrator: {
    usage: 'administrator [name]',
    about:
      "makes a user an active administrator with a new password, which it prints; default: 'administrator'. For an " +
      'installation that nobody can administer',
    positionals: [0, 1],
    run: runAdministrator,
  },
  installation: {
    usage: 'installation [--move | --copy [--yes] | --resume]',
    about:
      'shows whether the store is a copy. --move: it was moved here, and the original no longer runs. --copy: ' +
      'it is a copy; drops its API keys, passwords and sessions, and pauses it. --resume: lets a paused copy run',
    options: {
      move: { type: 'boolean' },
      copy: { type: 'boolean' },
      resume: { type: 'boolean' },
      yes: { type: 'boolean' },
    },
    positionals: 0,
    run: runInstallation,
  },
  'ledger-check': {
    usage: 'ledger-check [--journal <file>]',
    about:
      'compares the balances of all ledgers with their lines while the installation runs; ' +
      '--journal: writes the lines to a file for hledger',
    options: { journal: { type: 'string' } },
    positionals: 0,
    run: runLedgerCheck,
  },
  status: { usage: 'status', about: 'shows the migrations and the secret keys', positionals: 0, run: runStatus },
};

async function withStore(call: Call, run: (store: OpenStore) => Promise<void>): Promise<void> {
  const store = await openStore(call.environment);
  try {
    await run(store);
  } finally {
    await store.close();
  }
}

function runBackup(call: Call): Promise<void> {
  const { dataFolder, source, print, positionals } = call;
  return withStore(call, (store) =>
    backup({ store, dataFolder, source, print, version: VERSION, target: positionals[0] ?? '' }),
  );
}

function runRestore({ environment, dataFolder, source, print, positionals, values }: Call): Promise<void> {
  const connection = environment.databaseUrl === undefined ? undefined : connectionOf(environment.databaseUrl);
  return restore({
    backup: resolve(positionals[0] ?? ''),
    dataFolder,
    connection,
    source,
    print,
    as: values['move'] === true ? 'move' : 'copy',
  });
}

async function runRotate(call: Call): Promise<void> {
  const rows = Number(call.values['rows'] ?? BATCH_ROWS);
  if (!Number.isInteger(rows) || rows < 1 || rows > ROWS_MAX)
    throw new ConfigurationError(`--rows: expected a whole number from 1 to ${ROWS_MAX}`);
  const { dataFolder, source, print, environment } = call;
  const log = createLog(environment.logLevel === 'info' ? 'warn' : environment.logLevel, 'stderr');
  // Its modules take half a second to load, which no other command needs.
  const { createPlatform } = await import('./platform.ts');
  await withStore(call, async ({ connection, isExclusive: alone }) => {
    const open = (cipher: Parameters<typeof sealedStore>[1]) =>
      createPlatform({
        connection,
        filesFolder: join(dataFolder, 'files'),
        cipher,
        clock: systemClock,
        log,
        supervise: false,
        connectionsMax: CONNECTIONS_MAX,
      });
    await rotate({
      connection,
      source,
      isExclusive: alone,
      print,
      now: () => systemClock.now(),
      openSealedStore: async (ring) => sealedStore(await open(ring), ring, { rows, print }),
    });
  });
}

async function runMigrate(call: Call): Promise<void> {
  const { print, values } = call;
  const { to } = values;
  await withStore(call, async ({ connection }) => {
    if (typeof to !== 'string') {
      await migrate(connection, print);
      print('the schema is up to date');
      return;
    }
    const steps = await planDown(connection, to);
    if (steps.length === 0) {
      print(`nothing to undo: ${to} is the last migration`);
      return;
    }
    for (const { name, loses } of steps) print(`${name}: ${loses}`);
    if (values['yes'] !== true)
      throw new ConfigurationError(
        'undoing these migrations loses the data listed above. Take a backup, stop every process of the ' +
          'installation, and repeat the command with --yes',
      );
    await migrateDown(connection, to, print);
    print('start the older version now: this version would apply the migrations again');
  });
}

function runAdministrator(call: Call): Promise<void> {
  const { print, positionals, environment, dataFolder } = call;
  const log = createLog(environment.logLevel === 'info' ? 'warn' : environment.logLevel, 'stderr');
  return withStore(call, async ({ connection }) => {
    await finishRestore({ connection, dataFolder, environmentName: environment.environmentName }, print);
    const store = new Store({ connection, log, connectionsMax: CONNECTIONS_MAX });
    try {
      const { name, isNew, password } = await store.transaction(
        { personId: null, firm: null, callId: 'administrator on the command line' },
        (transaction) => recoverAdministrator(transaction, positionals[0] ?? 'administrator', systemClock.now()),
      );
      print(`${isNew ? 'created' : 'restored'} the administrator ${name}; all of the user's sessions have ended`);
      print(`password, shown only now: ${password} (choose your own at the first sign-in)`);
    } finally {
      await store.end();
    }
  });
}

/** Carries out what the first start of a restored store would: that of a copy would remove a password set before it. */
async function finishRestore(parts: InstallationParts, print: Call['print']): Promise<void> {
  if (!isRestoredStore(parts.dataFolder)) return;
  await migrate(parts.connection, print);
  if ((await openInstallation(parts)) === 'Paused') print(await installationText(parts));
}

function runInstallation(call: Call): Promise<void> {
  const { values, print, dataFolder, environment } = call;
  const chosen = (['move', 'copy', 'resume'] as const).filter((name) => values[name] === true);
  if (chosen.length > 1) throw new ConfigurationError('expected one of --move, --copy and --resume');
  const [choice] = chosen;
  return withStore(call, async ({ connection }) => {
    await migrate(connection, print);
    const parts = { connection, dataFolder, environmentName: environment.environmentName };
    if (choice === 'copy') await assertMayDrop(parts, values['yes'] === true);
    if (choice === 'resume') await resumeInstallation(parts);
    else if (choice !== undefined) await decideInstallation(parts, choice);
    print(await installationText(parts));
  });
}

function runLedgerCheck(call: Call): Promise<void> {
  const { print, values } = call;
  const journal = typeof values['journal'] === 'string' ? resolve(values['journal']) : undefined;
  return withStore(call, ({ connection }) => ledgerCheck({ connection, journal, print }));
}

function runStatus(call: Call): Promise<void> {
  return withStore(call, async ({ connection }) => {
    for (const line of await storeStatus(connection, call.source)) call.print(line);
  });
}

function usage(): string {
  const width = Math.max(...Object.values(commands).map((command) => command.usage.length));
  return Object.values(commands)
    .map((command) => `  npm run db -- ${command.usage.padEnd(width)}  ${command.about}`)
    .join('\n');
}

async function main(parameters: readonly string[]): Promise<void> {
  const [name = '', ...rest] = parameters;
  const command = commands[name];
  if (!command)
    throw new ConfigurationError(
      `${
        name === ''
          ? 'expected a command'
          : `unknown command ${name}${nearest(name, Object.keys(commands))
              .map((near) => `; did you mean ${near}?`)
              .join('')}`
      }\n${usage()}`,
    );
  const { values, positionals } = parsed(command, rest);
  const [least, most] =
    typeof command.positionals === 'number' ? [command.positionals, command.positionals] : command.positionals;
  if (positionals.length < least || positionals.length > most)
    throw new ConfigurationError(`expected: npm run db -- ${command.usage}`);
  const environment = readEnvironment(process.env, []);
  const dataFolder = resolve(environment.dataFolder);
  const source = keySource(dataFolder, environment.secretKey);
  await command.run({
    environment,
    dataFolder,
    source,
    positionals,
    values,
    print: (line) => void process.stdout.write(`${line}\n`),
  });
}

function parsed(command: Command, args: readonly string[]): { values: Call['values']; positionals: readonly string[] } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: command.options ?? {},
    });
    return { values: values as Call['values'], positionals };
  } catch (error) {
    throw new ConfigurationError(
      `${error instanceof Error ? error.message : String(error)}\nexpected: npm run db -- ${command.usage}`,
    );
  }
}

// A killed npm does not notify its children. Every command can be interrupted here as anywhere, and repeated.
watchParent(() => process.exit(1));
main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
