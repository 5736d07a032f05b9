import type { ErrorCode } from '../door/errors.ts';
import type { Operation } from '../declare/operation.ts';

/** The surface that a call came through. */
export type Surface = 'http' | 'queue' | 'page' | 'agent' | 'sftp';

/** What came of a call: its error's code; `FAILED` where the answer itself tells of a failure, as ImportResults does. */
export type CallResult = 'OK' | 'QUEUED' | 'REPLAYED' | 'FAILED' | ErrorCode;

/** What became of an attempt to make a queued call. */
export type JobResult = 'completed' | 'retried' | 'dead';

/**
 * Counts what happens, so that it can be watched. What is counted by comes from the program and its configuration alone, never
 * from what callers send: operations that code declares, codes, names of queues.
 */
export interface Metrics {
  /** A call ended. `operation` is undefined where there is none of the name that was called. */
  call(surface: Surface, operation: Operation | undefined, result: CallResult, milliseconds: number): void;
  /** A worker ended an attempt. */
  job(queueName: string, result: JobResult): void;
  /** A transaction was run again because another was in its way. */
  retried(): void;
}

/** Counts nothing. */
export const silentMetrics: Metrics = { call: () => undefined, job: () => undefined, retried: () => undefined };
