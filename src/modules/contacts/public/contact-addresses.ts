/** Addresses of contacts and of the members of collections, for messages to many of them. */
import { arrayLiteral, type Db } from '../../../kernel/database/store.ts';

/** A contact and the address at which to write to them. */
export interface ContactAddress {
  readonly contactId: number;
  /** First and last name, or the company. */
  readonly name: string | null;
  /** The preferred valid address of the first kind that the contact has; null without one. */
  readonly address: string | null;
  readonly language: string | null;
}

/** What to look up. */
export interface AddressQuery {
  /** Kinds of contact methods, such as Email; earlier ones are preferred. */
  readonly kinds: readonly string[];
  /** The day on which addresses are valid. */
  readonly day: string;
}

/** Returns contacts with their addresses, in the order of the ids. Leaves out those that `db` does not show. */
export function addressesOfContacts(
  db: Db,
  ids: readonly number[],
  { kinds, day }: AddressQuery,
): Promise<readonly ContactAddress[]> {
  return db.query<ContactAddress>(
    `select c.contactid as "contactId",
       coalesce(nullif(concat_ws(' ', c.firstname, c.lastname), ''), c.company, c.contact) as name,
       m.contactvalue as address, c.spokenlanguage as language
     from unnest($1::bigint[]) with ordinality as k (id, n)
     join contact c on c.contactid = k.id
     left join lateral (
       select e.contactvalue
       from contactmethod e join unnest($2::text[]) with ordinality as t (kind, n) on t.kind = e.methodtype
       where e.contactid = c.contactid and nullif(btrim(e.contactvalue), '') is not null
         and (e.validstart is null or e.validstart <= $3::date) and (e.validend is null or e.validend >= $3::date)
       order by t.n, e.primarymethod is true desc, e.contactmethodid
       limit 1) m on true
     order by k.n`,
    [arrayLiteral(ids), arrayLiteral(kinds), day],
  );
}

/** The members of a collection on a day. */
export interface CollectionMembers {
  /** The record type of the members. */
  readonly source: string;
  readonly ids: readonly number[];
}

/** Returns the members of a collection that count on a day, by priority; undefined without the collection. */
export async function membersOfCollection(
  db: Db,
  collectionId: number,
  day: string,
): Promise<CollectionMembers | undefined> {
  const [found] = await db.query<{ source: string }>(
    'select sourceobject as source from collection where collectionid = $1::bigint',
    [collectionId],
  );
  if (!found) return undefined;
  const rows = await db.query<{ id: number }>(
    `select sourceobjectid as id from casewright_members($1::bigint, $2::date)
     order by priority nulls last, collectionmemberid`,
    [collectionId, day],
  );
  return { source: found.source, ids: rows.map(({ id }) => id) };
}
