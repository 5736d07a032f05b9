import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cipherFromKeys, newKey, type Cipher } from '../kernel/cipher.ts';

/**
 * The key ring from the environment, or from `secret.key` in the data folder, which is made at the first start, readable by
 * its owner alone. Losing it loses what it sealed; it never belongs into a backup of the data.
 */
export function openCipher(dataFolder: string, fromEnvironment: string | undefined): Cipher {
  if (fromEnvironment !== undefined) return cipherFromKeys(fromEnvironment.replaceAll(',', '\n'));
  const path = join(dataFolder, 'secret.key');
  try {
    return cipherFromKeys(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  mkdirSync(dataFolder, { recursive: true });
  try {
    writeFileSync(path, `${newKey()}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    // Another process that starts on the same folder was quicker; its key is the one.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return cipherFromKeys(readFileSync(path, 'utf8'));
}
