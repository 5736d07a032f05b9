/** Calls of a retry that are tried alone first: if all of them fail, the others need not. */
export const FIRST_CALLS = 20;
/** Most calls of a retry that are in their queues at a time, so that a stop leaves few, and others find room. */
const CALLS_MAX = 500;

/** The calls of a retry by their present state. */
export interface RetryCounts {
  readonly succeeded: number;
  readonly failedAgain: number;
  /** In their queues, and not yet tried. */
  readonly waiting: number;
  /** In their queues after a further failed attempt. */
  readonly failing: number;
}

/** Returns how many dead letters to put back next. `stop`: every call so far has failed again: the cause persists. */
export function nextBatch({ succeeded, failedAgain, waiting, failing }: RetryCounts): number | 'stop' {
  if (succeeded > 0) return Math.max(0, CALLS_MAX - waiting - failing);
  const tried = failedAgain + failing;
  if (tried >= FIRST_CALLS && waiting === 0) return 'stop';
  return Math.max(0, FIRST_CALLS - tried - waiting);
}
