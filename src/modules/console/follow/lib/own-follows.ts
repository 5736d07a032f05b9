import type { NotificationKind } from '../../../access/public/notification-kinds.ts';
import type { Context } from '../../../../kernel/door/context.ts';

/** A record that the calling user follows. */
export interface FollowedRecord {
  readonly Object: string;
  readonly ObjectID: number;
  /** Since when. */
  readonly FollowedDate: string;
  readonly Unread: number;
  /** The latest notification about it. */
  readonly Latest: string | null;
  readonly LatestDate: string | null;
  readonly LatestID: number | null;
  readonly LatestKind: NotificationKind | null;
}

/** Most records that a user follows. */
export const FOLLOWS_MAX = 500;

/** Returns what the calling user follows, what changed last first; or one record, if they follow it. */
export async function ownFollows(
  ctx: Context,
  only?: { readonly object: string; readonly id: number },
): Promise<FollowedRecord[]> {
  return ctx.transaction().elevated((db) =>
    db.query<FollowedRecord>(
      `select f.object as "Object", f.objectid as "ObjectID", f.createddate as "FollowedDate",
         (select count(*)::integer from notification n
          where n.personid = f.personid and n.object = f.object and n.objectid = f.objectid
            and n.readdate is null) as "Unread",
         latest.notification as "Latest", latest.createddate as "LatestDate", latest.notificationid as "LatestID",
         latest.kind as "LatestKind"
       from follow f
       left join lateral (
         select notification, createddate, notificationid, kind from notification n
         where n.personid = f.personid and n.object = f.object and n.objectid = f.objectid
         order by notificationid desc limit 1) latest on true
       where f.personid = $1::bigint and ($2::text is null or f.object = $2::text and f.objectid = $3::bigint)
       order by latest.createddate desc nulls last, f.followid desc
       limit ${FOLLOWS_MAX}`,
      [ctx.user.personId, only?.object ?? null, only?.id ?? null],
    ),
  );
}

/** Lets the calling user follow a record. Returns false if they follow as many as they may. */
export async function addFollow(ctx: Context, object: string, id: number): Promise<boolean> {
  return ctx.transaction().elevated(async (db) => {
    const [row] = await db.query<{ following: number }>(
      'select count(*)::integer as following from follow where personid = $1::bigint',
      [ctx.user.personId],
    );
    if ((row?.following ?? 0) >= FOLLOWS_MAX) return false;
    await db.query(
      `insert into follow (personid, object, objectid, createddate, createdpersonid, updateddate, updatedpersonid)
       values ($1::bigint, $2::text, $3::bigint, $4::timestamptz, $1::bigint, $4::timestamptz, $1::bigint)
       on conflict (personid, object, objectid) do nothing`,
      [ctx.user.personId, object, id, ctx.clock.now()],
    );
    return true;
  });
}

/** The calling user no longer follows a record. Returns whether they did. */
export async function removeFollow(ctx: Context, object: string, id: number): Promise<boolean> {
  const rows = await ctx
    .transaction()
    .elevated((db) =>
      db.query(
        `delete from follow where personid = $1::bigint and object = $2::text and objectid = $3::bigint returning 1`,
        [ctx.user.personId, object, id],
      ),
    );
  return rows.length > 0;
}
