/** A thread of the sandbox, and how its next message is awaited. */
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import type { SandboxAnswer } from './sandbox-task.ts';

/** On a busy machine a thread also waits for a processor; it may run for so many times its limit by the clock. */
const CLOCK_FACTOR_MAX = 3;
/** A thread that does not say within this how much processor time it took counts as late. */
const USAGE_MILLISECONDS_MAX = 1_000;

/** A thread in which stylesheets run. */
export interface Thread {
  readonly worker: Worker;
  /** The thread's processor time when its task began, in microseconds; shared with it. */
  readonly taskBegan: Float64Array;
  /** The scope that it served last; the next piece of work of the same one goes to it. */
  scope: string;
  busy: boolean;
  idle: NodeJS.Timeout | undefined;
}

/**
 * The next message of a thread; `late` where none came in time, `ended` where the thread ended. When the time is over,
 * `extension` may grant more, in milliseconds, until {@link CLOCK_FACTOR_MAX}. Plain listeners: signals that are
 * aborted cost a tenth of the main thread's time.
 */
export function nextMessage(
  worker: Worker,
  milliseconds: number,
  extension: () => Promise<number> = async () => 0,
): Promise<SandboxAnswer | 'late' | 'ended'> {
  return new Promise((resolve) => {
    const began = performance.now();
    let isSettled = false;
    const settle = (got: SandboxAnswer | 'late' | 'ended'): void => {
      isSettled = true;
      clearTimeout(timer);
      worker.off('message', settle).off('exit', ended);
      resolve(got);
    };
    const ended = (): void => settle('ended');
    const onTime = async (): Promise<void> => {
      const more = Math.min(await extension(), began + milliseconds * CLOCK_FACTOR_MAX - performance.now());
      if (isSettled) return;
      if (more > 0) timer = setTimeout(() => void onTime(), more);
      else settle('late');
    };
    let timer = setTimeout(() => void onTime(), milliseconds);
    worker.on('message', settle).on('exit', ended);
  });
}

/** Returns how much of its processor time a thread has not used for its task; 0 if it does not say. */
export async function unusedMilliseconds({ worker, taskBegan }: Thread, runMilliseconds: number): Promise<number> {
  const usage = await Promise.race([
    worker.cpuUsage().catch(() => undefined),
    setTimeoutPromise(USAGE_MILLISECONDS_MAX, undefined, { ref: false }),
  ]);
  return usage ? runMilliseconds - (usage.user + usage.system - (taskBegan[0] ?? 0)) / 1_000 : 0;
}
