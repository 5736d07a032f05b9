import type { Log } from '../ports/log.ts';
import { DISK_FULL, sqlState } from './sql-state.ts';

/**
 * Writes about a megabyte and rolls it back. A temporary table grows at once, unlike the tables of the store, which may
 * have free pages.
 */
const PROBE = `begin;
  create temporary table casewright_disk_space (content text) on commit drop;
  alter table casewright_disk_space alter content set storage external;
  insert into casewright_disk_space select repeat('x', 8000) from generate_series(1, 128);
  rollback`;

/**
 * Whether the database's disk is full. A failure for lack of space is remembered until a probe succeeds, so that the
 * health check reports it while nobody writes. While nothing fails, it costs nothing.
 */
export class DiskSpace {
  private readonly run: (script: string) => Promise<void>;
  private readonly log: Log;
  private isFull = false;
  private probing: Promise<boolean> | undefined;

  constructor(run: (script: string) => Promise<void>, log: Log) {
    this.run = run;
    this.log = log;
  }

  /** Notes a statement's failure, and logs the first for lack of space. */
  note(error: unknown): void {
    if (this.isFull || sqlState(error) !== DISK_FULL) return;
    this.isFull = true;
    this.log.error('the database has no disk space left: nothing can be stored', {
      error: error instanceof Error ? error.message.slice(0, 300) : '',
    });
  }

  /** Returns whether the disk is full now. Concurrent callers share one probe. */
  check(): Promise<boolean> {
    if (!this.isFull) return Promise.resolve(false);
    return (this.probing ??= this.probe().finally(() => (this.probing = undefined)));
  }

  private async probe(): Promise<boolean> {
    try {
      await this.run(PROBE);
    } catch (error) {
      if (sqlState(error) === DISK_FULL) return true;
      throw error;
    }
    this.isFull = false;
    this.log.info('the database has disk space again');
    return false;
  }
}
