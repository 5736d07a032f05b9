import type { Context } from '../../../../kernel/door/context.ts';

/** Steps that are looked at and queued again in one transaction. */
const PAGE_STEPS = 1_000;

/** What a call that queues steps again came to. */
export interface RequeueCounts {
  readonly QueuedCount: number;
  readonly SkippedCount: number;
}

/** A step that is about to be looked at, and the place from which the next ones are looked for. */
export interface RequeueCandidate extends Record<string, unknown> {
  readonly id: number;
  readonly at: string;
}

/**
 * Queues steps again page by page, each page in a transaction of its own: cut off, what is done stays done, and made again the call goes
 * on with what is left. `page` answers the steps behind a place, in the order of `at` and id.
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
