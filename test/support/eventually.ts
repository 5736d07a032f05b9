import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits until a condition holds and returns its value: looks every 20 ms, fails after `deadlineMs`.
 *
 * The only wait that tests may use, for things that give no signal (another process's end, a file, a log line).
 * A condition that throws counts as not yet holding; its last error is the cause of the failure, a `TimeoutError`.
 *
 * @example const pid = await eventually('the server wrote its pid', () => readPid(file));
 */
export async function eventually<Value>(
  what: string,
  condition: () => Value | Promise<Value>,
  deadlineMs = 10_000,
): Promise<NonNullable<Exclude<Value, false>>> {
  const end = performance.now() + deadlineMs;
  let cause: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value !== undefined && value !== null && value !== false) return value as NonNullable<Exclude<Value, false>>;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > end) {
      const error = new Error(`Not true within ${deadlineMs} ms: ${what}.`, { cause });
      error.name = 'TimeoutError';
      throw error;
    }
    await delay(20);
  }
}

/**
 * Waits between two calls of a loop that runs beside something else, until that has ended or the next call is due.
 * Without pauses, the loop keeps a core busy and slows what it runs beside.
 */
export async function callDue(hasEnded: () => boolean, pauseMs = 20): Promise<void> {
  const start = performance.now();
  await eventually('the next call is due', () => hasEnded() || performance.now() - start >= pauseMs);
}
