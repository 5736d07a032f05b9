import { atEnd } from './at-end.ts';
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { migrate } from '../../src/app/migrate.ts';
import { startEmbeddedPostgres } from '../../src/app/embedded-postgres.ts';

/** A PostgreSQL server for tests: connection options of postgres.js, without a `database`. */
export interface TestServer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
}

/** A database of one test file. */
export interface TestDatabase extends TestServer {
  readonly database: string;
}

/** Where to register clean-up: a test's context `t`, or `{ after }` of node:test for the whole file. */
export interface CleanUp {
  after(clean: () => void | Promise<void>): void;
}

/**
 * What test databases are cloned from: created once per server, under a name with a hash of what defines its contents.
 */
export interface DatabaseTemplate {
  /** First part of the name: lower-case letters and underscores. */
  readonly name: string;
  /** The files that define its contents; a change in one of them creates a new template. */
  readonly sources: () => readonly string[];
  /** The template from which it is cloned; without one it starts from an empty database. */
  readonly base?: DatabaseTemplate;
  /** Fills the database, and closes every connection to it. */
  readonly fill: (database: TestDatabase) => Promise<void>;
}

/** Keys of the tests' session-level advisory locks: one held while a template is created, one for {@link alone}. */
const TEMPLATE_LOCK = 7_311_215;
const ALONE_LOCK = 7_311_216;

const ROOT = join(import.meta.dirname, '../..');

/** A database with the migrated schema and no rows. */
export const MIGRATED: DatabaseTemplate = {
  name: 'casewright_migrated',
  sources: () => globSync('db/*.sql', { cwd: ROOT }).sort(),
  fill: (database) => migrate(database, () => {}),
};

/**
 * Returns a fresh database, cloned from a template (with the migrated schema and no rows unless another is given); it
 * is dropped at the end of the test (or file) that it was made for.
 *
 * @example
 * const database = await testDatabase({ after });
 * const sql = postgres(database);
 */
export async function testDatabase(cleanUp: CleanUp, template: DatabaseTemplate = MIGRATED): Promise<TestDatabase> {
  return databaseOn(await testServer(), cleanUp, template);
}

/** Returns a fresh database on a given server. */
export async function databaseOn(
  server: TestServer,
  cleanUp: CleanUp,
  template: DatabaseTemplate,
): Promise<TestDatabase> {
  return createDatabase(server, cleanUp, await ensureTemplate(server, template));
}

/** Returns a fresh database without any schema, for tests of migrations themselves. */
export async function emptyTestDatabase(cleanUp: CleanUp): Promise<TestDatabase> {
  return createDatabase(await testServer(), cleanUp, 'template0');
}

let own: Promise<TestServer> | undefined;

/**
 * Returns the server that `npm test` started (CASEWRIGHT_TEST_POSTGRES). For a file run by hand it starts one, which
 * stops when the process has nothing more to do.
 */
export function testServer(): Promise<TestServer> {
  const given = process.env['CASEWRIGHT_TEST_POSTGRES'];
  if (given !== undefined) return Promise.resolve(JSON.parse(given) as TestServer);
  return (own ??= startOwnServer());
}

async function startOwnServer(): Promise<TestServer> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'casewright-test-'));
  chmodSync(dataFolder, 0o711);
  const server = await startEmbeddedPostgres({ dataFolder, log: () => {}, settings: { fsync: 'off' } });
  // A hook of node:test would run before the hooks that the file adds later, which still need the server.
  server.unref();
  process.once('beforeExit', () => {
    void server.stop().then(() => rmSync(dataFolder, { recursive: true, force: true }));
  });
  return { host: server.socketFolder, port: server.port, user: server.user };
}

async function createDatabase(server: TestServer, cleanUp: CleanUp, template: string): Promise<TestDatabase> {
  const database = `test_${process.pid}_${randomBytes(4).toString('hex')}`;
  // For a schema of 150 tables: 37 ms against 46 to 120 ms by wal_log, and 15 against 35 ms to drop it.
  await asAdmin(server, (sql) => sql.unsafe(`create database ${database} template ${template} strategy file_copy`));
  // Created first, so removed last: anything still using it would try to reconnect forever.
  atEnd(cleanUp, () => asAdmin(server, (sql) => sql.unsafe(`drop database if exists ${database} with (force)`)));
  return { ...server, database };
}

/** Names of existing templates, by server and template. */
const templateNames = new Map<string, Promise<string>>();

/** Creates the template if the server lacks it, and returns its name. */
function ensureTemplate(server: TestServer, template: DatabaseTemplate): Promise<string> {
  const key = `${server.host}:${server.port}/${template.name}`;
  let name = templateNames.get(key);
  if (name === undefined) {
    name = makeTemplate(server, template);
    templateNames.set(key, name);
  }
  return name;
}

/**
 * The lock belongs to the session, so if a test process dies while it creates the template, the next one gets the lock;
 * the template takes its final name only when it is complete.
 */
async function makeTemplate(server: TestServer, template: DatabaseTemplate): Promise<string> {
  const { base, fill } = template;
  const name = `${template.name}_${hashOfSources(template)}`;
  const from = base === undefined ? 'template0' : await ensureTemplate(server, base);
  await asAdmin(server, async (sql) => {
    await sql`select pg_advisory_lock(${TEMPLATE_LOCK})`;
    const existing = await sql`select 1 from pg_database where datname = ${name}`;
    if (existing.length === 0) {
      const unfinished = `${name}_unfinished`;
      await sql.unsafe(`drop database if exists ${unfinished} with (force)`);
      await sql.unsafe(`create database ${unfinished} template ${from}`);
      await fill({ ...server, database: unfinished });
      // Connections must be refused, even autovacuum's: cloning needs a template that is not in use.
      await sql.unsafe(`alter database ${unfinished} allow_connections false`);
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${unfinished}`;
      await sql.unsafe(`alter database ${unfinished} rename to ${name}`);
    }
    await sql`select pg_advisory_unlock(${TEMPLATE_LOCK})`;
  });
  return name;
}

function hashOfSources({ base, sources }: DatabaseTemplate): string {
  const hash = createHash('sha256').update(base === undefined ? '' : hashOfSources(base));
  for (const name of sources()) hash.update(name).update(readFileSync(join(ROOT, name)));
  return hash.digest('hex').slice(0, 12);
}

/** Does something that the processes of a run must not do at the same time; it ends with the process at the latest. */
export async function alone(work: () => Promise<void>): Promise<void> {
  await asAdmin(await testServer(), async (sql) => {
    await sql`select pg_advisory_lock(${ALONE_LOCK})`;
    await work();
  });
}

async function asAdmin<Result>(server: TestServer, work: (sql: postgres.Sql) => Promise<Result>): Promise<Result> {
  const sql = postgres({ ...server, database: 'postgres', max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}
