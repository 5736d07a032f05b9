import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { today } from '../../../../kernel/time/today.ts';
import type { Db } from '../../../../kernel/database/store.ts';

/**
 * SQL of the teams of a person on a day, each with the person's priority in it: `$1` the person, `$2` the day. From the person's side, because
 * there may be a great many teams, and members of one. Each `offset 0` keeps the order: of small tables the planner knows nothing, and would go through all teams.
 */
export const TEAMS_OF_PERSON = `select x.collectionid as teamid, m.priority as teampriority
  from (select collectionid from collectionmember where sourceobjectid = $1::bigint offset 0) x
  cross join lateral (select sourceobject from collection where collectionid = x.collectionid offset 0) c
  cross join lateral (select priority from casewright_members(x.collectionid, $2::date) where sourceobjectid = $1::bigint offset 0) m
  where c.sourceobject = 'Person'`;

/** Whether a person may take items of a team today. Everybody may take those of none. */
export async function isInTeam(ctx: Context, db: Db, teamId: number | null, personId: number): Promise<boolean> {
  if (teamId === null) return true;
  const rows = await db.query(`select 1 from (${TEAMS_OF_PERSON}) t where t.teamid = $3::bigint`, [
    personId,
    today(ctx),
    teamId,
  ]);
  return rows.length > 0;
}

/** The team of an id or name: a collection of persons, the installation's own before those that firms made. */
export async function findTeam(db: Db, text: string): Promise<number | undefined> {
  const [row] = await db.query<{ id: number }>(
    `select collectionid as id from collection where sourceobject = 'Person' and ($1::bigint = collectionid or ($1::bigint is null and collection = $2::text))
     order by reachorganizationid nulls first, collectionid limit 1`,
    [parseId(text), text.trim()],
  );
  return row?.id;
}

/** The active user of an id or sign-in name. */
export async function findPerson(db: Db, text: string): Promise<number | undefined> {
  const [row] = await db.query<{ id: number }>(
    "select personid as id from person where ($1::bigint = personid or ($1::bigint is null and person = $2::text)) and coalesce(status, 'Active') = 'Active'",
    [parseId(text), text.trim()],
  );
  return row?.id;
}

/** Digits alone are an id. */
export function parseId(text: string): number | null {
  return /^\d{1,15}$/.test(text.trim()) ? Number(text) : null;
}

/** Refuses a collection that is no team. */
export async function assertTeam(db: Db, id: number, field: string): Promise<void> {
  const rows = await db.query("select 1 from collection where collectionid = $1::bigint and sourceobject = 'Person'", [
    id,
  ]);
  if (rows.length === 0)
    throw new PlatformError('NOT_FOUND', { field, message: `${field}: there is no Collection ${id} of persons.` });
}

/** Refuses a person who is none, or may not sign in any more. */
export async function assertActive(db: Db, id: number, field: string): Promise<void> {
  const rows = await db.query(
    "select 1 from person where personid = $1::bigint and coalesce(status, 'Active') = 'Active'",
    [id],
  );
  if (rows.length === 0)
    throw new PlatformError('NOT_FOUND', { field, message: `${field}: there is no active Person ${id}.` });
}
