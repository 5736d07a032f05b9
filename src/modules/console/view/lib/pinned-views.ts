import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { pinnedInOrder } from '../../../../lib/pinned-views.ts';
import type { view } from '../view.record.ts';
import { viewsOfCaller } from './own-views.ts';
import { listedType } from './view-search.ts';

/** Returns the calling user's pinned views whose records they may search. `chosen`: as the preference stores it. */
export async function pinnedViews(ctx: Context, chosen: string | null): Promise<readonly Row<typeof view>[]> {
  return pinnedInOrder(await viewsOfCaller(ctx, undefined), chosen).filter(({ RecordType }) =>
    isListed(ctx, RecordType),
  );
}

function isListed(ctx: Context, recordType: string): boolean {
  try {
    listedType(ctx, recordType);
    return true;
  } catch (error) {
    if (error instanceof PlatformError) return false;
    throw error;
  }
}
