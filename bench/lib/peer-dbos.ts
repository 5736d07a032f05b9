import { join } from 'node:path';
import { answerParent, type CpuUsage } from './child.ts';
import type { BenchConnection } from './database.ts';

/** The measured part of @dbos-inc/dbos-sdk, which is installed separately and not used by the product. */
interface Peer {
  readonly DBOS: {
    setConfig(config: object): void;
    launch(): Promise<void>;
    shutdown(): Promise<void>;
    registerWorkflow<A>(
      run: (argument: A) => Promise<void>,
      options: { readonly name: string },
    ): (argument: A) => Promise<void>;
    runStep<T>(run: () => Promise<T>, options: { readonly name: string }): Promise<T>;
  };
}

interface Client {
  query(text: string, values?: readonly unknown[]): Promise<unknown>;
  end(): Promise<void>;
}

/** What to run with it. */
export interface PeerSlice {
  readonly steps: number;
  /** Whether each step updates a record in a separate statement; otherwise steps do nothing. */
  readonly changes: boolean;
  readonly callers: number;
  readonly milliseconds: number;
}

/** The requests that the peer's process handles. */
export type PeerHandlers = typeof handlers;

/** As many connections as the product opens. */
const CONNECTIONS = 12;
const RECORDS = 20_000;

let peer: Peer['DBOS'] | undefined;
let pool: Client | undefined;
let workflow: ((of: { readonly steps: number; readonly record: number | undefined }) => Promise<void>) | undefined;
let made = 0;

/** Passes a connection pool to the library, whose own URL format does not support socket folders. */
async function start(connection: BenchConnection): Promise<void> {
  const modules = join(import.meta.dirname, '../node_modules');
  const { DBOS } = (await import(join(modules, '@dbos-inc/dbos-sdk/dist/src/index.js'))) as Peer;
  const { default: pg } = (await import(join(modules, 'pg/lib/index.js'))) as {
    default: { Pool: new (options: object) => Client };
  };
  const clients = (): Client => new pg.Pool({ ...connection, max: CONNECTIONS });
  pool = clients();
  await pool.query(
    `create table record (
       recordid bigint generated always as identity primary key, status text, updateddate timestamptz)`,
  );
  await pool.query('insert into record (status) select null from generate_series(1, $1)', [RECORDS]);
  const own = pool;
  workflow = DBOS.registerWorkflow(
    async ({ steps, record }: { readonly steps: number; readonly record: number | undefined }) => {
      for (let step = 0; step < steps; step++) {
        await DBOS.runStep(
          async () => {
            if (record !== undefined)
              await own.query('update record set status = $2, updateddate = now() where recordid = $1', [
                record,
                `S${step}`,
              ]);
            return step;
          },
          { name: `step ${step}` },
        );
      }
    },
    { name: 'bench' },
  );
  DBOS.setConfig({
    name: 'bench',
    systemDatabasePool: clients(),
    systemDatabaseUrl: 'postgresql://casewright:none@localhost/peer',
    logLevel: 'error',
    enableOTLP: false,
  });
  await DBOS.launch();
  peer = DBOS;
}

async function slice({
  steps,
  changes,
  callers,
  milliseconds,
}: PeerSlice): Promise<{ calls: number; seconds: number }> {
  const run = workflow;
  if (!run) throw new Error('not started');
  const began = performance.now();
  let calls = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() - began < milliseconds) {
      await run({ steps, record: changes ? 1 + (made++ % RECORDS) : undefined });
      calls++;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { calls, seconds: (performance.now() - began) / 1000 };
}

const handlers = { start, slice, cpu: (_: undefined): CpuUsage => process.cpuUsage() };

answerParent(handlers, async () => {
  await peer?.shutdown();
  await pool?.end();
});
