import type { Platform } from '../../../../kernel/ports/platform.ts';
import { queueAsSystem } from '../../../../kernel/security/system-user.ts';

/** The queue of calls that read texts and scan files. */
const QUEUE = 'Batch';
/** Rows that one call is expected to work through before the next is queued. */
const ROWS_PER_CALL = 2;
/** Most due rows that are counted: more never need more calls. */
export const DUE_COUNTED_MAX = 50;

/** Rows that are to be worked through by queued calls, each of which claims one after the other. */
export interface WorkCount {
  /** Rows that are due, counted up to {@link DUE_COUNTED_MAX}. */
  readonly due: number;
  /** Rows that a process has claimed. */
  readonly running: number;
}

/** Queues as many calls as there are slots for due rows, unless one waits already. */
export async function queueWorkers(
  platform: Platform,
  { due, running }: WorkCount,
  { route, slots, lowPriority }: { readonly route: string; readonly slots: number; readonly lowPriority?: true },
): Promise<void> {
  const calls = Math.min(slots - running, Math.ceil(due / ROWS_PER_CALL));
  if (calls <= 0) return;
  const { queue, store } = platform;
  const waiting = await queue.find(store, { operation: route, state: 'created', start: 0, size: 1 });
  if (waiting.length > 0) return;
  const request = { route, parameters: {}, queueName: QUEUE, ...(lowPriority && { lowPriority }) };
  await queueAsSystem(
    platform,
    Array.from({ length: calls }, () => request),
  );
}
