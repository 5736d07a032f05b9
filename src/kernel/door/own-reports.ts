/** Saved queries that see what their transaction has changed. */
import type { Context } from './context.ts';
import { scratch } from './scratch.ts';

/** How many callers want saved queries to run in the transaction. */
export const ownReports = scratch('saved queries that run in the transaction', () => ({ depth: 0 }));

/**
 * Runs a function whose saved queries run in the call's transaction and see what it has changed so far; otherwise they
 * run beside it and see what is committed. The function must not run other statements at the same time.
 */
export async function withOwnReports<T>(ctx: Pick<Context, 'scratch'>, run: () => Promise<T>): Promise<T> {
  const own = ctx.scratch(ownReports);
  own.depth++;
  try {
    return await run();
  } finally {
    own.depth--;
  }
}
