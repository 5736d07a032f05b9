import { chownSync, existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chooseAccount, runAs, spawnAs, type Account } from '../../../src/app/embedded-postgres/account.ts';
import { parentDeathPrefix } from '../../../src/app/embedded-postgres/server-process.ts';
import type { TestServer } from '../database.ts';
import { apt, readIfThere, installProblem } from './debian-packages.ts';

const binFolder = '/usr/lib/postgresql/15/bin';

/** A PostgreSQL 15 for tests, the oldest version that Casewright supports. */
export interface DebianPostgres {
  readonly server: TestServer;
  stop(): Promise<void>;
}

/**
 * Installs Debian's PostgreSQL 15 if possible (root on a Debian that has it). Returns undefined if it is available,
 * else the reason, to be printed.
 */
export function installDebianPostgres(log: (line: string) => void): string | undefined {
  if (existsSync(join(binFolder, 'postgres'))) return undefined;
  const impossible = installProblem();
  if (impossible !== undefined) return impossible;
  log('Installing PostgreSQL 15 for the tests …');
  // The common package first: its setting keeps the server package from creating and starting a cluster.
  const failed =
    apt('update') ?? apt('install', 'postgresql-common') ?? withoutMainCluster(() => apt('install', 'postgresql-15'));
  return existsSync(join(binFolder, 'postgres'))
    ? undefined
    : `it could not be installed: ${failed ?? 'its programs are missing'}`;
}

/** How a PostgreSQL 15 differs from the standard one of tests. */
export interface DebianPostgresOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** Puts files into the cluster's folder before the server starts; they must belong to the given account. */
  readonly prepare?: (cluster: string, account: Account | undefined) => void;
}

/**
 * Starts PostgreSQL 15 in a new temporary folder, on a unix socket only unless its settings say otherwise, as the
 * current user or uid 65534. Whoever reaches it may sign in as any user.
 */
export async function startDebianPostgres(options: DebianPostgresOptions = {}): Promise<DebianPostgres> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'casewright-15-'));
  const cluster = join(folder, 'cluster');
  const account = chooseAccount(cluster);
  if (account) chownSync(folder, account.uid, account.gid);
  const initdb = [
    '--pgdata',
    cluster,
    '--username',
    'casewright',
    '--encoding',
    'UTF8',
    '--locale',
    'C.UTF-8',
    '--auth',
    'trust',
    '--no-sync',
  ];
  const made = await runAs(account, join(binFolder, 'initdb'), initdb, '/');
  if (made.code !== 0) throw new Error(`initdb of PostgreSQL 15 failed: ${made.output}`);
  options.prepare?.(cluster, account);
  const settings = Object.entries({
    listen_addresses: '',
    unix_socket_directories: folder,
    fsync: 'off',
    max_connections: '400',
    jit: 'off',
    timezone: 'UTC',
    lc_messages: 'C',
    ...options.settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [file = '', ...parameters] = [
    ...(await parentDeathPrefix()),
    join(binFolder, 'postgres'),
    '-D',
    cluster,
    ...settings,
  ];
  const child = spawnAs(account, file, parameters, {
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  const lines: string[] = [];
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`PostgreSQL 15 ended before it was ready: ${lines.join('\n')}`)));
    createInterface({ input: child.stderr as NonNullable<typeof child.stderr> }).on('line', (line) => {
      if (lines.length < 50) lines.push(line);
      if (line.includes('database system is ready to accept connections')) resolve();
    });
  });
  const stop = async () => {
    child.kill('SIGINT');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  return { server: { host: folder, port: 5432, user: 'casewright' }, stop };
}

function withoutMainCluster<Result>(work: () => Result): Result {
  const file = '/etc/postgresql-common/createcluster.conf';
  const before = readIfThere(file);
  if (before === undefined) return work();
  writeFileSync(file, `${before}\ncreate_main_cluster = false\n`);
  try {
    return work();
  } finally {
    writeFileSync(file, before);
  }
}
