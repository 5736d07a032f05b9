import { existsSync, readFileSync } from 'node:fs';

/**
 * Returns the CPU in microseconds that a PostgreSQL has used since its start: of its main process and of those of its
 * processes that still run. Undefined where the system has no `/proc` as Linux has it.
 */
export function databaseCpu(pid: number): number | undefined {
  const children = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(children)) return undefined;
  const pids = [String(pid), ...readFileSync(children, 'utf8').trim().split(' ')];
  return pids.reduce((sum, each) => sum + runtimeOf(each), 0) / 1_000;
}

/** Returns the nanoseconds that a process has run; 0 for one that has just ended. */
function runtimeOf(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    return 0;
  }
}
