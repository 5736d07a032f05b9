/** Reviews of lines: approvals and rejections, and how they are undone. */
import type { Context } from '../../../../kernel/door/context.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { approvedColumns } from '../../lib/approved-entries.ts';
import type { ledgerItem } from '../ledgeritem.record.ts';

/** Who reviews a line, when and why. */
export function reviewValues(ctx: Context, reason: string | null | undefined): Values<typeof ledgerItem> {
  const why = reason?.trim() ?? '';
  return { ReviewPersonID: ctx.user.personId, ReviewDate: ctx.clock.now(), ReviewReason: why === '' ? null : why };
}

/** What a review changes. */
export type ReviewedValues = Pick<
  Values<typeof ledgerItem>,
  'Status' | 'IsTotaled' | 'IsDebit' | 'ReviewPersonID' | 'ReviewDate' | 'ReviewReason'
>;

/** A line before its review. `edited`: what had been approved was changed after the review. */
type BeforeReview = ReviewedValues | 'edited';

interface StoredReview {
  readonly id: number;
  readonly isEdited: boolean;
  readonly old: Readonly<Record<string, unknown>>;
}

/**
 * Returns what lines were before the review that they have now, from history; none for lines that have no review or
 * whose history has been deleted. The caller has locked the lines and checked that they may be changed. Undoing sets an
 * earlier ReviewDate, so the change to look for is the first that set the present one.
 */
export async function valuesBeforeReview(
  ctx: Context,
  ids: readonly number[],
): Promise<ReadonlyMap<number, BeforeReview>> {
  const rows = await ctx.transaction().elevated((db) =>
    db.query<StoredReview>(
      `select distinct on (i.ledgeritemid) i.ledgeritemid as id, c.old,
         lower(coalesce(c.old ->> 'status', i.status)) = 'approved' and exists (
           select from history h
           where h.tablename = 'ledgeritem' and h.recordid = i.ledgeritemid and h.change = 'update'
             and (h.at, h.historyid) > (c.at, c.historyid) and h.old ?| $2::text[] and not h.old ? 'reviewdate'
         ) as "isEdited"
       from ledgeritem i
       cross join lateral (
         select h.at, h.historyid, h.old,
           lead(h.old) over (order by h.at, h.historyid) ->> 'reviewdate' as later,
           lead(h.at) over (order by h.at, h.historyid) is null as islast
         from history h
         where h.tablename = 'ledgeritem' and h.recordid = i.ledgeritemid and h.change = 'update'
           and h.old ? 'reviewdate'
       ) c
       where i.ledgeritemid = any($1::bigint[]) and i.reviewdate is not null
         and (c.islast or c.later::timestamptz = i.reviewdate)
       order by i.ledgeritemid, c.at, c.historyid`,
      [arrayLiteral(ids), arrayLiteral(approvedColumns.map((name) => name.toLowerCase()))],
    ),
  );
  return new Map(rows.map(({ id, old, isEdited }) => [id, isEdited ? 'edited' : reviewedValues(old)]));
}

const columns = ['Status', 'IsTotaled', 'IsDebit', 'ReviewPersonID', 'ReviewDate', 'ReviewReason'] as const;

/** Returns those columns of a review that it changed. */
function reviewedValues(old: Readonly<Record<string, unknown>>): ReviewedValues {
  return Object.fromEntries(
    columns.flatMap((name) => (name.toLowerCase() in old ? [[name, old[name.toLowerCase()]]] : [])),
  );
}
