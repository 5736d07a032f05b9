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

/** The superuser of every embedded cluster. */
export const superuser = 'casewright';
/** Only the socket file's name depends on it: nothing listens on a network. */
export const socketPort = 5432;

/** The folder in a data folder in which a restore unpacks until it is complete. */
export const RESTORING = 'restoring';

/** Paths of one embedded server. */
export interface ClusterPaths {
  /** The caller's data folder, without symbolic links. */
  readonly dataFolder: string;
  /** `<data>/postgres`: everything of the server. */
  readonly postgresFolder: string;
  /** The cluster (PostgreSQL's PGDATA). */
  readonly clusterFolder: string;
  /** Identifies this cluster's processes in a process list. */
  readonly clusterName: string;
}

/**
 * Returns the paths of a data folder and creates missing folders.
 *
 * If created by root, other users can enter (not list) the folders, because the server runs as another user; the
 * cluster itself is closed to all but that user.
 */
export function preparePaths(requestedFolder: string): ClusterPaths {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  mkdirSync(requestedFolder, { recursive: true, mode });
  const dataFolder = realpathSync(requestedFolder);
  // A new cluster beside the files of a backup would be taken for the restored one.
  if (existsSync(join(dataFolder, RESTORING))) {
    throw new EmbeddedPostgresError(
      'folder',
      `A restore into ${dataFolder} was interrupted or is still running. Repeat the restore; it first deletes the ` +
        'files of the interrupted one.',
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

/** Refuses a cluster of another major version of PostgreSQL. Read-only. */
export function checkClusterVersion(clusterFolder: string, serverPackage: ServerPackage): void {
  if (!existsSync(clusterFolder)) return;
  let found: string;
  try {
    found = readFileSync(join(clusterFolder, 'PG_VERSION'), 'utf8').trim();
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'folder',
      `${clusterFolder} should contain a PostgreSQL cluster, but its file PG_VERSION cannot be read ` +
        `(${(cause as Error).message}). Nothing was changed. Restore the folder from a backup, or move it ` +
        'away to begin anew.',
      { cause },
    );
  }
  if (Number.parseInt(found, 10) === serverPackage.major) return;
  throw new EmbeddedPostgresError(
    'version',
    `${clusterFolder} was created by PostgreSQL ${found}, but this version of Casewright includes ` +
      `PostgreSQL ${serverPackage.major} (${serverPackage.version}). Nothing was changed. Start it with a version of ` +
      `Casewright that includes PostgreSQL ${found}, or migrate the data by dump and restore.`,
  );
}

/**
 * Returns the path by which the server's user names the cluster.
 *
 * Below a folder that is closed to that user (such as root's home folder) no absolute path works. The server is started
 * with the cluster as its working folder, which Linux lets a process name as /proc/self/cwd without passing the folders
 * above.
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
 * Creates the cluster if there is none. Creates it under another name and renames it at the end, so a cluster under its
 * final name is always complete; deletes what a killed initdb left.
 *
 * Returns whether it was created. initdb does not sync (a second or more on a slow disk): see syncInBackground.
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
      `The PostgreSQL cluster could not be created in ${places.postgresFolder} (initdb ended with ` +
        `${finished.code ?? finished.signal}): ${finished.output.trim().split('\n').slice(-4).join(' ')}`,
    );
  }
  renameSync(unfinished, places.clusterFolder);
  // The initdb of a killed owner may still have been ending, and have written a last file after the first removal.
  removeUnfinished(places);
  return true;
}

function removeUnfinished(places: ClusterPaths): void {
  for (const name of readdirSync(places.postgresFolder)) {
    if (name.startsWith('cluster.new-'))
      rmSync(join(places.postgresFolder, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Writes the server's configuration files, replacing those of an earlier start. */
export function writeConfiguration(
  places: ClusterPaths,
  account: Account | undefined,
  settings: Readonly<Record<string, string>>,
): void {
  const lines = Object.entries({ ...standardSettings, ...settings }).map(([name, value]) => {
    return `${name} = '${value.replaceAll("'", "''")}'`;
  });
  const head =
    '# Rewritten at each start of Casewright. Change settings with ALTER SYSTEM (stored in ' +
    'postgresql.auto.conf).\n';
  const user = ownUserName();
  // Peer authentication asks the kernel for the caller, so even another program under the server's uid is refused. A
  // uid without a name (in some containers) cannot be used for it; then only the closed folder guards the socket.
  const access = user === undefined ? 'local all casewright trust\n' : 'local all casewright peer map=casewright\n';
  const names = [...new Set([user ?? 'root', 'root'])];
  const map = names.map((name) => `casewright "${name.replaceAll('"', '""')}" ${superuser}\n`).join('');
  writeFor(account, join(places.clusterFolder, 'postgresql.conf'), `${head}${lines.join('\n')}\n`);
  writeFor(account, join(places.clusterFolder, 'pg_hba.conf'), `${head}${access}`);
  writeFor(account, join(places.clusterFolder, 'pg_ident.conf'), `${head}${map}`);
}

/** Refuses settings that only the supervisor may decide. */
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

/** Settings for the command line, where neither a file nor ALTER SYSTEM can change them. */
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
 * Creates the closed folder of the socket and returns its path: `<data>/postgres/socket`, or a folder below the
 * system's temporary folder if that path is too long for a socket or closed to the server's user.
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
    // Any user may create folders there, so one that is not clearly ours from an earlier start is left alone.
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
 * Whether a socket path fits: macOS allows 103 bytes, Linux 107. Reserves twelve bytes for the name of a second try.
 */
function fitsSocket(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${socketPort}`)) + 12 <= 103;
}

/**
 * Also empties the folder: none of our servers is running now, and a lock file may name a pid that is reused by now.
 */
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
 * Settings for a small machine that also runs the application. The server's log must contain no personal data:
 * statements, parameters and values of error details stay out (the application sees its own errors anyway).
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
