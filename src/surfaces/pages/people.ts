import type { PageCall } from './page-call.ts';

/** Names of users by their ids. */
export type PeopleNames = ReadonlyMap<number, string>;

/** Most users that a page names; it shows the others without a name. */
const PEOPLE_MAX = 200;

/** Returns the first and last names of users, or their sign-in names without any. Ids that are null are left out. */
export async function loadPeople(call: PageCall, ids: Iterable<number | null | undefined>): Promise<PeopleNames> {
  const known = [...new Set([...ids].filter((id): id is number => typeof id === 'number'))].slice(0, PEOPLE_MAX);
  if (known.length === 0 || !call.may('person/search')) return new Map();
  const { answer } = await call.call('person/search', {
    ID: known.join(','),
    SqlColumns: 'PersonID,Person,FirstName,LastName',
    RecordCount: 'false',
    DisplaySize: PEOPLE_MAX,
  });
  return new Map(
    answer.rows.map(({ PersonID: id, Person: signInName, FirstName: first, LastName: last }) => {
      const name = [first, last].filter((part) => (part ?? '') !== '').join(' ');
      return [id, name === '' ? (signInName ?? '') : name];
    }),
  );
}
