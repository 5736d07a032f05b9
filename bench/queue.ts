import { createJobIndexes } from '../src/surfaces/shared/pgboss-sql.ts';
import { WORKER_CALLS_PER_QUEUE_MAX } from '../src/surfaces/worker/consumer.ts';
import type { BenchOptions } from './run.ts';
import { startChild } from './lib/child.ts';
import { startDatabase, type BenchConnection, type BenchDatabase } from './lib/database.ts';
import type { FloorQueueHandlers } from './lib/floor-queue.ts';
import { compare, line, type Side } from './lib/pairs.ts';
import type { ProductHandlers } from './lib/product.ts';

const ADMINISTRATOR_KEY = 'the-administrators-key-of-benchmarks';
const CONTACTS = 1_000;
/** Approximate number of jobs per second of a slice; the bare queue gets twice as many. */
const JOBS_A_SECOND = 1_000;
const FLOOR_FACTOR = 2;

/**
 * Queued calls through the door compared with pg-boss alone, whose jobs are empty transactions; and with themselves
 * while the table of jobs lacks our own indexes, which the administration's pages use.
 */
export async function bench(options: BenchOptions): Promise<void> {
  const database = await startDatabase();
  // Each side has a separate database on the server: a queue's table slows down when others insert into it.
  const [ours, bare] = [await database.create('bench'), await database.create('bare', 'plain')];
  const product = await startChild<ProductHandlers>(
    'product.ts',
    options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`],
  );
  const floor = await startChild<FloorQueueHandlers>('floor-queue.ts');
  try {
    await product.ask('start', {
      databaseUrl: database.url('bench'),
      dataFolder: database.folder,
      administratorKey: ADMINISTRATOR_KEY,
      roles: ['web', 'worker'],
    });
    await database.use(ours, async (sql) => {
      await sql.unsafe(
        `insert into contact (contact, recordclass, firstname, lastname)
         select 'L' || n || ', F', 'Contact', 'F', 'L' || n from generate_series(1, ${CONTACTS}) n`,
      );
    });
    await floor.ask('start', {
      connection: bare,
      queue: 'bare',
      batchSize: WORKER_CALLS_PER_QUEUE_MAX,
      localConcurrency: 1,
    });
    const jobs = options.rows ?? Math.round((options.plan.milliseconds / 1000) * JOBS_A_SECOND);
    const floorSide: Side = {
      slice: () => drain(database, bare, jobs * FLOOR_FACTOR, (n) => floor.ask('enqueue', n)),
      cpu: () => floor.ask('cpu', undefined),
    };
    for (const name of ['save', 'update', 'select'] as const) {
      if (!options.takes(name)) continue;
      const productSide: Side = {
        slice: () =>
          drain(database, ours, jobs, (n) =>
            product.ask('enqueue', { operation: `contact/${name}`, jobs: n, recordMax: CONTACTS }),
          ),
        cpu: () => product.ask('cpu', undefined),
      };
      options.print(
        line(`queue: contact/${name} in each job`, await compare(floorSide, productSide, options.plan), {
          rateAtLeast: 0.4,
        }),
      );
    }
    if (options.takes('own indexes')) {
      const sideWith = (set: (of: BenchDatabase, on: BenchConnection) => Promise<unknown>): Side => ({
        slice: async () => {
          await set(database, ours);
          return drain(database, ours, jobs, (n) =>
            product.ask('enqueue', { operation: 'contact/select', jobs: n, recordMax: CONTACTS }),
          );
        },
        cpu: () => product.ask('cpu', undefined),
        databaseCpu: () => database.cpu(),
      });
      const found = await compare(sideWith(dropOwnIndexes), sideWith(createOwnIndexes), options.plan);
      options.print(line('queue: with our own indexes, without as 1', found, { rateAtLeast: 0.9 }));
    }
  } finally {
    await Promise.all([product.stop(), floor.stop()]);
    await database.stop();
  }
}

function createOwnIndexes(database: BenchDatabase, connection: BenchConnection): Promise<number> {
  return database.use(connection, (sql) => {
    const run = async <Row>(text: string): Promise<Row[]> => [...(await sql.unsafe(text))] as Row[];
    return createJobIndexes({ query: run, outsideTransaction: async (text) => void (await run(text)) });
  });
}

function dropOwnIndexes(database: BenchDatabase, connection: BenchConnection): Promise<void> {
  return database.use(connection, async (sql) => {
    const indexes = await sql.unsafe<{ name: string }[]>(
      "select indexname as name from pg_indexes where schemaname = 'pgboss' and starts_with(indexname, 'casewright_')",
    );
    for (const { name } of indexes) await sql.unsafe(`drop index pgboss.${name}`);
  });
}

/**
 * Queues jobs in one transaction and waits until all are done. The time is from the first start to the last completion.
 */
async function drain(
  database: BenchDatabase,
  connection: BenchConnection,
  jobs: number,
  enqueue: (jobs: number) => Promise<void>,
): Promise<{ calls: number; seconds: number }> {
  return database.use(connection, async (sql) => {
    const [{ now } = { now: '' }] = await sql.unsafe<{ now: string }[]>('select clock_timestamp()::text as now');
    await enqueue(jobs);
    for (;;) {
      const [found] = await sql.unsafe<{ open: number; failed: number; seconds: number | null }[]>(
        `select count(*) filter (where state < 'completed')::integer as open,
           count(*) filter (where state > 'completed' or retry_count > 0)::integer as failed,
           extract(epoch from max(completed_on) - min(started_on))::float8 as seconds
         from pgboss.job where created_on >= $1::timestamptz`,
        [now],
      );
      if (!found || found.failed > 0) throw new Error(`${String(found?.failed)} jobs failed`);
      if (found.open === 0) {
        await sql.unsafe('delete from pgboss.job');
        return { calls: jobs, seconds: found.seconds ?? Number.NaN };
      }
      await sql.unsafe('select pg_sleep(0.25)');
    }
  });
}
