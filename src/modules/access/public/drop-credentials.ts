import type { Db } from '../../../kernel/database/store.ts';

/**
 * Invalidates every API key, password and session in a copied store. Users and keys remain, for the history.
 * Runs in the given transaction; nobody is signed in.
 */
export async function dropCredentials(db: Db): Promise<void> {
  await db.query(
    `update apikey set revokeddate = now(), updateddate = now(), version = version + 1 where revokeddate is null`,
  );
  await db.query(
    `update person
     set password = null, initialpassworddate = null, updateddate = now(), version = version + 1
     where password is not null`,
  );
  await db.query('delete from session');
}
