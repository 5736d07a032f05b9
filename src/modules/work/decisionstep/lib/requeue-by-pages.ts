import type { Context } from '../../../../kernel/door/context.ts';
import { isLive, messageStates } from '../../decision/lib/repair/requeue-steps.ts';

/** Steps handled in one transaction. */
const PAGE_STEPS = 1_000;

/** The result of requeuing steps. */
export interface RequeueCounts {
  readonly QueuedCount: number;
  readonly SkippedCount: number;
}

/** A step to requeue; also the position after which the next page starts. */
export interface RequeueCandidate {
  readonly id: number;
  readonly at: string;
  /** Its queued message. A step whose message is still to be delivered is skipped without locking its workflow. */
  readonly message?: string | null;
}

/**
 * Requeues steps page by page, each in its own transaction. After an interruption, repeating the call continues
 * with the rest. `page` returns the steps after a position, ordered by `at` and ID.
 */
export async function requeueByPages(
  ctx: Context,
  page: (own: Context, behind: RequeueCandidate, size: number) => Promise<readonly RequeueCandidate[]>,
): Promise<RequeueCounts> {
  const counts = { QueuedCount: 0, SkippedCount: 0 };
  let behind: RequeueCandidate = { id: 0, at: '0001-01-01T00:00:00Z' };
  for (;;) {
    const found = await ctx.inTransaction(async (own) => {
      const candidates = await page(own, behind, PAGE_STEPS);
      const stalled = await withoutLiveCall(own, candidates);
      const answer =
        stalled.length === 0 ? undefined : await own.call('decision/queuesteps', { DecisionStepID: stalled });
      return { candidates, answer, live: candidates.length - stalled.length };
    });
    counts.QueuedCount += found.answer?.row.QueuedCount ?? 0;
    counts.SkippedCount += found.live + (found.answer?.row.SkippedCount ?? 0);
    const last = found.candidates.at(-1);
    if (!last || found.candidates.length < PAGE_STEPS) return counts;
    behind = last;
  }
}

/** Returns the IDs of those steps whose call will not come by itself. */
async function withoutLiveCall(own: Context, candidates: readonly RequeueCandidate[]): Promise<number[]> {
  const states = await messageStates(
    own,
    candidates.flatMap(({ message }) => message ?? []),
  );
  return candidates.filter(({ message }) => !isLive(states.get(message ?? ''))).map(({ id }) => id);
}
