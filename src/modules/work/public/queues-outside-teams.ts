import type { Context } from '../../../kernel/door/context.ts';
import { today } from '../../../kernel/time/today.ts';
import { isOpenItem } from '../lib/open.ts';

/**
 * Returns the names of up to `max` queues in which a user has open items of teams that a colleague is not in today. By
 * hand, nobody could give these items to the colleague. The caller must have checked access to the user's work.
 */
export async function queuesOutsideTeams(
  ctx: Context,
  { from, to }: { readonly from: number; readonly to: number },
  max: number,
): Promise<readonly string[]> {
  const rows = await ctx.db.query<{ name: string | null }>(
    `select distinct w.smartworklist as name
     from (
       select distinct i.smartworklistid, i.teamid
       from smartworklistmember i
       where i.personid = $1::bigint and i.teamid is not null and ${isOpenItem('i')}) x
     join smartworklist w on w.smartworklistid = x.smartworklistid
     where not exists (select from casewright_members(x.teamid, $3::date) m where m.sourceobjectid = $2::bigint)
     order by 1
     limit $4::integer`,
    [from, to, today(ctx), max],
  );
  return rows.map(({ name }) => name ?? '');
}
