/** The teams of a user. The caller decides whether it may know them. */
import { today } from '../../../kernel/time/today.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { TEAMS_OF_PERSON } from '../smartworklistmember/lib/teams.ts';

/** Returns the collections of users to which the calling user belongs today. */
export async function teamsOfCaller(ctx: Context): Promise<readonly number[]> {
  const rows = await ctx.db.query<{ id: number }>(`select distinct teamid as id from (${TEAMS_OF_PERSON}) t`, [
    ctx.user.personId,
    today(ctx),
  ]);
  return rows.map(({ id }) => id);
}
