import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cipherFromKeys, newKey, type Cipher } from '../kernel/cipher.ts';
import type { Connection } from '../kernel/store.ts';
import { startConnection } from './start-connection.ts';

const PURPOSE = 'secretkeycheck';
const CHECK = 'casewright';

/**
 * The key ring from the environment, or from `secret.key` in the data folder, which is made at a store's first start,
 * readable by its owner alone. Losing it loses what it sealed; it never belongs into a backup of the data.
 *
 * The store keeps a value that was sealed at its first start. A key that does not open it is refused before anything is
 * sealed with it, and for a store that has one no new key is made: it could open nothing that is there.
 */
export async function openCipher(connection: Connection, dataFolder: string, fromEnvironment: string | undefined): Promise<Cipher> {
  const sql = startConnection(connection, { name: 'casewright start' });
  try {
    const [known] = await sql.unsafe<{ sealed: Uint8Array }[]>('select sealed from secretkeycheck');
    const path = join(dataFolder, 'secret.key');
    const cipher = cipherFromKeys(fromEnvironment === undefined ? keyFile(path, known !== undefined) : fromEnvironment.replaceAll(',', '\n'));
    if (!known) await sql.unsafe('insert into secretkeycheck (sealed) values ($1::bytea) on conflict do nothing', [cipher.seal(PURPOSE, CHECK)]);
    // Two processes with keys of their own may have made the first start together; one of them is refused here.
    const [kept] = known ? [known] : await sql.unsafe<{ sealed: Uint8Array }[]>('select sealed from secretkeycheck');
    if (!kept || !opens(cipher, kept.sealed)) {
      const from = fromEnvironment === undefined ? path : 'CASEWRIGHT_SECRET_KEY';
      throw new Error(`the secret key of ${from} is not the one of this store: it does not open what is sealed there. Nothing was changed; give the key that the store was started with first, in CASEWRIGHT_SECRET_KEY or ${path}.`);
    }
    return cipher;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function opens(cipher: Cipher, sealed: Uint8Array): boolean {
  try {
    return cipher.open(PURPOSE, sealed).toString() === CHECK;
  } catch {
    return false;
  }
}

function keyFile(path: string, isNeeded: boolean): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (isNeeded) throw new Error(`the secret key is missing: there is no ${path}, and this store holds values sealed with it. Nothing was changed; put the file back, or give its content in CASEWRIGHT_SECRET_KEY.`);
  mkdirSync(join(path, '..'), { recursive: true });
  try {
    writeFileSync(path, `${newKey()}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    // Another process that starts on the same folder was quicker; its key is the one.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8');
}
