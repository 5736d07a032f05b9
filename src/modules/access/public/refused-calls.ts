import type { Db } from '../../../kernel/database/store.ts';

/**
 * Returns the number of calls and sign-ins refused since an instant. The caller must have checked access to the
 * security log.
 */
export async function countRefusedCalls(db: Db, since: string): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    `select count(*)::integer as n
     from securitylog
     where createddate >= $1::timestamptz and securitylog in ('SignInRefused', 'KeyRefused', 'Refused')`,
    [since],
  );
  return row?.n ?? 0;
}
