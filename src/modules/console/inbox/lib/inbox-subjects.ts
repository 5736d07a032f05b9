import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { today } from '../../../../kernel/time/today.ts';
import { FOLLOWS_MAX } from '../../follow/lib/own-follows.ts';

/** Most members of a team whose mail is read together. */
const MEMBERS_MAX = 500;

/** Whose mail an inbox has, and the records that it is about. */
export interface InboxSubjects {
  /** Users who are responsible for the records, sent the mail, or are its recipients. */
  readonly personIds: readonly number[];
  /** Their mail addresses. */
  readonly addresses: readonly string[];
  /** Records whose mail it has: those that the caller follows, or one that the caller names. */
  readonly records: readonly { readonly object: string; readonly id: number }[];
}

/** Returns what the caller's inbox is about, or that of a team: a collection of users. */
export async function inboxSubjects(ctx: Context, teamId: number | null): Promise<InboxSubjects> {
  if (teamId === null) {
    const [addresses, records] = await Promise.all([addressesOf(ctx, [ctx.user.personId]), ownFollowed(ctx)]);
    return { personIds: [ctx.user.personId], addresses, records };
  }
  const members = await ctx.db.query<{ id: number }>(
    `select m.sourceobjectid as id
     from collection c
     cross join lateral casewright_members(c.collectionid, $2::date) m
     where c.collectionid = $1::bigint and c.sourceobject = 'Person'
     limit ${MEMBERS_MAX}`,
    [teamId, today(ctx)],
  );
  const personIds = members.map(({ id }) => id);
  return { personIds, addresses: await addressesOf(ctx, personIds), records: [] };
}

async function addressesOf(ctx: Context, personIds: readonly number[]): Promise<readonly string[]> {
  const rows = await ctx.db.query<{ email: string }>(
    "select email from person where personid = any($1::bigint[]) and email <> ''",
    [arrayLiteral(personIds)],
  );
  return rows.map(({ email }) => email);
}

function ownFollowed(ctx: Context): Promise<InboxSubjects['records']> {
  return ctx
    .transaction()
    .elevated((db) =>
      db.query<{ object: string; id: number }>(
        `select object, objectid as id from follow where personid = $1::bigint limit ${FOLLOWS_MAX}`,
        [ctx.user.personId],
      ),
    );
}
