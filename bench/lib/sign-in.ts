import type { HttpBench } from './http.ts';

const PASSWORD = 'a password of the bench';

/** A user who signs in. */
export interface BenchUser {
  readonly name: string;
  readonly roles: string;
  readonly organizationId?: number;
}

/** A session: its cookie, and the user's ID. */
export interface SignedIn {
  readonly cookie: string;
  readonly personId: number;
}

/** Signs a user in, who is created if there is none of that name. */
export async function signIn(http: HttpBench, { name, roles, organizationId }: BenchUser): Promise<SignedIn> {
  // The password is used as it is.
  await http.call(http.staffKey, '/api/setting/save?Output=Json', { Setting: 'InitialPasswordDays', Value: '0' });
  const known = await http.database.use(http.connection, (sql) =>
    sql.unsafe<{ id: number }[]>('select personid::integer as id from person where person = $1', [name]),
  );
  const personId =
    known[0]?.id ??
    (
      await http.call(http.staffKey, '/api/person/save?Output=Json', {
        Person: name,
        Password: PASSWORD,
        Roles: roles,
        ...(organizationId !== undefined && { OrganizationID: organizationId }),
      })
    )['PersonID'];
  const answer = await fetch(`${http.origin}/signin`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ Name: name, Password: PASSWORD }).toString(),
  });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0];
  if (cookie === undefined) throw new Error(`signing in answered ${answer.status}`);
  return { cookie, personId: Number(personId) };
}

/** Signs in a user with all permissions of staff. */
export function signInClerk(http: HttpBench): Promise<SignedIn> {
  return signIn(http, { name: 'bench clerk', roles: 'Staff' });
}
