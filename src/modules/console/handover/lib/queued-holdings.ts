import type { Context } from '../../../../kernel/door/context.ts';
import type { Holding } from './holding.ts';

/** Most queued calls that are read in each state, and most recurring calls. */
const CALLS_MAX = 1_000;

/** The states of queued calls that are still to run, or running. */
const liveStates = ['created', 'retry', 'paused', 'active'] as const;

/** Returns the queued and recurring calls of a user by operation, if the caller may search the queue. */
export async function queuedHoldings(ctx: Context, personId: number): Promise<readonly Holding[]> {
  if (!ctx.user.permissions.has('QueueSearch')) return [];
  const { rows: recurring } = await ctx.call('queue/schedules', { PersonID: personId, DisplaySize: CALLS_MAX });
  const schedules = new Set(recurring.map(({ QueueMessageID: id }) => id));
  const counts = new Map<string, number>();
  for (const State of liveStates) {
    const { rows } = await ctx.call('queue/search', { PersonID: personId, State, DisplaySize: CALLS_MAX });
    for (const { Operation: name, QueueMessageID: id } of rows)
      if (!schedules.has(id)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const none = { Object: null, ObjectID: null, Detail: null, LastUsed: null };
  return [
    ...[...counts].map(([Name, HeldCount]) => ({ ...none, Kind: 'QueuedCall' as const, Name, HeldCount })),
    ...recurring.map(({ Operation, ScheduleName }) => ({
      ...none,
      Kind: 'RecurringCall' as const,
      Name: Operation,
      Detail: ScheduleName,
      HeldCount: 1,
    })),
  ];
}
