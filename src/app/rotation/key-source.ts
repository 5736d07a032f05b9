import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { keysOf, newKey } from '../../kernel/security/cipher.ts';

/** Where this process's keys come from: the key file, or the environment. */
export interface KeySource {
  /** Its name in messages. */
  readonly name: string;
  /** The key file; undefined if the keys are in the environment. */
  readonly file: string | undefined;
  /** Returns the keys, one per line. Throws if there is none. */
  read(): string;
  /** Returns which of these key ids are not in it. */
  missing(ids: readonly string[]): string[];
}

/** Returns the keys of the environment, comma-separated there, or else of `secret.key` in the data folder. */
export function keySource(dataFolder: string, fromEnvironment: string | undefined): KeySource {
  const file = fromEnvironment === undefined ? join(dataFolder, 'secret.key') : undefined;
  const read = (): string =>
    file === undefined ? (fromEnvironment ?? '').replaceAll(',', '\n') : readFileSync(file, 'utf8');
  return {
    name: file ?? 'CASEWRIGHT_SECRET_KEY',
    file,
    read,
    missing(ids) {
      const known = new Set(keysOf(read()).map((key) => key.id.toString('hex')));
      return ids.filter((id) => !known.has(id));
    },
  };
}

/**
 * Creates the key file if there is none. If another process starting on the same folder is quicker, its key is used.
 */
export function makeKeyFile(file: string): void {
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true });
  try {
    writeFileSync(file, `${newKey()}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Rewrites the key file atomically: a process that reads it at this moment sees all old keys or all new ones. */
export function writeKeyFile(file: string, keys: readonly string[]): void {
  const draft = `${file}.new`;
  writeFileSync(draft, `${keys.join('\n')}\n`, { mode: 0o600, flush: true });
  renameSync(draft, file);
  const folder = openSync(dirname(file), 'r');
  fsyncSync(folder);
  closeSync(folder);
}
