import type { Context } from '../../../../kernel/door/context.ts';
import type { NotificationKind } from '../../../access/public/notification-kinds.ts';

/** A notification of the calling user. */
export interface OwnNotification {
  readonly NotificationID: number;
  readonly Notification: string | null;
  readonly Object: string;
  readonly ObjectID: number;
  readonly Kind: NotificationKind;
  readonly Count: number;
  readonly CreatedDate: string;
  readonly ReadDate: string | null;
}

/** Most unread notifications that are counted. */
export const UNREAD_MAX = 100;

/** Returns the calling user's notifications, the latest first. */
export function ownNotifications(
  ctx: Context,
  { before, unread, size }: { readonly before: number | null; readonly unread: boolean; readonly size: number },
): Promise<OwnNotification[]> {
  return ctx.transaction().elevated((db) =>
    db.query<OwnNotification>(
      `select notificationid as "NotificationID", notification as "Notification", object as "Object",
         objectid as "ObjectID", kind as "Kind", count as "Count", createddate as "CreatedDate",
         readdate as "ReadDate"
       from notification
       where personid = $1::bigint and ($2::bigint is null or notificationid < $2::bigint)
         and ($3::boolean is false or readdate is null)
       order by notificationid desc
       limit $4::integer`,
      [ctx.user.personId, before, unread, size],
    ),
  );
}

/** Returns how many notifications the calling user has not read, {@link UNREAD_MAX} at most. */
export async function countUnread(ctx: Context): Promise<number> {
  const [row] = await ctx.transaction().elevated((db) =>
    db.query<{ unread: number }>(
      `select count(*)::integer as unread from (
         select from notification where personid = $1::bigint and readdate is null limit ${UNREAD_MAX}) as unread`,
      [ctx.user.personId],
    ),
  );
  return row?.unread ?? 0;
}

/** Notifications that were seen. */
type SeenNotifications =
  | { readonly ids: readonly number[] }
  | {
      /** The latest of them; null: all. */
      readonly upTo: number | null;
      /** Only those about records that the user follows. */
      readonly isFollowed: boolean;
      /** Only those about the record that the latest is about. */
      readonly isSameRecord: boolean;
    };

/** Marks notifications of the calling user as read: some, or all up to one. Returns how many were unread. */
export async function markRead(ctx: Context, which: SeenNotifications): Promise<number> {
  const { condition, values } = 'ids' in which ? seenByIds(which.ids) : seenUpTo(which);
  const rows = await ctx.transaction().elevated((db) =>
    db.query(
      `update notification n
       set readdate = $2::timestamptz, updateddate = $2::timestamptz, updatedpersonid = $1::bigint,
         version = version + 1
       where personid = $1::bigint and readdate is null and ${condition}
       returning 1`,
      [ctx.user.personId, ctx.clock.now(), ...values],
    ),
  );
  return rows.length;
}

interface SeenCondition {
  readonly condition: string;
  readonly values: readonly (string | number | null | boolean)[];
}

function seenByIds(ids: readonly number[]): SeenCondition {
  return { condition: 'notificationid = any($3::bigint[])', values: [`{${ids.join(',')}}`] };
}

function seenUpTo({
  upTo,
  isFollowed,
  isSameRecord,
}: Exclude<SeenNotifications, { readonly ids: unknown }>): SeenCondition {
  return {
    condition: `($3::bigint is null or notificationid <= $3::bigint)
         and (not $4::boolean or exists (select from notification latest
           where latest.notificationid = $3::bigint and latest.personid = n.personid and latest.object = n.object
             and latest.objectid = n.objectid))
         and (not $5::boolean or exists (select from follow f
           where f.personid = n.personid and f.object = n.object and f.objectid = n.objectid))`,
    values: [upTo, isSameRecord, isFollowed],
  };
}

/** Whether all of these are notifications of the calling user. */
export async function areOwn(ctx: Context, ids: readonly number[]): Promise<boolean> {
  const unique = [...new Set(ids)];
  const rows = await ctx
    .transaction()
    .elevated((db) =>
      db.query('select from notification where personid = $1::bigint and notificationid = any($2::bigint[])', [
        ctx.user.personId,
        `{${unique.join(',')}}`,
      ]),
    );
  return rows.length === unique.length;
}
