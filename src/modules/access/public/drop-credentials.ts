import type { Db } from '../../../kernel/database/store.ts';

/**
 * Makes every API key, password and session of a store unusable: those of the installation that it was copied from.
 * Users and keys remain, for the history. Runs in the given transaction; nobody is signed in.
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
