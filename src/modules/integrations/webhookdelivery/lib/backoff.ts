import { randomInt } from 'node:crypto';

const FIRST_SECONDS = 5;
/** The longest time between two attempts for one event. */
const WAIT_HOURS_MAX = 4;
/** So many failures after one another, of whichever events, and sending stops for a while but for one attempt at its end. */
export const FAILURES_BEFORE_HOLD = 5;
/** The longest time for which sending stops: a receiver that is back is noticed within it. */
const HOLD_MINUTES_MAX = 15;
/** How far a wait is moved either way, so that what failed together is not tried again together. */
const JITTER_PERCENT = 25;

function doubled(times: number, secondsMax: number): number {
  return Math.min(secondsMax, FIRST_SECONDS * 2 ** Math.min(times, 30));
}

function jittered(seconds: number): number {
  return Math.round((seconds * 1000 * (100 + randomInt(-JITTER_PERCENT, JITTER_PERCENT + 1))) / 100);
}

/** How long to wait after an event's attempt number `attempts` failed, in milliseconds. What the receiver asks for is kept to within the limit. */
export function retryMilliseconds(attempts: number, askedSeconds = 0): number {
  const limit = WAIT_HOURS_MAX * 3_600;
  return Math.max(jittered(doubled(attempts - 1, limit)), Math.min(askedSeconds, limit) * 1000);
}

/** How long sending stops after so many failures after one another, in milliseconds; 0 where it goes on. */
export function holdMilliseconds(failures: number): number {
  return failures < FAILURES_BEFORE_HOLD
    ? 0
    : jittered(doubled(failures - FAILURES_BEFORE_HOLD, HOLD_MINUTES_MAX * 60));
}
