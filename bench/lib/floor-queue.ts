import { PgBoss } from 'pg-boss';
import postgres from 'postgres';
import { answerParent, type CpuUsage } from './child.ts';
import type { BenchConnection } from './database.ts';

/** How the bare queue works its jobs. */
export interface FloorQueueStart {
  readonly connection: BenchConnection;
  readonly queue: string;
  readonly batchSize: number;
  readonly localConcurrency: number;
}

/** The questions that the bare queue's process answers. */
export type FloorQueueHandlers = typeof handlers;

let boss: PgBoss | undefined;
let queueName = '';

/** pg-boss as it comes: its own workers, and for each job a transaction with nothing in it. */
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
