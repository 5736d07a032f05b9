import type { HttpBench } from './http.ts';

const NAME = 'bench clerk';
const PASSWORD = 'a password of the bench';

/** Creates a user with all permissions of staff, and signs in. Returns the session's cookie and the user's ID. */
export async function signInClerk(http: HttpBench): Promise<{ readonly cookie: string; readonly personId: number }> {
  // The password is used as it is.
  await http.call(http.staffKey, '/api/setting/save?Output=Json', { Setting: 'InitialPasswordDays', Value: '0' });
  const person = await http.call(http.staffKey, '/api/person/save?Output=Json', {
    Person: NAME,
    Password: PASSWORD,
    Roles: 'Staff',
  });
  const answer = await fetch(`${http.origin}/signin`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ Name: NAME, Password: PASSWORD }).toString(),
  });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0];
  if (cookie === undefined) throw new Error(`signing in answered ${answer.status}`);
  return { cookie, personId: Number(person['PersonID']) };
}
