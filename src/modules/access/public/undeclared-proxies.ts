import type { Db } from '../../../kernel/database/store.ts';

/** Most addresses that are returned. */
const ADDRESSES_MAX = 5;

/**
 * Returns the addresses that have sent X-Forwarded-For since an instant without being declared as proxies. The caller
 * must have checked access to the security log.
 */
export async function undeclaredProxies(db: Db, since: string): Promise<readonly string[]> {
  const rows = await db.query<{ address: string }>(
    `select distinct address
     from securitylog
     where createddate >= $1::timestamptz and securitylog = 'UndeclaredProxy' and address is not null
     order by address
     limit ${ADDRESSES_MAX}`,
    [since],
  );
  return rows.map(({ address }) => address);
}
