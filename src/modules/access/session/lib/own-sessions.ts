import type { Context } from '../../../../kernel/door/context.ts';
import { sessionIdleMinutes } from '../settings.ts';

/** An open session of the calling user. */
export interface OwnSession {
  readonly SessionID: number;
  readonly Session: string | null;
  readonly Address: string | null;
  readonly SignedInDate: string;
  readonly LastSeen: string | null;
  readonly Expires: string | null;
  readonly IsCurrent: boolean;
}

/** Most sessions that are listed. */
const SESSIONS_MAX = 100;

/** Returns the calling user's open sessions, the last used first. */
export async function ownOpenSessions(ctx: Context): Promise<OwnSession[]> {
  const idleSince = new Date(ctx.clock.milliseconds() - ctx.settings.get(sessionIdleMinutes) * 60_000).toISOString();
  return ctx.inTransaction((own) =>
    own.transaction().elevated((db) =>
      db.query<OwnSession>(
        `select sessionid as "SessionID", session as "Session", address as "Address", createddate as "SignedInDate",
           lastseen as "LastSeen", expires as "Expires", sessionid = $4::bigint as "IsCurrent"
         from session
         where personid = $1::bigint and endeddate is null and expires > $2::timestamptz and lastseen >= $3::timestamptz
         order by lastseen desc, sessionid desc
         limit ${SESSIONS_MAX}`,
        [own.user.personId, own.clock.now(), idleSince, own.user.session?.sessionId ?? 0],
      ),
    ),
  );
}

/** Ends one open session of the calling user, or all but the current one. Returns the ids of those that it ended. */
export async function endOwnSessions(ctx: Context, sessionId: number | undefined): Promise<readonly number[]> {
  const current = ctx.user.session?.sessionId ?? 0;
  const rows = await ctx.transaction().elevated((db) =>
    db.query<{ sessionid: number }>(
      `update session
       set status = 'Ended', endeddate = $2::timestamptz, updateddate = $2::timestamptz, updatedpersonid = $1::bigint,
         version = version + 1
       where personid = $1::bigint and endeddate is null
         and case when $3::bigint is null then sessionid <> $4::bigint else sessionid = $3::bigint end
       returning sessionid`,
      [ctx.user.personId, ctx.clock.now(), sessionId ?? null, current],
    ),
  );
  return rows.map(({ sessionid }) => sessionid);
}
