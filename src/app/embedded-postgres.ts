import { spawnAs, chooseAccount, type Account } from './embedded-postgres/account.ts';
import {
  checkClusterVersion,
  checkSettings,
  clusterPathFor,
  makeClusterIfAbsent,
  preparePaths,
  prepareSocketFolder,
  socketPort,
  superuser,
  writeConfiguration,
  type ClusterPaths,
} from './embedded-postgres/cluster.ts';
import { stopOrphan } from './embedded-postgres/orphan.ts';
import { takeOwnership } from './embedded-postgres/owner.ts';
import { findServerPackage, prepareProgram, readServerPackage, type Program } from './embedded-postgres/program.ts';
import { launchServer, type ServerExit } from './embedded-postgres/server-process.ts';
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export { EmbeddedPostgresError } from './embedded-postgres/error.ts';
export type { ServerExit } from './embedded-postgres/server-process.ts';

/** A running embedded PostgreSQL. Connect with postgres.js by `{ host: socketFolder, port, user, database }`. */
export interface EmbeddedPostgres {
  /** The folder of its unix socket, closed to other users; there is no TCP port. */
  readonly socketFolder: string;
  /** Only part of the socket's name. */
  readonly port: number;
  readonly user: string;
  /** As the server reports it, for example "18.4". */
  readonly version: string;
  /** The pid of its main process. */
  readonly pid: number;
  /** Shuts the server down and releases the data folder. May be called twice. */
  stop(): Promise<void>;
  /** Lets this process exit while the server runs, which otherwise keeps it alive. */
  unref(): void;
  /** Returns a libpq URL of one of its databases, for people and tools. */
  url(database: string): string;
}

/** Options of startEmbeddedPostgres. */
export interface EmbeddedPostgresOptions {
  /** Everything is below `<dataFolder>/postgres`; `<dataFolder>/owner.json` names the process that uses it. */
  readonly dataFolder: string;
  /** Receives messages of the supervisor and of the server (with `detail.source` 'postgres'). */
  readonly log: (line: string, detail?: Record<string, unknown>) => void;
  /** PostgreSQL settings that override the standard ones. */
  readonly settings?: Record<string, string>;
  /** Called when the server ends without stop(). The data folder stays owned until stop(). */
  readonly onExit?: (exit: ServerExit) => void;
  /** A folder with the server's npm package, for tests. Default: the installed one. */
  readonly packageFolder?: string;
}

/**
 * Starts the PostgreSQL that comes with Casewright on a private unix socket, creating its cluster if there is none.
 *
 * - Started by root, the server runs as uid 65534 (or as the existing cluster's owner), otherwise as this user.
 * - A data folder has one owner; a second one is refused with an EmbeddedPostgresError that names the first.
 * - When this process is killed (even by kill -9), Linux signals the server to shut down. Where that is impossible (no
 *   setpriv, macOS) it runs until the next start on this data folder stops it. No committed row is lost either way.
 * - A new cluster is synced to disk in the background during the first seconds. Every commit is synced as usual (fsync
 *   and synchronous_commit are on), but until then a crash of the machine can cost the new cluster.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log, settings = {} } = options;
  checkSettings(settings);
  const serverPackage =
    options.packageFolder === undefined ? await findServerPackage() : await readServerPackage(options.packageFolder);
  const places = preparePaths(options.dataFolder);
  checkClusterVersion(places.clusterFolder, serverPackage);
  const ownership = takeOwnership(places.dataFolder);
  try {
    const account = chooseAccount(places.clusterFolder);
    await stopOrphan(places, log);
    const program = await prepareProgram({ serverPackage, postgresFolder: places.postgresFolder, account, log });
    const isNew = await makeClusterIfAbsent(places, program, account);
    // PostgreSQL refuses a cluster that others may read; copies and restored backups often are such.
    chmodSync(places.clusterFolder, 0o700);
    writeConfiguration(places, account, settings);
    const socketFolder = prepareSocketFolder(places, account);
    const server = await launchServer({ places, program, account, socketFolder, log });
    const endSync = isNew && settings['fsync'] !== 'off' ? syncInBackground(places, program, account) : () => {};
    let stopping: Promise<void> | undefined;
    void server.exited.then((exit) => {
      if (!stopping) options.onExit?.(exit);
    });
    const stop = async () => {
      endSync();
      await server.stop();
      rmSync(socketFolder, { recursive: true, force: true });
      ownership.release();
    };
    return {
      socketFolder,
      port: socketPort,
      user: superuser,
      version: program.version,
      pid: server.pid,
      stop: () => (stopping ??= stop()),
      unref: () => server.unref(),
      url: (database) =>
        `postgresql://${superuser}@${encodeURIComponent(socketFolder)}:${socketPort}/${encodeURIComponent(database)}`,
    };
  } catch (error) {
    ownership.release();
    throw error;
  }
}

/** Syncs the files that initdb wrote, while the server runs. Returns a function that aborts it. */
function syncInBackground(places: ClusterPaths, program: Program, account: Account | undefined): () => void {
  const path = clusterPathFor(places.clusterFolder, account);
  const child = spawnAs(account, join(program.folder, 'bin', 'initdb'), ['--sync-only', '--pgdata', path], {
    cwd: places.clusterFolder,
    stdio: 'ignore',
  });
  // Failing to sync early is no error: the operating system writes the files out within moments.
  child.on('error', () => {});
  child.unref();
  return () => void child.kill();
}
