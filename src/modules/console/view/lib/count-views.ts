import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import type { Registry } from '../../../../kernel/declare/registry.ts';
import { searchTotals } from '../../../../kernel/records/search/search-totals.ts';
import { Cache } from '../../../../kernel/time/cache.ts';
import type { view } from '../view.record.ts';
import { viewsOfCaller } from './own-views.ts';
import { listedType, viewFilters } from './view-search.ts';

/** A view's records are counted up to this number. */
export const COUNT_MAX = 1_000;
/** How long a count is shown again to the same user. */
const AGE_MILLISECONDS = 5_000;
/** Most counts that a process remembers: some 20 views of 500 users. */
const REMEMBERED_MAX = 10_000;

const caches = new WeakMap<Registry, Cache<string, Promise<number>>>();

/** The number of records of a view. */
export interface ViewCount {
  readonly ViewID: number;
  readonly Count: number;
  readonly IsMore: boolean;
}

/**
 * Counts the records of some of the caller's views, up to {@link COUNT_MAX}. A view that cannot be counted, because a
 * column of its filters no longer exists, is left out.
 */
export async function countViews(ctx: Context, ids: readonly number[]): Promise<readonly ViewCount[]> {
  const requested = new Set(ids);
  const views = (await viewsOfCaller(ctx, undefined)).filter(({ ViewID }) => requested.has(ViewID));
  const counts = await Promise.all(
    views.map(async (one): Promise<ViewCount[]> => {
      const count = await countOfView(ctx, one);
      return count === undefined
        ? []
        : [{ ViewID: one.ViewID, Count: Math.min(count, COUNT_MAX), IsMore: count > COUNT_MAX }];
    }),
  );
  return counts.flat();
}

async function countOfView(ctx: Context, one: Row<typeof view>): Promise<number | undefined> {
  try {
    const record = listedType(ctx, one.RecordType);
    let cache = caches.get(ctx.registry);
    const age = { clock: ctx.clock, milliseconds: AGE_MILLISECONDS };
    if (!cache) caches.set(ctx.registry, (cache = new Cache({ max: REMEMBERED_MAX, age })));
    // The version, so that a view that was changed is counted at once.
    return await cache.getOrLoad(`${ctx.user.personId} ${one.ViewID} ${one.Version}`, async () => {
      const { count } = await searchTotals(ctx, record, {
        ...viewFilters(ctx, record, one.Filters),
        most: COUNT_MAX + 1,
      });
      return count;
    });
  } catch (error) {
    if (error instanceof PlatformError && error.status < 500) return undefined;
    throw error;
  }
}
