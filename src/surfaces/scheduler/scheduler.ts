import { loggableMessage } from '../../kernel/database/database-error.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import { tasks, type Task } from './housekeeping.ts';

/** A running scheduler. */
export interface RunningScheduler {
  /** Starts no more tasks and waits for the running one. */
  stop(): Promise<void>;
}

/** Class of the tasks' advisory locks; the second half of a lock is the hash of the task's name. */
const LOCK_CLASS = 7_322_096;

/**
 * Runs housekeeping tasks soon after the start and then at their intervals: one at a time here, and each in one process
 * of the installation. The queue's own supervisor, which runs beside it, recovers the jobs of dead workers.
 */
export function startScheduler(platform: Platform, work: readonly Task[] = tasks): RunningScheduler {
  const due = new Map(work.map((task) => [task, 0]));
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const pass = async (): Promise<void> => {
    for (const [task, at] of due) {
      if (stopped) return;
      if (platform.clock.milliseconds() < at) continue;
      due.set(task, platform.clock.milliseconds() + task.everyMinutes * 60_000);
      await runTask(platform, task);
    }
  };
  let passing = false;
  const tick = (): void => {
    if (passing || stopped) return;
    passing = true;
    running = pass().finally(() => {
      passing = false;
    });
  };
  const timer = setInterval(tick, 10_000);
  tick();
  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}

/** Runs a task unless another process does. A failure is logged and the task runs again at its next time. */
export async function runTask(platform: Platform, task: Task): Promise<'done' | 'elsewhere' | 'failed'> {
  const began = performance.now();
  try {
    await platform.settings.fresh();
    const rows = await withTaskLock(platform, task);
    if (rows === undefined) return 'elsewhere';
    if (rows > 0)
      platform.log.info('housekeeping', { task: task.name, rows, milliseconds: Math.round(performance.now() - began) });
    return 'done';
  } catch (error) {
    platform.log.error('housekeeping failed', { task: task.name, error: loggableMessage(error) });
    return 'failed';
  }
}

/**
 * Runs a task under its advisory lock; undefined if another process holds it. The lock belongs to a transaction that
 * stays open beside the task, so it ends with the process.
 */
function withTaskLock(platform: Platform, task: Task): Promise<number | undefined> {
  return platform.store.transaction({ personId: null, firm: null, callId: 'housekeeping' }, async (transaction) => {
    const [row] = await transaction.query<{ mine: boolean }>(
      'select pg_try_advisory_xact_lock($1::integer, hashtext($2::text)) as mine',
      [LOCK_CLASS, task.name],
    );
    // Last, because a query keeps its snapshot until the next statement. Held as long as the task runs, it would keep
    // dead rows from being vacuumed and make index builds wait.
    await transaction.query("set local idle_in_transaction_session_timeout to '1h'");
    return row?.mine ? task.run(platform) : undefined;
  });
}
