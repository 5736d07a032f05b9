import { shapeOf, type ListAnswer } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { lockRecords } from '../../../../kernel/records/save/lock-record.ts';
import { selectListOf } from '../../../../kernel/database/sql.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { changeItems, submittedReasons } from './change-item.ts';
import { isOpen, OPEN } from './item-state.ts';
import type { smartWorklistMember, WorkItem } from '../smartworklistmember.record.ts';

/** When and why items are canceled. Without a reason they keep their own. */
interface ItemCancellation {
  readonly at: string;
  readonly reason: string | null | undefined;
}

/**
 * Cancels items, in one statement if all are open and no business rule or subscriber needs each of them, since
 * canceling or calculating a worklist cancels thousands; otherwise one by one. Their history has the change either way.
 */
export async function cancelItems(
  ctx: Context,
  record: typeof smartWorklistMember,
  ids: readonly number[],
  canceled: ItemCancellation,
): Promise<ListAnswer<WorkItem>> {
  const hasRulesOrSubscribers =
    (await ctx.businessRules.applies(record, 'Update')) ||
    (await ctx.recordEvents.hasSubscribers(ctx, record, 'update'));
  const rows = hasRulesOrSubscribers ? undefined : await cancelInOneStatement(ctx, record, ids, canceled);
  if (rows) return { kind: 'list', name: record.name, shape: shapeOf(record), rows };
  return changeItems(ctx, record, await lockRecords(ctx, record, ids), (row) => {
    if (!isOpen(row)) return `it is already ${String(row.Status)}.`;
    return { CancelledDate: canceled.at, ...submittedReasons({ Reason: canceled.reason }) };
  });
}

/**
 * Returns undefined and changes nothing unless all items exist and are open. Locks them by rising ID, as single changes
 * do.
 */
async function cancelInOneStatement(
  { db, user, clock }: Context,
  record: typeof smartWorklistMember,
  ids: readonly number[],
  { at, reason }: ItemCancellation,
): Promise<readonly WorkItem[] | undefined> {
  const list = arrayLiteral(ids);
  const locked = await db.query(
    `select 1
     from (
       select 1
       from smartworklistmember i
       where i.smartworklistmemberid = any($1::bigint[]) and ${OPEN}
       order by i.smartworklistmemberid
       for update
     ) l
     having count(*) = $2::integer`,
    [list, ids.length],
  );
  if (locked.length === 0) return undefined;
  const rows = await db.query<WorkItem>(
    `update smartworklistmember
     set cancelleddate = $2::timestamptz, status = 'Canceled', reason = coalesce($3::text, reason),
       updateddate = $4::timestamptz, updatedpersonid = $5::bigint, version = version + 1
     where smartworklistmemberid = any($1::bigint[])
     returning ${selectListOf(record)}`,
    [list, at, reason ?? null, clock.now(), user.personId],
  );
  const byId = new Map(rows.map((row) => [row.SmartWorklistMemberID, row]));
  return ids.map((id) => byId.get(id) as WorkItem);
}
