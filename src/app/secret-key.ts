import { existsSync } from 'node:fs';
import { KeyRing } from '../kernel/security/cipher.ts';
import type { Log } from '../kernel/ports/log.ts';
import type { Connection } from '../kernel/database/store.ts';
import { holdKeys } from './rotation/key-holder.ts';
import { keySource, makeKeyFile, type KeySource } from './rotation/key-source.ts';
import { neededKeys, readRotation, sealingKey } from './rotation/rotation-state.ts';
import { ConfigurationError } from './configuration-error.ts';
import { startConnection } from './start-connection.ts';

/** Purpose that the store's check value is sealed for. */
export const CHECK_PURPOSE = 'secretkeycheck';
const CHECK = 'casewright';

/** The keys of a running process. */
export interface SecretKeys {
  /** Follows the key file and the store while the process runs. */
  readonly cipher: KeyRing;
  stop(): Promise<void>;
}

/**
 * Opens the key ring from the environment, or from `secret.key` in the data folder, which is created at the store's
 * first start, readable by its owner only. Without the key everything sealed with it is lost. Keep it apart from
 * backups of the data.
 *
 * At its first start the store seals a check value. A key that does not open this value is refused before anything is
 * sealed with it, and no new key is created for a store that has one, since it could open nothing. During a rotation,
 * all keys that the rotation needs must be present.
 */
export async function openSecretKeys(
  connection: Connection,
  dataFolder: string,
  fromEnvironment: string | undefined,
  log: Log,
): Promise<SecretKeys> {
  const sql = startConnection(connection, { name: 'casewright keys' });
  try {
    const source = keySource(dataFolder, fromEnvironment);
    const [known] = await sql.unsafe<{ sealed: Uint8Array }[]>('select sealed from secretkeycheck');
    if (source.file !== undefined && known === undefined) makeKeyFile(source.file);
    if (source.file !== undefined && !existsSync(source.file))
      throw new ConfigurationError(
        `the secret key is missing: ${source.file} does not exist, but this store contains values sealed with it. ` +
          'Nothing was changed; restore the file, or set CASEWRIGHT_SECRET_KEY to its content.',
      );
    const rotation = await readRotation(sql);
    const cipher = ringOf(source, sealingKey(rotation));
    if (!known)
      await sql.unsafe('insert into secretkeycheck (sealed) values ($1::bytea) on conflict do nothing', [
        cipher.seal(CHECK_PURPOSE, CHECK),
      ]);
    // Two processes with different keys may perform the first start at the same time; one of them is refused here.
    const rows: readonly { readonly sealed: Uint8Array }[] = known
      ? [known]
      : await sql.unsafe<{ sealed: Uint8Array }[]>('select sealed from secretkeycheck');
    checkKeys(cipher, source, rows[0]?.sealed, neededKeys(rotation));
    const holder = await holdKeys(sql, source, cipher, log);
    return {
      cipher,
      async stop() {
        await holder.stop();
        await sql.end({ timeout: 1 });
      },
    };
  } catch (error) {
    await sql.end({ timeout: 1 });
    throw error;
  }
}

/** Parses the keys; an invalid key is a configuration error, since restarting does not repair it. */
function ringOf(source: KeySource, sealing: ReturnType<typeof sealingKey>): KeyRing {
  try {
    return new KeyRing(source.read(), sealing);
  } catch (error) {
    throw new ConfigurationError(
      `the secret key in ${source.name}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Refuses a ring that does not open the store's check value, or lacks a key that the rotation needs. */
function checkKeys(cipher: KeyRing, source: KeySource, check: Uint8Array | undefined, needed: readonly string[]): void {
  if (!check || !opens(cipher, check)) {
    throw new ConfigurationError(
      `the secret key in ${source.name} is not the key of this store: it does not open the store's sealed values. ` +
        'Nothing was changed; put the key that the store was first started with, or rotated to, into ' +
        `CASEWRIGHT_SECRET_KEY or ${source.file ?? 'secret.key of the data folder'}.`,
    );
  }
  const missing = source.missing(needed);
  if (missing.length > 0) {
    throw new ConfigurationError(
      `${source.name} lacks ${missing.map((id) => `the key ${id}`).join(' and ')}: the keys of this store are being ` +
        'rotated, which needs all of them. Nothing was changed; add the missing key on a separate line.',
    );
  }
}

function opens(cipher: KeyRing, sealed: Uint8Array): boolean {
  try {
    return cipher.open(CHECK_PURPOSE, sealed).toString() === CHECK;
  } catch {
    return false;
  }
}
