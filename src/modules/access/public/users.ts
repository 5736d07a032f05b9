/** Reads of users for registrations, before anyone is signed in. The caller must not reveal the results. */
import type { Db } from '../../../kernel/database/store.ts';

/** A user found by sign-in name. */
export interface NamedUser {
  readonly personid: number;
  /** The sign-in name. */
  readonly person: string;
  readonly status: string | null;
  readonly email: string | null;
}

/** Returns the user with a sign-in name, compared without case and accents. */
export async function findUserByName(db: Db, name: string): Promise<NamedUser | undefined> {
  const [row] = await db.query<NamedUser>(
    'select personid, status, email, person from person where person = $1::text',
    [name],
  );
  return row;
}

/** Whether a user exists and has this status. */
export async function hasStatus(db: Db, personId: number, status: string): Promise<boolean> {
  const rows = await db.query('select 1 from person where personid = $1::bigint and status = $2::text', [
    personId,
    status,
  ]);
  return rows.length > 0;
}

/** Whether an organization has users. */
export async function hasUsers(db: Db, organizationId: number): Promise<boolean> {
  const rows = await db.query('select 1 from person where organizationid = $1::bigint limit 1', [organizationId]);
  return rows.length > 0;
}

/** Returns the mail addresses of the first `max` active users of an organization. */
export async function activeUserAddresses(db: Db, organizationId: number, max: number): Promise<readonly string[]> {
  const rows = await db.query<{ email: string }>(
    `select email
     from person
     where organizationid = $1::bigint and status = 'Active' and email is not null
     order by personid
     limit $2::integer`,
    [organizationId, max],
  );
  return rows.map(({ email }) => email);
}
