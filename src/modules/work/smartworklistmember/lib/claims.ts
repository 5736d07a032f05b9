import type { Context } from '../../../../kernel/door/context.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { fromOf, idOf, selectListOf } from '../../../../kernel/database/sql.ts';
import type { smartWorklistMember, WorkItem } from '../smartworklistmember.record.ts';
import { claimMinutes } from '../settings.ts';
import { changeItem, templateIdOf, writeAssignee, type ItemValues } from './change-item.ts';
import { OPEN } from './item-state.ts';

/*
 * A claim is a lease of a work item: it ends when its user releases the item, or some minutes after the last sign of
 * work. It is only of the start that it was made for. An item that was completed, skipped, requeued or reassigned since
 * has a claim without effect, which is deleted when it expires.
 */

const MINUTE = 60_000;

/**
 * Claims a started item for its user, or extends the claim. `isAssigned`: starting it for this claim assigned it.
 * Returns when the claim expires.
 */
export async function claimItem(ctx: Context, row: WorkItem, isAssigned: boolean): Promise<string> {
  const expires = new Date(ctx.clock.milliseconds() + ctx.settings.get(claimMinutes) * MINUTE).toISOString();
  await ctx.db.query(
    `insert into workclaim as c (smartworklistmemberid, personid, startdate, assigned, expires)
     values ($1::bigint, $2::bigint, $3::timestamptz, $4::boolean, $5::timestamptz)
     on conflict (smartworklistmemberid) do update
     set personid = excluded.personid, startdate = excluded.startdate, expires = excluded.expires,
       assigned = case
         when c.personid = excluded.personid and c.startdate = excluded.startdate then c.assigned
         else excluded.assigned
       end`,
    [row.SmartWorklistMemberID, row.PersonID, row.StartDate, isAssigned, expires],
  );
  return expires;
}

/** Returns the version of an item's record, which starting the item may have changed; null if it is not visible. */
export async function recordVersion(ctx: Context, { SourceObject, SourceObjectID }: WorkItem): Promise<number | null> {
  const record = ctx.registry.record(SourceObject);
  if (!record) return null;
  const [row] = await ctx.db.query<{ version: number }>(
    `select ${record.root.table}.version from ${fromOf(record)} where ${idOf(record)} = $1::bigint`,
    [SourceObjectID],
  );
  return row?.version ?? null;
}

/** Returns whether a claim of an item's present start assigned it; undefined if it has no such claim. */
export async function assignedByClaim(db: Db, row: WorkItem): Promise<boolean | undefined> {
  const [claim] = await db.query<{ assigned: boolean }>(
    `select assigned
     from workclaim
     where smartworklistmemberid = $1::bigint and personid = $2::bigint and startdate = $3::timestamptz`,
    [row.SmartWorklistMemberID, row.PersonID, row.StartDate],
  );
  return claim?.assigned;
}

/** Returns what releasing an item changes: it is not started, and unassigned again if the claim assigned it. */
function releasedValues(isAssigned: boolean): ItemValues {
  return { StartDate: null, ...(isAssigned ? { PersonID: null } : {}) };
}

/** Releases a claimed item and deletes the claim. */
export async function releaseItem(
  ctx: Context,
  record: typeof smartWorklistMember,
  row: WorkItem,
  isAssigned: boolean,
): Promise<WorkItem> {
  const released = await changeItem(ctx, record, row, releasedValues(isAssigned));
  if (isAssigned) await writeAssignee(ctx, released, await templateIdOf(ctx, released));
  await ctx.db.query('delete from workclaim where smartworklistmemberid = $1::bigint', [row.SmartWorklistMemberID]);
  return released;
}

/** An expired claim with its item. */
type ExpiredItem = WorkItem & { readonly isAssigned: boolean };

/**
 * Releases the items of expired claims, at most `max`, and deletes these claims. Items locked by another call are left
 * to the next run. Returns the number of released items.
 */
export async function releaseExpiredItems(
  ctx: Context,
  record: typeof smartWorklistMember,
  max: number,
): Promise<number> {
  const now = ctx.clock.now();
  const items = await ctx.db.query<ExpiredItem>(
    `select ${selectListOf(record)}, c.assigned as "isAssigned"
     from workclaim c
     join smartworklistmember on smartworklistmember.smartworklistmemberid = c.smartworklistmemberid
     join smartworklistmember i on i.smartworklistmemberid = c.smartworklistmemberid
     where c.expires <= $1::timestamptz
       and i.personid = c.personid and i.startdate = c.startdate and i.skipdate is null and ${OPEN}
     order by c.expires
     limit $2::integer
     for update of c, smartworklistmember skip locked`,
    [now, max],
  );
  for (const { isAssigned, ...row } of items) await releaseItem(ctx, record, row, isAssigned);
  await ctx.db.query(
    `delete from workclaim c
     using smartworklistmember i
     where i.smartworklistmemberid = c.smartworklistmemberid and c.expires <= $1::timestamptz
       and not (i.personid = c.personid and i.startdate = c.startdate and i.skipdate is null and ${OPEN})`,
    [now],
  );
  return items.length;
}
