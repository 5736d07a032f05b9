import { randomInt } from 'node:crypto';

/** The waits after the first attempts, in minutes; the last of them is every later one's. Servers that put unknown senders off ask for some minutes. */
const WAIT_MINUTES = [1, 5, 15, 30, 60, 120] as const;
/** How far a wait is moved either way, so that what failed together is not tried again together. */
const JITTER_PERCENT = 20;

/** How long to wait after attempt number `attempts`, in milliseconds. */
export function retryMilliseconds(attempts: number): number {
  const minutes = WAIT_MINUTES[Math.min(Math.max(attempts, 1), WAIT_MINUTES.length) - 1] ?? 120;
  return Math.round((minutes * 60_000 * (100 + randomInt(-JITTER_PERCENT, JITTER_PERCENT + 1))) / 100);
}
