import type { JobWithMetadata } from 'pg-boss';
import type { Log } from '../../kernel/ports/log.ts';
import type { FailedAttempt } from '../../kernel/ports/queue.ts';
import type { Db } from '../../kernel/database/store.ts';
import type { BossQueue } from './boss-queue.ts';
import {
  blockPausedCalls,
  makeAttemptLast,
  selectDueQueues,
  unclaimJobs,
  type DueQueue,
} from '../shared/pgboss-sql.ts';
import { returnAllowance, takeAllowance } from '../shared/queue-control.ts';
import type { Envelope } from './envelope.ts';

/** A claimed job. */
export type Job = JobWithMetadata<Envelope>;

/** What is stored with a failed attempt. The text is sealed; the rest is in clear, to search and group by it. */
export interface FailureOutput {
  readonly code: string;
  /** A keyed hash that failures of one cause share. */
  readonly cause: string;
  readonly attempts: readonly FailedAttempt[];
  readonly sealed: string;
}

/** The result of a run of a job; `deadletter` if another attempt cannot help. */
export type JobOutcome =
  | { readonly status: 'completed' }
  | { readonly status: 'failed' | 'deadletter'; readonly output: FailureOutput };

/** Jobs to run, and how many were claimed, including those of paused operations that were returned. */
interface ClaimedJobs {
  readonly jobs: readonly Job[];
  readonly claimed: number;
}

/** What a consumer depends on. `run` never throws. */
export interface ConsumerParts {
  readonly queue: BossQueue;
  readonly db: Db;
  readonly log: Log;
  readonly run: (job: Job, queueName: string) => Promise<JobOutcome>;
  /** Refreshes the settings, which name the queues: a process that only works refreshes them nowhere else. */
  readonly fresh: () => Promise<void> | undefined;
}

/**
 * Calls that one process runs at a time, and how many of them from one queue. With 8 and 6, a queue of short calls
 * drained at two thirds of the speed: at any moment most slots waited for the disk or for the next job.
 */
const WORKER_CALLS_MAX = 12;
export const WORKER_CALLS_PER_QUEUE_MAX = 10;
/**
 * Short calls are prefetched, so that no slot is empty while the next job is fetched: as many of a queue as run in this
 * many milliseconds at its recent pace, up to a maximum.
 */
const PREFETCH_MILLISECONDS = 40;
const PREFETCH_MAX = 20;
/**
 * How long a prefetched job may wait for a slot before it is released, and how often this is checked. While slots are
 * busy for long, another process may run the job; and a job claimed before its queue was stopped does not start much
 * later than the stop.
 */
const PREFETCH_WAIT_MILLISECONDS_MAX = 1_000;
const PREFETCH_CHECK_MILLISECONDS = 250;
/** How often empty queues are polled. */
const POLL_MILLISECONDS = 250;
/** How often heartbeats of running jobs are sent: a third of the time after which a worker is presumed dead. */
const HEARTBEAT_MILLISECONDS = 3_000;
/** How long a stop waits for running jobs. Another process runs again what is not done by then. */
const STOP_SECONDS_MAX = 30;

/**
 * Claims jobs and runs them. pg-boss's own workers settle a batch when its slowest job is done, so that an import of
 * minutes would hold back the mail claimed with it; here each job is settled separately and its slot refilled at once.
 * One query finds all queues with work, so an idle process sends four small queries a second.
 */
export class Consumer {
  private readonly parts: ConsumerParts;
  private readonly running = new Map<Job, string>();
  /** Claimed before a slot was free, oldest first. */
  private readonly prefetched = new Map<Job, string>();
  private prefetchedSince = 0;
  /** Recent duration of a call, by queue, in milliseconds. */
  private readonly pace = new Map<string, number>();
  private readonly completions: Completions;
  private readonly settling = new Set<Promise<void>>();
  private stopping = false;
  private wake: () => void = () => undefined;
  private loop: Promise<void> | undefined;
  private heartbeat: NodeJS.Timeout | undefined;
  private releaseTimer: NodeJS.Timeout | undefined;

  constructor(parts: ConsumerParts) {
    this.parts = parts;
    this.completions = new Completions(parts);
  }

  start(): void {
    this.heartbeat = setInterval(() => void this.sendHeartbeats(), HEARTBEAT_MILLISECONDS);
    this.releaseTimer = setInterval(() => {
      if (this.prefetched.size > 0 && performance.now() - this.prefetchedSince > PREFETCH_WAIT_MILLISECONDS_MAX)
        void this.releaseJobs(this.prefetched).catch(() => undefined);
    }, PREFETCH_CHECK_MILLISECONDS);
    this.loop = this.work();
  }

  private async work(): Promise<void> {
    while (!this.stopping) {
      let taken = 0;
      try {
        taken = await this.fetchDue();
      } catch (error) {
        this.parts.log.error('queue cannot be read', { error: error instanceof Error ? error.name : typeof error });
      }
      // With all slots busy, wait for one; with no work, wait for the next poll.
      if (!this.hasRoom()) await this.waitForSlot();
      else if (taken === 0) await this.waitForPoll();
    }
  }

  /** Claims jobs for the free slots and returns how many it claimed. */
  private async fetchDue(): Promise<number> {
    const { queue, db, fresh } = this.parts;
    await fresh();
    const due = await selectDueQueues(db, queue.names());
    let taken = 0;
    for (const [index, each] of due.entries()) {
      const free = this.freeSlots(each.name, due.length - index);
      if (free === 0 || this.stopping) continue;
      const { jobs, claimed } = await this.fetch(each, free);
      taken += claimed;
      this.prefetchedSince = performance.now();
      for (const job of jobs) this.prefetched.set(job, each.name);
      this.startPrefetched();
    }
    return taken;
  }

  /** Claims jobs for some free slots. A throttled queue gives what its allowance permits, and is never prefetched. */
  private async fetch({ name, throttled, paused }: DueQueue, free: number): Promise<ClaimedJobs> {
    const { queue, db } = this.parts;
    const requested = throttled ? await takeAllowance(db, name, free) : free + this.prefetchCount(name);
    if (requested === 0) return { jobs: [], claimed: 0 };
    const jobs = await queue.boss.fetch<Envelope>(name, { batchSize: requested, includeMetadata: true });
    const held = paused ? jobs.filter((job) => paused.includes(job.data.route)) : [];
    if (held.length > 0) await this.holdBack(name, held);
    const unpaused = held.length === 0 ? jobs : jobs.filter((job) => !held.includes(job));
    if (throttled && unpaused.length < requested) await returnAllowance(db, name, requested - unpaused.length);
    return { jobs: unpaused, claimed: jobs.length };
  }

  /** Returns claimed jobs of paused operations to their queue, where they wait with those behind them. */
  private async holdBack(name: string, jobs: readonly Job[]): Promise<void> {
    await unclaimJobs(this.parts.db, name, jobs);
    await blockPausedCalls(this.parts.db, name);
  }

  /**
   * Returns how many jobs to prefetch: none while a queue's calls are long, which another process may be free to run.
   */
  private prefetchCount(name: string): number {
    const each = this.pace.get(name) ?? Number.POSITIVE_INFINITY;
    return Math.min(PREFETCH_MAX, Math.floor((PREFETCH_MILLISECONDS * WORKER_CALLS_PER_QUEUE_MAX) / each / 2));
  }

  /** Moves prefetched jobs into free slots. */
  private startPrefetched(): void {
    for (const [job, name] of this.prefetched) {
      if (this.stopping || this.freeSlots(name, 1) === 0) return;
      this.prefetched.delete(job);
      this.run(job, name);
    }
  }

  /** Returns a queue's share of the free slots, so that a long queue leaves some to the others. */
  private freeSlots(name: string, sharers: number): number {
    const own = [...this.running.values()].filter((of) => of === name).length;
    const free = WORKER_CALLS_MAX - this.running.size;
    return Math.max(0, Math.min(WORKER_CALLS_PER_QUEUE_MAX - own, Math.ceil(free / sharers)));
  }

  private run(job: Job, name: string): void {
    this.running.set(job, name);
    const end = this.settle(job, name).finally(() => {
      this.freeSlot(job);
      this.settling.delete(end);
    });
    this.settling.add(end);
  }

  /** Frees a job's slot for the next one. */
  private freeSlot(job: Job): void {
    if (!this.running.delete(job)) return;
    this.startPrefetched();
    if (this.hasRoom()) this.wake();
  }

  /** Whether to poll the queues. */
  private hasRoom(): boolean {
    return this.running.size < WORKER_CALLS_MAX && this.prefetched.size === 0;
  }

  private async settle(job: Job, name: string): Promise<void> {
    const { queue, db, log } = this.parts;
    const began = performance.now();
    const outcome = await this.parts.run(job, name);
    const took = performance.now() - began;
    this.pace.set(name, took * 0.2 + (this.pace.get(name) ?? took) * 0.8);
    // A job released by a stop belongs to another process now.
    if (!this.running.has(job)) return;
    try {
      if (outcome.status === 'completed') {
        const reported = this.completions.add(name, job);
        this.freeSlot(job);
        await reported;
        return;
      }
      // A permanent failure uses up the remaining attempts.
      if (outcome.status === 'deadletter') await makeAttemptLast(db, name, job);
      await queue.boss.fail(name, job, outcome.output);
    } catch (error) {
      // The job is delivered again when its heartbeats stop; the claim under its id keeps the call from running twice.
      log.error('job could not be settled', {
        messageId: job.data.messageId,
        error: error instanceof Error ? error.name : typeof error,
      });
    }
  }

  private async sendHeartbeats(): Promise<void> {
    for (const [name, entries] of Map.groupBy([...this.running, ...this.prefetched], ([, of]) => of)) {
      const jobs = entries.map(([job]) => job);
      await this.parts.queue.boss.touch(name, jobs).catch(() => undefined);
    }
  }

  private waitForPoll(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_MILLISECONDS);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.stopping) this.wake();
    });
  }

  private waitForSlot(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
      if (this.hasRoom() || this.stopping) resolve();
    });
  }

  /** Claims nothing more, waits for running jobs, and releases those that do not end in time. */
  async stop(secondsMax = STOP_SECONDS_MAX): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.loop;
    await Promise.race([Promise.all(this.settling), timeLimit(secondsMax)]);
    clearInterval(this.heartbeat);
    clearInterval(this.releaseTimer);
    await this.releaseJobs(this.prefetched);
    if (this.running.size > 0) this.parts.log.warn('jobs left to another process', { jobs: this.running.size });
    await this.releaseJobs(this.running);
  }

  /**
   * Returns jobs to their queues as if never claimed: the attempt does not count, and no heartbeat timeout is needed.
   */
  private async releaseJobs(held: Map<Job, string>): Promise<void> {
    const queues = Map.groupBy(held, ([, of]) => of);
    held.clear();
    for (const [name, entries] of queues) {
      const jobs = entries.map(([job]) => job);
      await unclaimJobs(this.parts.db, name, jobs);
    }
  }
}

/** Least time between two batches of completions. */
const COMPLETION_BATCH_MILLISECONDS = 10;

/**
 * Marks jobs as completed, in batches. The first job is sent at once; jobs that end shortly after a batch, or while one
 * is under way, wait for the next, so that many short jobs share commits.
 */
class Completions {
  private readonly parts: Pick<ConsumerParts, 'queue'>;
  private waiting = new Map<string, Job[]>();
  private sending: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;
  private sentAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Pick<ConsumerParts, 'queue'>) {
    this.parts = parts;
  }

  /** Resolves when the job is marked as completed. */
  add(name: string, job: Job): Promise<void> {
    const jobs = this.waiting.get(name);
    if (jobs) jobs.push(job);
    else this.waiting.set(name, [job]);
    return (this.next ??= this.sendAfter(this.sending));
  }

  private async sendAfter(before: Promise<void>): Promise<void> {
    await before.catch(() => undefined);
    const early = this.sentAt + COMPLETION_BATCH_MILLISECONDS - performance.now();
    if (early > 0) await new Promise((resolve) => void setTimeout(resolve, early));
    this.sentAt = performance.now();
    const waiting = this.waiting;
    this.waiting = new Map();
    this.sending = this.next ?? Promise.resolve();
    this.next = undefined;
    for (const [name, jobs] of waiting) await this.parts.queue.boss.complete(name, jobs, { code: 'OK' });
  }
}

/** Resolves after some seconds without keeping the process alive. */
function timeLimit(seconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, seconds * 1_000).unref());
}
