import { loggableMessage } from '../database/database-error.ts';
import type { Db } from '../database/store.ts';
import type { Log } from '../ports/log.ts';
import { presentPosition, readChanges, type ChangeBatch } from './read-changes.ts';

/** Called with every batch that has changes, one after the other. */
export type ChangeListener = (batch: ChangeBatch) => void | Promise<void>;

/** How often changes are read while somebody listens. */
const POLL_MILLISECONDS = 250;
/** How often after a quiet time: together with reading, a change is known within a second. */
const QUIET_POLL_MILLISECONDS = 600;
/** How long nothing must have changed until polls become less frequent. */
const QUIET_AFTER_MILLISECONDS = 20_000;
/** How long the last position is known after nobody listens any more: the next page of the same user follows. */
const RECENT_MILLISECONDS = 60_000;
/** Longest wait between polls that fail. */
const RETRY_MILLISECONDS_MAX = 5_000;

/**
 * Which records changed, in any process and in any way, soon after each commit. Writers do nothing for it: it reads the
 * change history. One query per process at each interval, and none while nobody listens.
 */
export class ChangeFeed {
  private readonly db: Db;
  private readonly log: Log;
  private readonly listeners = new Set<ChangeListener>();
  private timer: NodeJS.Timeout | undefined;
  private polling: Promise<void> | undefined;
  private isStopped = false;
  private failures = 0;
  private changedAt = 0;
  private since: string | undefined;
  private last: string | undefined;
  private restedAt = Number.NEGATIVE_INFINITY;

  constructor(db: Db, log: Log) {
    this.db = db;
    this.log = log;
  }

  /**
   * The position up to which listeners have been called; undefined if nobody has listened for a minute. A page that
   * takes it before it reads its data misses nothing if it listens from there.
   */
  get position(): string | undefined {
    const isRecent = performance.now() - this.restedAt < RECENT_MILLISECONDS;
    return this.since ?? (isRecent ? this.last : undefined);
  }

  /** Whether anybody listens. */
  get isActive(): boolean {
    return this.listeners.size > 0;
  }

  /**
   * Calls `listener` with what is committed from now on; returns once nothing committed later can be missed. Returns
   * the function that ends it.
   */
  async listen(listener: ChangeListener): Promise<() => void> {
    const position = this.since ?? (await presentPosition(this.db));
    this.since ??= position;
    this.listeners.add(listener);
    this.changedAt = performance.now();
    if (this.listeners.size === 1) this.schedule(POLL_MILLISECONDS);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.rest();
    };
  }

  /** Returns what was committed since a position. */
  readSince(position: string): Promise<ChangeBatch> {
    return readChanges(this.db, position);
  }

  /** Reads once now, for callers that know of a change; otherwise polls do. */
  poll(): Promise<void> {
    this.polling ??= this.readOnce().finally(() => {
      this.polling = undefined;
    });
    return this.polling;
  }

  /** Ends all polls and waits for the present one. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.listeners.clear();
    this.rest();
    await this.polling;
  }

  private rest(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.last = this.since ?? this.last;
    this.restedAt = performance.now();
    this.since = undefined;
  }

  private schedule(milliseconds: number): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      void this.poll().then(() => {
        if (this.listeners.size > 0) this.schedule(this.interval());
      });
    }, milliseconds);
    this.timer.unref();
  }

  private interval(): number {
    if (this.failures > 0) return Math.min(POLL_MILLISECONDS * 2 ** this.failures, RETRY_MILLISECONDS_MAX);
    const isQuiet = performance.now() - this.changedAt > QUIET_AFTER_MILLISECONDS;
    return isQuiet ? QUIET_POLL_MILLISECONDS : POLL_MILLISECONDS;
  }

  private async readOnce(): Promise<void> {
    const { since } = this;
    if (since === undefined) return;
    try {
      const batch = await readChanges(this.db, since);
      if (batch.changes.length > 0) await this.publish(batch);
      // Nobody listens any more, or somebody again, from a later position.
      if (this.since === since) this.since = batch.position;
      this.failures = 0;
    } catch (error) {
      if (this.failures++ === 0) this.log.warn('changes cannot be read', { error: loggableMessage(error) });
    }
  }

  private async publish(batch: ChangeBatch): Promise<void> {
    this.changedAt = performance.now();
    for (const listener of [...this.listeners]) {
      try {
        await listener(batch);
      } catch (error) {
        this.log.error('a listener to changes failed', { error: loggableMessage(error) });
      }
    }
  }
}
