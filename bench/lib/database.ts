import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import postgres from 'postgres';
import { startEmbeddedPostgres } from '../../src/app/embedded-postgres.ts';
import { migrate } from '../../src/app/migrate.ts';
import { databaseCpu } from './database-cpu.ts';

/** How to connect to a benchmark's database; plain data, so that it can be sent to child processes. */
export interface BenchConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** A separate embedded PostgreSQL with its standard settings, so that every commit is durable. */
export interface BenchDatabase {
  /** A folder for the product's files, deleted with the database unless both are retained. */
  readonly folder: string;
  /** Creates a database, migrated to the product's schema unless `plain`. A retained one is left as it is. */
  create(name: string, plain?: 'plain'): Promise<BenchConnection>;
  /** The URL by which the product connects to an external database. */
  url(database: string): string;
  /** Runs a function with a separate connection. */
  use<T>(connection: BenchConnection, work: (sql: postgres.Sql) => Promise<T>): Promise<T>;
  /** CPU in microseconds that its processes have used; undefined where it is not known. */
  cpu(): number | undefined;
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL and verifies its durability settings. Its folder is temporary, unless `retained` names one that is
 * left for the next run.
 */
export async function startDatabase(retained?: string): Promise<BenchDatabase> {
  const folder = retained === undefined ? mkdtempSync(join(tmpdir(), 'casewright-bench-')) : resolve(retained);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o711);
  const server = await startEmbeddedPostgres({ dataFolder: folder, log: () => undefined });
  const connectionTo = (database: string): BenchConnection => ({
    host: server.socketFolder,
    port: server.port,
    user: server.user,
    database,
  });
  const use = async <T>(connection: BenchConnection, work: (sql: postgres.Sql) => Promise<T>): Promise<T> => {
    const sql = postgres({ ...connection, max: 1, onnotice: () => undefined });
    try {
      return await work(sql);
    } finally {
      await sql.end();
    }
  };
  await use(connectionTo('postgres'), assertDurable);
  return {
    folder,
    use,
    url: (database) => server.url(database),
    cpu: () => databaseCpu(server.pid),
    async create(name, plain) {
      await use(connectionTo('postgres'), async (sql) => {
        const known = await sql.unsafe('select 1 from pg_database where datname = $1', [name]);
        if (known.length === 0) await sql.unsafe(`create database ${name}`);
      });
      if (plain === undefined) await migrate(connectionTo(name), () => undefined);
      return connectionTo(name);
    },
    async stop() {
      await server.stop();
      if (retained === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function assertDurable(sql: postgres.Sql): Promise<void> {
  for (const name of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const [row] = await sql.unsafe<{ value: string }[]>(`select current_setting('${name}') as value`);
    if (row?.value !== 'on')
      throw new Error(
        `the benchmark's database has ${name} = ${String(row?.value)}; ` +
          'the figures would not be those of a durable server',
      );
  }
}
