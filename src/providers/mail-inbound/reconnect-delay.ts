import { randomInt } from 'node:crypto';

/** The wait after the first failure, in milliseconds; doubled after each further one, up to the longest. */
const FIRST_MILLISECONDS = 1_000;
const LONGEST_MILLISECONDS = 5 * 60_000;
/** Most failures that are counted. */
const FAILURES_MAX = 20;

/**
 * Returns how long to wait before connecting again, in milliseconds: between half of the wait and all of it, so that
 * mailboxes whose server failed do not connect at the same moment.
 */
export function reconnectMilliseconds(failures: number): number {
  const doubled = FIRST_MILLISECONDS * 2 ** Math.min(Math.max(failures, 1) - 1, FAILURES_MAX);
  const wait = Math.min(doubled, LONGEST_MILLISECONDS);
  return wait / 2 + randomInt(wait / 2 + 1);
}
