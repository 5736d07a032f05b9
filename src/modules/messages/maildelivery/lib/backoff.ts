import { randomInt } from 'node:crypto';

/**
 * Waits after the first attempts, in minutes; the last one repeats. Servers that greylist unknown senders ask for some
 * minutes.
 */
const WAIT_MINUTES = [1, 5, 15, 30, 60, 120] as const;
/** Jitter of a wait, so that what failed together is not retried together. */
const JITTER_PERCENT = 20;

/** Returns the wait after attempt number `attempts`, in milliseconds. */
export function retryMilliseconds(attempts: number): number {
  const minutes = WAIT_MINUTES[Math.min(Math.max(attempts, 1), WAIT_MINUTES.length) - 1] ?? 120;
  return Math.round((minutes * 60_000 * (100 + randomInt(-JITTER_PERCENT, JITTER_PERCENT + 1))) / 100);
}
