import { resolve } from 'node:path';
import { systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { Store, type Connection } from '../kernel/store.ts';
import { createServer } from '../surfaces/http/server.ts';
import { pages } from '../surfaces/http/pages.ts';
import { startWorker } from '../surfaces/worker/worker.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.ts';
import { connectionOf, type Environment } from './environment.ts';
import { createLog } from './log.ts';
import { migrate } from './migrate.ts';
import { createPlatform, type RunningPlatform } from './platform.ts';
import { openCipher } from './secret-key.ts';
import { loadFirst, type FirstStart } from './standard.ts';

/** A server that serves. */
export interface RunningServer {
  readonly platform: RunningPlatform;
  /** Where it listens, or undefined where it is no web server. */
  readonly url: string | undefined;
  readonly first: FirstStart | undefined;
  /** Stops taking calls, finishes those that run, and closes. */
  stop(): Promise<void>;
}

/** Starts everything that the environment asks for. `say` prints a line for people. */
export async function startServer(environment: Environment, say: (line: string) => void, onDatabaseExit: () => void = () => undefined): Promise<RunningServer> {
  const log = createLog(environment.logLevel);
  const dataFolder = resolve(environment.dataFolder);
  const embedded = environment.databaseUrl === undefined ? await startEmbedded(dataFolder, log, onDatabaseExit) : undefined;
  try {
    const connection = embedded ? { host: embedded.socketFolder, port: embedded.port, user: embedded.user, database: 'casewright' } : connectionOf(String(environment.databaseUrl));
    await migrate(connection, (line) => log.info(line));
    const platform = await createPlatform({ connection, cipher: openCipher(dataFolder, environment.secretKey), clock: systemClock, log, supervise: environment.roles.has('scheduler') });
    const first = await loadFirst(platform, environment.administratorKey);
    if (first) platform.configuration.expire();
    if (environment.roles.has('worker')) await startWorker(platform, platform.queue);
    const app = environment.roles.has('web') ? createServer(platform, pages) : undefined;
    const url = await app?.listen({ port: environment.port, host: environment.host });
    if (first?.madeKey !== undefined) say(`first administrator's API key, shown this once: ${first.madeKey}`);
    return {
      platform,
      url,
      first,
      async stop() {
        await app?.close();
        await platform.stop();
        await embedded?.stop();
      },
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

async function startEmbedded(dataFolder: string, log: ReturnType<typeof createLog>, onDatabaseExit: () => void): Promise<EmbeddedPostgres> {
  const embedded = await startEmbeddedPostgres({ dataFolder, log: (line, detail) => log.info(line, detail ?? {}), onExit: onDatabaseExit });
  await ensureDatabase({ host: embedded.socketFolder, port: embedded.port, user: embedded.user, database: 'postgres' });
  return embedded;
}

async function ensureDatabase(connection: Connection): Promise<void> {
  const store = new Store({ connection, log: silentLog, connectionsMax: 1 });
  try {
    const found = await store.query("select 1 from pg_database where datname = 'casewright'");
    if (found.length === 0) await store.script('create database casewright');
  } finally {
    await store.end();
  }
}
