import type { Context } from '../../../../kernel/door/context.ts';

/** Revokes all keys of a user and ends their sessions, each with its entry in the security log. Returns how many. */
export async function endAccess(
  ctx: Context,
  personId: number,
): Promise<{ readonly keys: number; readonly sessions: number }> {
  const keys = await ctx.db.query<{ id: number }>(
    'select apikeyid as id from apikey where personid = $1::bigint and revokeddate is null order by 1',
    [personId],
  );
  for (const { id } of keys) await ctx.call('apikey/revoke', { ID: id });
  const sessions = await ctx.db.query<{ id: number }>(
    `select sessionid as id from session
     where personid = $1::bigint and endeddate is null and expires > $2::timestamptz order by 1`,
    [personId, ctx.clock.now()],
  );
  for (const { id } of sessions) await ctx.call('session/end', { ID: id });
  return { keys: keys.length, sessions: sessions.length };
}
