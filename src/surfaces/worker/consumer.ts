import type { JobWithMetadata } from 'pg-boss';
import type { Log } from '../../kernel/log.ts';
import { arrayLiteral, type Db } from '../../kernel/store.ts';
import type { BossQueue } from './boss-queue.ts';
import type { Envelope } from './envelope.ts';

/** A job as the queue hands it out. */
export type Job = JobWithMetadata<Envelope>;

/** What became of a job: `deadletter` where trying again cannot help. */
export interface JobOutcome {
  readonly status: 'completed' | 'failed' | 'deadletter';
  readonly output: { readonly code: string; readonly sealed?: string };
}

/** What a consumer is made of. `run` never throws. */
export interface ConsumerParts {
  readonly queue: BossQueue;
  readonly db: Db;
  readonly log: Log;
  readonly run: (job: Job, queueName: string) => Promise<JobOutcome>;
}

/** How many calls one process makes at a time, and how many of them from one queue. */
export const WORKER_CALLS_MAX = 8;
export const WORKER_CALLS_PER_QUEUE_MAX = 6;
/** How often the queues are looked at while they are empty. */
const POLL_MILLISECONDS = 250;
/** How often a running job is reported alive; a third of what is taken for death. */
const HEARTBEAT_MILLISECONDS = 3_000;
/** How long a stop waits for what runs; what is not done by then is done again by another process. */
export const STOP_SECONDS_MAX = 30;

/**
 * Takes jobs out of the queues and runs them. pg-boss's own workers settle a batch when its slowest job is done, so that an
 * import of minutes would hold back the mail fetched with it; here each job is settled alone, and its place filled at once.
 * One look finds all queues that have something due, so an idle process asks four small questions a second.
 */
export class Consumer {
  private readonly parts: ConsumerParts;
  private readonly running = new Map<Job, string>();
  private readonly ends = new Set<Promise<void>>();
  private stopping = false;
  private wake: () => void = () => undefined;
  private loop: Promise<void> | undefined;
  private heartbeat: NodeJS.Timeout | undefined;

  constructor(parts: ConsumerParts) {
    this.parts = parts;
  }

  start(): void {
    this.heartbeat = setInterval(() => void this.beat(), HEARTBEAT_MILLISECONDS);
    this.loop = this.work();
  }

  private async work(): Promise<void> {
    while (!this.stopping) {
      let taken = 0;
      try {
        taken = await this.take();
      } catch (error) {
        this.parts.log.error('queue cannot be read', { error: error instanceof Error ? error.name : typeof error });
      }
      // A full house waits for a free place, an empty queue for the next look.
      if (this.running.size >= WORKER_CALLS_MAX) await this.free();
      else if (taken === 0) await this.pause();
    }
  }

  /** Fills the free places from the queues that have something due; answers how many were filled. */
  private async take(): Promise<number> {
    const { queue, db } = this.parts;
    const due = await db.query<{ name: string }>(
      `select q.name from unnest($1::text[]) q (name) where exists (select from pgboss.job j where j.name = q.name and j.state < 'active' and not j.blocked and j.start_after <= now()) order by random()`,
      [arrayLiteral(queue.names())],
    );
    let taken = 0;
    for (const [index, { name }] of due.entries()) {
      const free = this.placesFor(name, due.length - index);
      if (free === 0 || this.stopping) continue;
      const jobs = await queue.boss.fetch<Envelope>(name, { batchSize: free, includeMetadata: true });
      taken += jobs.length;
      for (const job of jobs) this.run(job, name);
    }
    return taken;
  }

  /** A queue takes its share of the free places, so that a long one leaves some to the others. */
  private placesFor(name: string, sharers: number): number {
    const own = [...this.running.values()].filter((of) => of === name).length;
    const free = WORKER_CALLS_MAX - this.running.size;
    return Math.max(0, Math.min(WORKER_CALLS_PER_QUEUE_MAX - own, Math.ceil(free / sharers)));
  }

  private run(job: Job, name: string): void {
    this.running.set(job, name);
    const end = this.settle(job, name).finally(() => {
      this.running.delete(job);
      this.ends.delete(end);
      this.wake();
    });
    this.ends.add(end);
  }

  private async settle(job: Job, name: string): Promise<void> {
    const { queue, db, log } = this.parts;
    const outcome = await this.parts.run(job, name);
    // A job that was let go at a stop is somebody else's by now.
    if (!this.running.has(job)) return;
    try {
      if (outcome.status === 'completed') await queue.boss.complete(name, job, outcome.output);
      else {
        // A failure that cannot pass uses up the attempts that are left.
        if (outcome.status === 'deadletter') await db.query(`update pgboss.job set retry_limit = retry_count where name = $1::text and id = $2::uuid and retry_count = $3::integer and state = 'active'`, [name, job.id, job.retryCount]);
        await queue.boss.fail(name, job, outcome.output);
      }
    } catch (error) {
      // It is delivered again once its heartbeats have stopped; the claim under its id keeps the call from being made twice.
      log.error('job could not be settled', { messageId: job.data.messageId, error: error instanceof Error ? error.name : typeof error });
    }
  }

  private async beat(): Promise<void> {
    for (const [name, entries] of Map.groupBy(this.running, ([, of]) => of)) {
      const jobs = entries.map(([job]) => job);
      await this.parts.queue.boss.touch(name, jobs).catch(() => undefined);
    }
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_MILLISECONDS);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.stopping) this.wake();
    });
  }

  private free(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
      if (this.running.size < WORKER_CALLS_MAX || this.stopping) resolve();
    });
  }

  /** Takes no more, waits for what runs, and lets go of what does not end in time. */
  async stop(secondsMax = STOP_SECONDS_MAX): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.loop;
    await Promise.race([Promise.all(this.ends), timeLimit(secondsMax)]);
    clearInterval(this.heartbeat);
    await this.letGo();
  }

  /** What still runs goes back as if it had not been begun: the attempt does not count, and need not wait for heartbeats. */
  private async letGo(): Promise<void> {
    for (const [name, entries] of Map.groupBy(this.running, ([, of]) => of)) {
      const jobs = entries.map(([job]) => job);
      for (const job of jobs) this.running.delete(job);
      this.parts.log.warn('jobs left to another process', { queue: name, jobs: jobs.length });
      await this.parts.db.query(
        `update pgboss.job j set state = 'retry', started_on = null, heartbeat_on = null, start_after = now() from unnest($2::uuid[], $3::integer[]) t (id, attempt)
         where j.name = $1::text and j.id = t.id and j.retry_count = t.attempt and j.state = 'active'`,
        [name, arrayLiteral(jobs.map((job) => job.id)), arrayLiteral(jobs.map((job) => job.retryCount))],
      );
    }
  }
}

/** Resolves after some seconds without keeping the process alive. */
function timeLimit(seconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, seconds * 1_000).unref());
}
