import { selectListOf } from '../../../../kernel/database/sql.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { teamsOfCaller } from '../../../work/public/teams-of-user.ts';
import { view } from '../view.record.ts';

/** Most views that one user sees. */
const VIEWS_MAX = 500;

/** Returns the views that the calling user sees in lists: their own, those of their teams, and everybody's. */
export async function viewsOfCaller(
  ctx: Context,
  recordType: string | undefined,
): Promise<readonly Row<typeof view>[]> {
  const teams = ctx.user.universal ? await teamsOfCaller(ctx) : [];
  return ctx.db.query<Row<typeof view>>(
    `select ${selectListOf(view)}
     from view
     where (view.personid = $1::bigint or view.collectionid = any($2::bigint[])
         or (view.personid is null and view.collectionid is null))
       and view.status is distinct from 'Inactive'
       and ($3::text is null or view.recordtype = $3::text)
     order by view.position nulls last, view.personid is not null, view.viewid
     limit ${VIEWS_MAX}`,
    [ctx.user.personId, arrayLiteral(teams), recordType ?? null],
  );
}
