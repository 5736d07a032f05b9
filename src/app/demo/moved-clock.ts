import { AsyncLocalStorage } from 'node:async_hooks';
import { systemClock, type Clock } from '../../kernel/time/clock.ts';

/** A clock that parts of a program can set, each for the calls that it makes. */
export interface MovedClock extends Clock {
  /** Runs a function for which it is another time. `at`: milliseconds since 1970. */
  at<T>(at: number, run: () => Promise<T>): Promise<T>;
}

/**
 * Returns a clock with which operations store what happened in the past: whatever {@link MovedClock.at} runs, and all
 * that it awaits, reads the given time. Several such runs can overlap. Everything else reads the machine's clock.
 */
export function movedClock(): MovedClock {
  const times = new AsyncLocalStorage<{ readonly at: number; readonly began: number }>();
  const milliseconds = (): number => {
    const moved = times.getStore();
    // Time passes during a run, too: two changes of one record are not at the same instant.
    return moved ? moved.at + Math.floor(performance.now() - moved.began) : systemClock.milliseconds();
  };
  return {
    milliseconds,
    now: () => new Date(milliseconds()).toISOString(),
    at: (at, run) => times.run({ at, began: performance.now() }, run),
  };
}
