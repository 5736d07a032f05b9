import type { Db } from '../../../../kernel/database/store.ts';

/** Removes the passwords and public keys of all sFTP accounts. Runs in the given transaction; nobody is signed in. */
export async function dropSftpCredentials(db: Db): Promise<void> {
  await db.query(
    `update sftpaccount
     set password = null, passworddate = null, publickeys = null, keyfingerprints = null, updateddate = now(),
       version = version + 1
     where password is not null or publickeys is not null`,
  );
}
