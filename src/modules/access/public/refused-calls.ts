import type { Db } from '../../../kernel/database/store.ts';

/** Returns how many calls and sign-ins were refused since an instant, for somebody who may read the security log. */
export async function countRefusedCalls(db: Db, since: string): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    `select count(*)::integer as n
     from securitylog
     where createddate >= $1::timestamptz and securitylog in ('SignInRefused', 'KeyRefused', 'Refused')`,
    [since],
  );
  return row?.n ?? 0;
}
