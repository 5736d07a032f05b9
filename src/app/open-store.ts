import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '../kernel/database/store.ts';
import { ConfigurationError } from './configuration-error.ts';
import { checkDatabase } from './database-check.ts';
import { EmbeddedPostgresError, startEmbeddedPostgres } from './embedded-postgres.ts';
import { superuser } from './embedded-postgres/cluster.ts';
import { connectionOf, type Environment } from './environment.ts';

/** Longest wait for a server that is starting, in seconds. */
const START_SECONDS_MAX = 60;

/** The store of an installation, for a tool that works on it beside the serving processes. */
export interface OpenStore {
  readonly connection: Connection;
  /** The folder of the embedded server's cluster; undefined for the operator's own database. */
  readonly cluster: string | undefined;
  /** Whether no other process can be using it: the embedded server was not running and was started for this tool. */
  readonly isExclusive: boolean;
  /** Stops what was started for it. */
  close(): Promise<void>;
}

/**
 * Connects to the store: that of `DATABASE_URL`, or the embedded one of the data folder, which is started unless it
 * runs.
 */
export async function openStore(environment: Pick<Environment, 'databaseUrl' | 'dataFolder'>): Promise<OpenStore> {
  if (environment.databaseUrl !== undefined) {
    const connection = await checkDatabase(connectionOf(environment.databaseUrl));
    return { connection, cluster: undefined, isExclusive: false, close: async () => undefined };
  }
  const dataFolder = resolve(environment.dataFolder);
  const cluster = join(dataFolder, 'postgres', 'cluster');
  if (!existsSync(cluster))
    throw new ConfigurationError(
      `no store found in ${dataFolder}. Set CASEWRIGHT_DATA to the data folder of the installation, or ` +
        'DATABASE_URL.',
    );
  try {
    const embedded = await startEmbeddedPostgres({ dataFolder, log: () => undefined });
    return {
      connection: { host: embedded.socketFolder, port: embedded.port, user: embedded.user, database: 'casewright' },
      cluster,
      isExclusive: true,
      close: () => embedded.stop(),
    };
  } catch (error) {
    if (!(error instanceof EmbeddedPostgresError) || error.reason !== 'owned') throw error;
  }
  return { connection: await runningServer(cluster), cluster, isExclusive: false, close: async () => undefined };
}

/** Returns the connection of a cluster's running server, once its postmaster.pid says that it is ready. */
async function runningServer(cluster: string): Promise<Connection> {
  const until = performance.now() + START_SECONDS_MAX * 1_000;
  for (;;) {
    const [, , , port, socketFolder, , , status] = linesOf(join(cluster, 'postmaster.pid'));
    if (port !== undefined && socketFolder !== undefined && status?.trim() === 'ready')
      return { host: socketFolder, port: Number(port), user: superuser, database: 'casewright' };
    if (performance.now() > until)
      throw new Error(
        `the data folder is in use, but its database server is not ready after ${START_SECONDS_MAX} seconds. ` +
          'Try again later, or check the log of the server.',
      );
    await delay(100);
  }
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
