import { join, resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { defined } from '../kernel/parameters/defined.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { silentLog, type Log } from '../kernel/ports/log.ts';
import { Store, type Connection } from '../kernel/database/store.ts';
import { textPage } from '../surfaces/http/pages.ts';
import { createServer } from '../surfaces/http/server.ts';
import { startMetricsListener } from '../surfaces/metrics/listener.ts';
import { METRICS_MIME, PrometheusMetrics } from '../surfaces/metrics/prometheus.ts';
import { startNotifier } from '../modules/console/notification/lib/notifier.ts';
import { startMailboxWatch } from '../modules/messages/lib/receiving/watch-mailboxes.ts';
import { startScheduler } from '../surfaces/scheduler/scheduler.ts';
import { startWorker } from '../surfaces/worker/worker.ts';
import { checkDatabase } from './database-check.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { logEncryption } from './database-encryption.ts';
import { ConfigurationError } from './configuration-error.ts';
import { connectionOf, type Environment, type Role } from './environment.ts';
import { openInstallation, PAUSED_COPY } from './installation.ts';
import { readDemoWorld } from '../modules/system/public/demo-world.ts';
import { loadDemo } from './demo/sample-referrals.ts';
import { startWorld } from './demo/start-world.ts';
import { assertCanListen, listenError, type Address } from './listen-address.ts';
import { housekeeping, slowTasks } from './housekeeping.ts';
import { createLog } from './log.ts';
import { migrate } from './migrate.ts';
import { pages } from './pages.ts';
import { openSecurityStream } from './security-stream.ts';
import { createPlatform, type RunningPlatform } from './platform.ts';
import { openSecretKeys } from './secret-key.ts';
import { openHostKeys, type HostKeys } from './sftp-host-keys.ts';
import { serveSftp, sftpFolder, sftpLine } from './sftp.ts';
import type { FirstStart } from '../modules/access/person/lib/first-users.ts';
import { loadFirst } from './first-start.ts';
import { logServerMessage } from './server-messages.ts';
import { VERSION } from './version.ts';

/** A running server. */
export interface RunningServer {
  readonly platform: RunningPlatform;
  /** Where it listens; undefined if it is no web server. */
  readonly url: string | undefined;
  readonly first: FirstStart | undefined;
  /** Stops accepting calls and jobs, finishes running ones, and closes. */
  stop(): Promise<void>;
}

/** What the parts of a starting server share. */
interface ServerStart {
  readonly environment: Environment;
  readonly dataFolder: string;
  readonly log: Log;
  readonly metrics: PrometheusMetrics;
  readonly hostKeys: Promise<HostKeys> | undefined;
  /** Prints a line for people. */
  readonly print: (line: string) => void;
  readonly onDatabaseExit: () => void;
  /** Functions that stop the started parts, in the order of their start. */
  readonly stops: (() => Promise<void>)[];
}

/** Starts the roles that the environment asks for. `print` prints a line for people. */
export async function startServer(
  environment: Environment,
  print: (line: string) => void,
  onDatabaseExit: () => void = () => undefined,
): Promise<RunningServer> {
  const dataFolder = resolve(environment.dataFolder);
  const start: ServerStart = {
    environment,
    dataFolder,
    log: createLog(environment.logLevel, environment.logTo),
    metrics: new PrometheusMetrics(VERSION),
    hostKeys: hostKeysOf(environment, dataFolder),
    print,
    onDatabaseExit,
    stops: [],
  };
  const stop = (): Promise<void> => stopAll(start.stops);
  try {
    return { ...(await startParts(start)), stop };
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}

/** Stops the parts in reverse order. If one fails to stop, the others, above all the database, are stopped anyway. */
async function stopAll(stops: (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (let last = stops.pop(); last; last = stops.pop()) await last().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

function hostKeysOf({ sftp, roles }: Environment, dataFolder: string): Promise<HostKeys> | undefined {
  if (!sftp || !roles.has('sftp')) return undefined;
  const hostKeys = openHostKeys(join(dataFolder, 'sftp-host-keys.pem'), sftp.hostKeys);
  // Created in parallel with the store; a failure is reported where the keys are used.
  hostKeys.catch(() => undefined);
  return hostKeys;
}

async function startParts(start: ServerStart): Promise<Omit<RunningServer, 'stop'>> {
  const { environment, print } = start;
  // Before anything is created: only the first start that gets to its end loads the demo.
  if (environment.roles.has('web')) await assertCanListen(environment, WEB_VARIABLES);
  const { platform, roles, connection } = await startPlatform(start);
  const first = await loadFirst(platform, environment.administratorKey, { workflows: true, holidays: true });
  if (first) platform.configuration.expire();
  // Print it before anything else can fail: the key is now stored, and nobody else knows it.
  if (first?.madeKey !== undefined) print(`first administrator's API key, shown this once: ${first.madeKey}`);
  if (first?.madePassword !== undefined)
    print(`sign in at a browser as administrator with this password, shown this once: ${first.madePassword}`);
  else if (first) print('the administrator has no password yet; to sign in at a browser: npm run db -- administrator');
  // An embedded store has one process: jobs that ran when the last one ended are running nowhere.
  if (environment.databaseUrl === undefined) await platform.queue.takeOver(platform.store);
  const url = await startSurfaces(start, platform, roles);
  await startDemo(start, { platform, url, first, connection });
  return { platform, url, first };
}

/**
 * Sends the demo's sample referrals at a first start, then loads its cases in the background, at later starts too until
 * all are there.
 */
async function startDemo(
  { environment, dataFolder, print, stops }: ServerStart,
  { platform, url, first, connection }: Omit<RunningServer, 'stop'> & Pick<StartedPlatform, 'connection'>,
): Promise<void> {
  if (!environment.demo || url === undefined || environment.databaseUrl !== undefined) return;
  const administratorKey = environment.administratorKey ?? first?.madeKey;
  // Failing to load the demo is no reason not to serve.
  const failed = (error: unknown): void => {
    print(`the demo was not loaded: ${error instanceof Error ? error.message : String(error)}`);
  };
  if (first && administratorKey !== undefined) await loadDemo({ url, administratorKey, print }).catch(failed);
  const world = await readDemoWorld(platform.store);
  if (world ? world.finishedDate !== null : !first) return;
  const load = startWorld(
    {
      connection,
      dataFolder,
      filesFolder: join(dataFolder, 'files'),
      secretKey: environment.secretKey,
      logLevel: environment.logLevel,
    },
    { print, read: () => readDemoWorld(platform.store) },
  );
  stops.push(() => load.stop());
}

/** A platform with the roles that the process may have there, and how its database is connected to. */
interface StartedPlatform {
  readonly platform: RunningPlatform;
  readonly roles: ReadonlySet<Role>;
  readonly connection: Connection;
}

/** Starts the platform on the store. */
async function startPlatform(start: ServerStart): Promise<StartedPlatform> {
  const { environment, dataFolder, log, metrics, stops } = start;
  const connection = await openDatabase(start);
  await migrate(connection, (line) => {
    log.info(line);
  });
  const roles = await rolesHere(start, connection);
  const keys = await openSecretKeys(connection, dataFolder, environment.secretKey, log);
  stops.push(() => keys.stop());
  const platform = await createPlatform({
    connection,
    filesFolder: join(dataFolder, 'files'),
    mailFolder: join(dataFolder, 'mail'),
    storagesFolder: resolve(environment.storagesFolder ?? join(dataFolder, 'storages')),
    cipher: keys.cipher,
    clock: systemClock,
    log,
    metrics,
    supervise: roles.has('scheduler'),
    ...defined({ connections: environment.connections, securityLogMonthsMin: environment.securityLogMonthsMin }),
    ...(environment.securityLog ? { securityStream: openSecurityStream(environment.securityLog, log) } : {}),
  });
  stops.push(() => platform.stop());
  return { platform, roles, connection };
}

/** Returns the process's roles; on a paused copy only that of a web server, so that nothing is sent or fetched. */
async function rolesHere(
  { environment, dataFolder, log, print }: ServerStart,
  connection: Connection,
): Promise<ReadonlySet<Role>> {
  const { environmentName, roles } = environment;
  const state = await openInstallation({ connection, dataFolder, environmentName });
  if (state !== 'Paused') return roles;
  if (!roles.has('web')) throw new ConfigurationError(`this process is not started: ${PAUSED_COPY}`);
  log.warn(PAUSED_COPY);
  print(PAUSED_COPY);
  return new Set(['web']);
}

/** Starts the surfaces of the process's roles. Returns where the web server listens. */
async function startSurfaces(
  start: ServerStart,
  platform: RunningPlatform,
  roles: ReadonlySet<Role>,
): Promise<string | undefined> {
  const { environment, metrics, hostKeys, print } = start;
  // Surfaces stop together, so that none accepts new work while another finishes.
  const surfaces: (() => Promise<void>)[] = [];
  start.stops.push(() => together(surfaces));
  if (roles.has('scheduler')) {
    for (const tasks of [housekeeping, slowTasks]) {
      const scheduler = startScheduler(platform, tasks);
      surfaces.push(() => scheduler.stop());
    }
  }
  if (roles.has('worker')) {
    const worker = startWorker(platform, platform.queue);
    surfaces.push(() => worker.stop());
    const notifier = startNotifier(platform);
    surfaces.push(() => notifier.stop());
    const mailboxes = startMailboxWatch(platform);
    surfaces.push(() => mailboxes.stop());
  }
  if (environment.metrics) surfaces.push(await listenForMetrics(platform, metrics, environment.metrics, print));
  if (environment.sftp && hostKeys && roles.has('sftp')) {
    const folder = sftpFolder(start.dataFolder);
    surfaces.push(await listenForSftp(platform, environment.sftp, { hostKeys: await hostKeys, folder, print }));
  }
  return roles.has('web') ? listen(platform, metrics, environment, surfaces) : undefined;
}

async function together(stops: readonly (() => Promise<void>)[]): Promise<void> {
  const ends = await Promise.allSettled(stops.map((stop) => stop()));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

async function openDatabase({ environment, dataFolder, log, onDatabaseExit, stops }: ServerStart): Promise<Connection> {
  if (environment.databaseUrl !== undefined) {
    const connection = await checkDatabase(connectionOf(environment.databaseUrl));
    logEncryption(connection, log);
    return connection;
  }
  const embedded = await startEmbeddedPostgres({
    dataFolder,
    log: (text, facts) => logServerMessage(log, text, facts),
    onExit: onDatabaseExit,
  });
  stops.push(() => embedded.stop());
  const server = { host: embedded.socketFolder, port: embedded.port, user: embedded.user };
  await ensureDatabase({ ...server, database: 'postgres' });
  return { ...server, database: 'casewright' };
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

/**
 * Closes the web server once running calls are answered. A connection that was busy when the stop began stays open
 * after its response and would delay the stop, so idle connections are closed repeatedly.
 */
async function closeWeb(app: FastifyInstance): Promise<void> {
  const timer = setInterval(() => app.server.closeIdleConnections(), 50);
  try {
    await app.close();
  } finally {
    clearInterval(timer);
  }
}

/** The variables that set the web server's address. */
const WEB_VARIABLES = { host: 'HOST', port: 'PORT' } as const;

async function listen(
  platform: RunningPlatform,
  metrics: PrometheusMetrics,
  { host, port, trustedProxies }: Environment,
  stops: (() => Promise<void>)[],
): Promise<string> {
  const app = createServer(
    platform,
    { ...pages, '/metrics': textPage('MetricsRead', METRICS_MIME, (of) => metrics.text(of)) },
    trustedProxies,
  );
  stops.push(() => closeWeb(app));
  try {
    return await app.listen({ port, host });
  } catch (error) {
    throw listenError(error, { host, port }, WEB_VARIABLES);
  }
}

async function listenForMetrics(
  platform: RunningPlatform,
  metrics: PrometheusMetrics,
  address: Address,
  print: (line: string) => void,
): Promise<() => Promise<void>> {
  try {
    const listener = await startMetricsListener({ ...address, mime: METRICS_MIME, text: () => metrics.text(platform) });
    print(`metrics on ${listener.url}`);
    return () => listener.stop();
  } catch (error) {
    throw listenError(error, address, { host: 'METRICS_HOST', port: 'METRICS_PORT' });
  }
}

/** Starts the sFTP server. If the port was not set and another program uses it, the rest is served without sFTP. */
async function listenForSftp(
  platform: RunningPlatform,
  { host, port, isPortGiven }: NonNullable<Environment['sftp']>,
  {
    hostKeys,
    folder,
    print,
  }: { readonly hostKeys: HostKeys; readonly folder: string; readonly print: (line: string) => void },
): Promise<() => Promise<void>> {
  try {
    const server = await serveSftp(platform, { host, port, hostKeys, folder });
    print(sftpLine(server, hostKeys));
    return () => server.stop();
  } catch (error) {
    const known = listenError(error, { host, port }, { host: 'SFTP_HOST', port: 'SFTP_PORT' });
    if (isPortGiven || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw known;
    print(`sftp is not served: ${known instanceof Error ? known.message : String(known)}`);
    return () => Promise.resolve();
  }
}
