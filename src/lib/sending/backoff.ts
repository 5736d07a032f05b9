import { randomInt } from 'node:crypto';
import type { SendingOutcome } from '../../contracts/sending.ts';

/**
 * Waits after the first attempts, in minutes; the last one repeats. Servers that greylist unknown senders ask for some
 * minutes.
 */
const WAIT_MINUTES = [1, 5, 15, 30, 60, 120] as const;
/** Jitter of a wait, so that what failed together is not retried together. */
const JITTER_PERCENT = 20;
/** The longest Retry-After that is honored. */
const RETRY_AFTER_HOURS_MAX = 24;

/** Returns the wait after attempt number `attempts`, in milliseconds. */
export function retryMilliseconds(attempts: number): number {
  const minutes = WAIT_MINUTES[Math.min(Math.max(attempts, 1), WAIT_MINUTES.length) - 1] ?? 120;
  return Math.round((minutes * 60_000 * (100 + randomInt(-JITTER_PERCENT, JITTER_PERCENT + 1))) / 100);
}

/** Returns the longest Retry-After of an attempt's outcomes, within the limit, in milliseconds; 0 without one. */
export function retryAfterMilliseconds(outcomes: readonly Pick<SendingOutcome, 'retryAfterSeconds'>[]): number {
  const seconds = Math.max(0, ...outcomes.map(({ retryAfterSeconds = 0 }) => retryAfterSeconds));
  return Math.min(seconds, RETRY_AFTER_HOURS_MAX * 3_600) * 1_000;
}
