import { PgBoss } from 'pg-boss';
import postgres from 'postgres';
import { answerParent, type CpuUsage } from './child.ts';
import type { BenchConnection } from './database.ts';

/** How the bare queue runs its jobs. */
export interface FloorQueueStart {
  readonly connection: BenchConnection;
  readonly queue: string;
  readonly batchSize: number;
  readonly localConcurrency: number;
}

/** The requests that the bare queue's process handles. */
export type FloorQueueHandlers = typeof handlers;

let boss: PgBoss | undefined;
let queueName = '';

/** pg-boss with its own workers; each job is an empty transaction. */
async function start({ connection, queue, batchSize, localConcurrency }: FloorQueueStart): Promise<void> {
  boss = new PgBoss({ ...connection, max: 4, supervise: false, schedule: false, useListenNotify: false });
  await boss.start();
  queueName = queue;
  await boss.createQueue(queue);
  const sql = postgres({ ...connection, max: batchSize * localConcurrency });
  await boss.work(
    queue,
    { batchSize, localConcurrency, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
    async (jobs: readonly { id: string }[]) => {
      await Promise.all(jobs.map(() => sql.begin(() => Promise.resolve())));
    },
  );
}

async function enqueue(jobs: number): Promise<void> {
  await boss?.insert(
    queueName,
    Array.from({ length: jobs }, (_, n) => ({ data: { n } })),
  );
}

const handlers = { start, enqueue, cpu: (_: undefined): CpuUsage => process.cpuUsage() };

answerParent(handlers, () => boss?.stop({ graceful: false }));
