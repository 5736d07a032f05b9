import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canReach, ownUserName, runAs, type Account } from './account.ts';
import { EmbeddedPostgresError } from './error.ts';
import type { Program, ServerPackage } from './program.ts';

/** The name of the superuser of every embedded cluster. */
export const superuser = 'casewright';
/** Only the name of the socket file depends on it: nothing listens on a network. */
export const socketPort = 5432;

/** The folder in a data folder in which a restore puts its work aside until all of it is there. */
export const RESTORING = 'restoring';

/** Where the parts of one embedded server lie. */
export interface ClusterPaths {
  /** The caller's data folder, without symbolic links. */
  readonly dataFolder: string;
  /** `<data>/postgres`: everything of the server. */
  readonly postgresFolder: string;
  /** The cluster itself (what PostgreSQL calls PGDATA). */
  readonly clusterFolder: string;
  /** Recognises this cluster's processes in a list of processes. */
  readonly clusterName: string;
}

/**
 * Names the places of a data folder and makes the folders that are missing.
 *
 * Made by root, the folders can be entered (not listed) by others, because the server runs as another user; the
 * cluster itself is closed to all but that user.
 */
export function preparePaths(wanted: string): ClusterPaths {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  mkdirSync(wanted, { recursive: true, mode });
  const dataFolder = realpathSync(wanted);
  // A new cluster beside the files of a backup would be taken for the restored one.
  if (existsSync(join(dataFolder, RESTORING))) {
    throw new EmbeddedPostgresError(
      'folder',
      `A restore into ${dataFolder} was cut off, or is going on. Restore again; what it left is cleared then.`,
    );
  }
  const postgresFolder = join(dataFolder, 'postgres');
  mkdirSync(postgresFolder, { recursive: true, mode });
  return {
    dataFolder,
    postgresFolder,
    clusterFolder: join(postgresFolder, 'cluster'),
    clusterName: `casewright-${shortHash(dataFolder)}`,
  };
}

/** Refuses a cluster that another major version of PostgreSQL made. Only reads. */
export function checkClusterVersion(clusterFolder: string, serverPackage: ServerPackage): void {
  if (!existsSync(clusterFolder)) return;
  let found: string;
  try {
    found = readFileSync(join(clusterFolder, 'PG_VERSION'), 'utf8').trim();
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'folder',
      `${clusterFolder} should hold a PostgreSQL cluster, but its file PG_VERSION cannot be read ` +
        `(${(cause as Error).message}). Nothing was changed. Restore the folder from a backup, or move it away to begin anew.`,
      { cause },
    );
  }
  if (Number.parseInt(found, 10) === serverPackage.major) return;
  throw new EmbeddedPostgresError(
    'version',
    `${clusterFolder} was made by PostgreSQL ${found}, but this Casewright brings PostgreSQL ${serverPackage.major} ` +
      `(${serverPackage.version}). Nothing was changed. Start it with a Casewright that brings PostgreSQL ${found}, ` +
      `or move the data over with a PostgreSQL of your own by dump and restore.`,
  );
}

/**
 * The path by which the server's user names the cluster.
 *
 * Below a folder that is closed to that user (a home folder of root, say) no absolute path works. The server is started
 * with the cluster as its working folder, and Linux lets a process name that by /proc/self/cwd without passing the
 * folders above.
 */
export function clusterPathFor(folder: string, account: Account | undefined): string {
  if (canReach(folder, account)) return folder;
  if (process.platform === 'linux') return '/proc/self/cwd';
  throw new EmbeddedPostgresError(
    'folder',
    `The folder ${folder} cannot be reached by uid ${account?.uid}, as which the server runs when Casewright is ` +
      `started by root. Choose a data folder outside closed folders, or start as an ordinary user.`,
  );
}

/**
 * Makes the cluster when there is none. It is made under another name and renamed at the end, so a cluster under its
 * own name is always a whole one, and what a killed initdb left is removed here.
 *
 * Returns whether a cluster was made. initdb does not sync (a second or more on a slow disk): see syncInBackground.
 */
export async function makeClusterIfAbsent(
  places: ClusterPaths,
  program: Program,
  account: Account | undefined,
): Promise<boolean> {
  removeUnfinished(places);
  if (existsSync(places.clusterFolder)) return false;
  const unfinished = mkdtempSync(join(places.postgresFolder, 'cluster.new-'));
  if (account) chownSync(unfinished, account.uid, account.gid);
  const path = clusterPathFor(unfinished, account);
  const finished = await runAs(
    account,
    join(program.folder, 'bin', 'initdb'),
    [
      ...['--pgdata', path, '--username', superuser, '--encoding', 'UTF8', '--locale', 'C'],
      ...['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
      ...['--data-checksums', '--auth', 'trust', '--no-sync', '--no-instructions'],
    ],
    unfinished,
  );
  if (finished.code !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new EmbeddedPostgresError(
      'initdb',
      `The PostgreSQL cluster could not be made in ${places.postgresFolder} (initdb ended with ` +
        `${finished.code ?? finished.signal}): ${finished.output.trim().split('\n').slice(-4).join(' ')}`,
    );
  }
  renameSync(unfinished, places.clusterFolder);
  // The initdb of a killed owner may have been dying still, and have written a last file behind the removal above.
  removeUnfinished(places);
  return true;
}

function removeUnfinished(places: ClusterPaths): void {
  for (const name of readdirSync(places.postgresFolder)) {
    if (name.startsWith('cluster.new-'))
      rmSync(join(places.postgresFolder, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Writes the files by which the server is configured; those of an earlier start are replaced. */
export function writeConfiguration(
  places: ClusterPaths,
  account: Account | undefined,
  settings: Readonly<Record<string, string>>,
): void {
  const lines = Object.entries({ ...standardSettings, ...settings }).map(([name, value]) => {
    return `${name} = '${value.replaceAll("'", "''")}'`;
  });
  const head =
    '# Written anew at each start of Casewright. Settings of your own: ALTER SYSTEM (they are kept in postgresql.auto.conf).\n';
  const user = ownUserName();
  // Peer asks the kernel who calls, so even another program under the server's own uid is refused. A uid without a name
  // (some containers) cannot be asked for; the closed folder alone guards the socket then.
  const access = user === undefined ? 'local all casewright trust\n' : 'local all casewright peer map=casewright\n';
  const names = [...new Set([user ?? 'root', 'root'])];
  const map = names.map((name) => `casewright "${name.replaceAll('"', '""')}" ${superuser}\n`).join('');
  writeFor(account, join(places.clusterFolder, 'postgresql.conf'), `${head}${lines.join('\n')}\n`);
  writeFor(account, join(places.clusterFolder, 'pg_hba.conf'), `${head}${access}`);
  writeFor(account, join(places.clusterFolder, 'pg_ident.conf'), `${head}${map}`);
}

/** Refuses settings that decide what the supervisor alone decides. */
export function checkSettings(settings: Readonly<Record<string, string>>): void {
  const bad = Object.keys(settings).find(
    (name) => !/^[a-z_]+(\.[a-z_]+)?$/.test(name) || reservedSettings.includes(name),
  );
  if (bad === undefined) return;
  throw new EmbeddedPostgresError(
    'setting',
    `The setting "${bad}" cannot be given to the embedded PostgreSQL: names are lower case, and these are decided by ` +
      `Casewright itself: ${reservedSettings.join(', ')}.`,
  );
}

/** Settings that go on the command line, where neither a file nor ALTER SYSTEM can change them. */
export function fixedSettings(places: ClusterPaths, socketFolder: string): Record<string, string> {
  return {
    listen_addresses: '',
    unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    port: String(socketPort),
    cluster_name: places.clusterName,
    logging_collector: 'off',
    log_destination: 'stderr',
    log_line_prefix: '',
  };
}

/**
 * Makes the closed folder for the socket and returns its path: `<data>/postgres/socket`, or a folder below the system's
 * folder for temporary files when that path is too long for a socket or closed to the server's user.
 */
export function prepareSocketFolder(places: ClusterPaths, account: Account | undefined): string {
  const beside = join(places.postgresFolder, 'socket');
  if (fitsSocket(beside) && canReach(places.postgresFolder, account)) {
    mkdirSync(beside, { recursive: true, mode: 0o700 });
    return closeFolder(beside, account);
  }
  const system = realpathSync(tmpdir());
  const parent =
    fitsSocket(join(system, places.clusterName)) && canReach(system, account) ? system : realpathSync('/tmp');
  const hashed = join(parent, places.clusterName);
  try {
    mkdirSync(hashed, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // Anybody may make folders there, so one that is not plainly ours from an earlier start is left alone.
    const found = lstatSync(hashed);
    const ours =
      found.isDirectory() &&
      (found.uid === process.getuid?.() || found.uid === account?.uid) &&
      (found.mode & 0o077) === 0;
    if (!ours) return closeFolder(mkdtempSync(`${hashed}-`), account);
  }
  return closeFolder(hashed, account);
}

/**
 * 103 bytes is what macOS allows, Linux allows 107. Twelve bytes are kept for the name of a second try.
 */
function fitsSocket(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${socketPort}`)) + 12 <= 103;
}

/** Empties the folder too: no server of ours lives now, and a lock file there may name a pid that is another's by now. */
function closeFolder(folder: string, account: Account | undefined): string {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true });
  chmodSync(folder, 0o700);
  if (account) chownSync(folder, account.uid, account.gid);
  return folder;
}

function writeFor(account: Account | undefined, file: string, text: string): void {
  const draft = `${file}.new`;
  writeFileSync(draft, text, { mode: 0o600 });
  if (account) chownSync(draft, account.uid, account.gid);
  renameSync(draft, file);
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/**
 * For a small machine that runs the application as well. What the server writes about itself must hold no personal
 * data: statements, parameters and the values in error details stay out (the application sees its own errors anyway).
 */
const standardSettings: Readonly<Record<string, string>> = {
  shared_buffers: '128MB',
  max_connections: '100',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  effective_cache_size: '1GB',
  max_wal_size: '1GB',
  random_page_cost: '1.1',
  jit: 'off',
  autovacuum: 'on',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  wal_level: 'replica',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  datestyle: 'iso, ymd',
  default_text_search_config: 'pg_catalog.english',
  password_encryption: 'scram-sha-256',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_statement: 'none',
  log_min_duration_statement: '-1',
  log_checkpoints: 'off',
  log_autovacuum_min_duration: '-1',
  log_lock_waits: 'off',
};

const reservedSettings: readonly string[] = [
  'listen_addresses',
  'unix_socket_directories',
  'unix_socket_permissions',
  'port',
  'cluster_name',
  'data_directory',
  'config_file',
  'hba_file',
  'ident_file',
  'external_pid_file',
  'logging_collector',
  'log_destination',
  'log_line_prefix',
];
