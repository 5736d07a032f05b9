import { randomInt } from 'node:crypto';

const FIRST_SECONDS = 5;
/** Longest wait between two attempts of one event. */
const WAIT_HOURS_MAX = 4;
/** Consecutive failures, of any events, after which sending pauses except for one attempt at the end of the pause. */
export const FAILURES_BEFORE_HOLD = 5;
/** Longest pause of sending: a receiver that is back is noticed within it. */
const HOLD_MINUTES_MAX = 15;
/** Jitter of a wait, so that what failed together is not retried together. */
const JITTER_PERCENT = 25;

function doubled(times: number, secondsMax: number): number {
  return Math.min(secondsMax, FIRST_SECONDS * 2 ** Math.min(times, 30));
}

function jittered(seconds: number): number {
  return Math.round((seconds * 1000 * (100 + randomInt(-JITTER_PERCENT, JITTER_PERCENT + 1))) / 100);
}

/**
 * Returns the wait after attempt number `attempts` of an event, in milliseconds. A Retry-After of the receiver is
 * honored within the limit.
 */
export function retryMilliseconds(attempts: number, retryAfterSeconds = 0): number {
  const limit = WAIT_HOURS_MAX * 3_600;
  return Math.max(jittered(doubled(attempts - 1, limit)), Math.min(retryAfterSeconds, limit) * 1000);
}

/** Returns the pause after a number of consecutive failures, in milliseconds; 0 for none. */
export function holdMilliseconds(failures: number): number {
  return failures < FAILURES_BEFORE_HOLD
    ? 0
    : jittered(doubled(failures - FAILURES_BEFORE_HOLD, HOLD_MINUTES_MAX * 60));
}
