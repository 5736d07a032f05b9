import type { Context } from '../../../../kernel/door/context.ts';
import { today } from '../../../../kernel/time/today.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { notFound } from '../../../../kernel/records/search/read.ts';

/**
 * SQL for the teams of a user on a day, with the user's priority in each: `$1` the user, `$2` the day. It starts from
 * the user, because there may be very many teams and members. Each `offset 0` keeps this order: the planner knows
 * nothing of small tables and would scan all teams.
 */
export const TEAMS_OF_PERSON = `select x.collectionid as teamid, m.priority as teampriority
  from (select collectionid from collectionmember where sourceobjectid = $1::bigint offset 0) x
  cross join lateral (select sourceobject from collection where collectionid = x.collectionid offset 0) c
  cross join lateral (
    select priority
    from casewright_members(x.collectionid, $2::date)
    where sourceobjectid = $1::bigint offset 0
  ) m
  where c.sourceobject = 'Person'`;

/** Whether a user may take a team's items today. Every user may take items without a team. */
export async function isInTeam(ctx: Context, db: Db, teamId: number | null, personId: number): Promise<boolean> {
  if (teamId === null) return true;
  const rows = await db.query(`select 1 from (${TEAMS_OF_PERSON}) t where t.teamid = $3::bigint`, [
    personId,
    today(ctx),
    teamId,
  ]);
  return rows.length > 0;
}

/** Returns the team of an ID or name: a collection of users, preferring the installation's own to those of firms. */
export async function findTeam(db: Db, text: string): Promise<number | undefined> {
  const [row] = await db.query<{ id: number }>(
    `select collectionid as id
     from collection
     where sourceobject = 'Person' and ($1::bigint = collectionid or ($1::bigint is null and collection = $2::text))
     order by reachorganizationid nulls first, collectionid
     limit 1`,
    [parseId(text), text.trim()],
  );
  return row?.id;
}

/** Returns the active user of an ID or sign-in name. */
export async function findPerson(db: Db, text: string): Promise<number | undefined> {
  const [row] = await db.query<{ id: number }>(
    `select personid as id
     from person
     where ($1::bigint = personid or ($1::bigint is null and person = $2::text))
       and coalesce(status, 'Active') = 'Active'`,
    [parseId(text), text.trim()],
  );
  return row?.id;
}

/** Returns the ID if the text is all digits. */
export function parseId(text: string): number | null {
  return /^\d{1,15}$/.test(text.trim()) ? Number(text) : null;
}

/** Rejects a collection that is not a team. */
export async function assertTeam(db: Db, id: number, field: string): Promise<void> {
  const rows = await db.query("select 1 from collection where collectionid = $1::bigint and sourceobject = 'Person'", [
    id,
  ]);
  if (rows.length === 0) throw notFound({ name: 'Collection of users' }, id, field);
}

/** Rejects a user who does not exist or is inactive. */
export async function assertActive(db: Db, id: number, field: string): Promise<void> {
  const rows = await db.query(
    "select 1 from person where personid = $1::bigint and coalesce(status, 'Active') = 'Active'",
    [id],
  );
  if (rows.length === 0) throw notFound({ name: 'Active Person' }, id, field);
}
