import type { Context } from '../../../../kernel/door/context.ts';

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
      const answer =
        candidates.length === 0
          ? undefined
          : await own.call('decision/queuesteps', { DecisionStepID: candidates.map(({ id }) => id) });
      return { candidates, answer };
    });
    counts.QueuedCount += found.answer?.row.QueuedCount ?? 0;
    counts.SkippedCount += found.answer?.row.SkippedCount ?? 0;
    const last = found.candidates.at(-1);
    if (!last || found.candidates.length < PAGE_STEPS) return counts;
    behind = last;
  }
}
