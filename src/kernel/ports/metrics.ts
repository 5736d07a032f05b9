import type { ErrorCode } from '../door/errors.ts';
import type { Operation } from '../declare/operation.ts';

/** The surface that a call came through. */
export type Surface = 'http' | 'queue' | 'page' | 'agent' | 'sftp';

/** The result of a call: its error code, or `FAILED` if the answer itself reports a failure, as ImportResults does. */
export type CallResult = 'OK' | 'QUEUED' | 'REPLAYED' | 'FAILED' | ErrorCode;

/** The result of an attempt to run a queued call. */
export type JobResult = 'completed' | 'retried' | 'dead';

/**
 * Counters for monitoring. Labels come only from the program and its configuration (declared operations, codes, queue
 * names), never from what callers send.
 */
export interface Metrics {
  /** A call ended. `operation` is undefined if the called name does not exist. */
  call(surface: Surface, operation: Operation | undefined, result: CallResult, milliseconds: number): void;
  /** A worker ended an attempt. */
  job(queueName: string, result: JobResult): void;
  /** A transaction was run again after a conflict with another one. */
  retried(): void;
}

/** Metrics that count nothing. */
export const silentMetrics: Metrics = { call: () => undefined, job: () => undefined, retried: () => undefined };
