import type { Db } from '../../../../kernel/database/store.ts';
import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';

/** A user who has a role. */
export interface RoleHolder {
  readonly PersonID: number;
  readonly Person: string | null;
  readonly Status: string | null;
  readonly OrganizationID: number | null;
  readonly HasPassword: boolean;
  readonly Keys: number;
  readonly Sessions: number;
  readonly roles: readonly string[];
}

/** Most users that are listed. */
const HOLDERS_MAX = 500;

/** Returns the users who have a role, those who may sign in first. The caller must have checked access to users. */
export async function selectHolders(db: Db, role: string, now: string): Promise<readonly RoleHolder[]> {
  const rows = await db.query<Omit<RoleHolder, 'roles'> & { readonly roles: string }>(
    `select p.personid as "PersonID", p.person as "Person", coalesce(p.status, 'Active') as "Status",
       p.organizationid as "OrganizationID", p.password is not null as "HasPassword", p.roles,
       (select count(*)::integer
        from apikey k
        where k.personid = p.personid and k.keyhash is not null and k.revokeddate is null
          and (k.expires is null or k.expires > $2::timestamptz)) as "Keys",
       (select count(*)::integer from session s where s.personid = p.personid and s.status = 'Open') as "Sessions"
     from person p
     where lower($1::text) in (select lower(trim(each)) from unnest(string_to_array(p.roles, ',')) each)
     order by lower(coalesce(p.status, 'Active')) <> 'active', p.person
     limit ${HOLDERS_MAX}`,
    [role, now],
  );
  return rows.map((row) => ({ ...row, roles: splitCommaList(row.roles) }));
}
