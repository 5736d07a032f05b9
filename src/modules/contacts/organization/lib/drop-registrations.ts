import type { Db } from '../../../../kernel/database/store.ts';

/** Makes the links in mails of pending registrations useless. Runs in the given transaction; nobody is signed in. */
export async function dropRegistrations(db: Db): Promise<void> {
  await db.query('update registration set expires = now() where expires > now()');
}
