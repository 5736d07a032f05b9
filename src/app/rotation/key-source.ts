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

/** Where the keys of this process come from: the key file, or the environment. */
export interface KeySource {
  /** What to call it towards people. */
  readonly name: string;
  /** The key file, or undefined where the environment gives the keys. */
  readonly file: string | undefined;
  /** One key a line. Fails where there is none. */
  read(): string;
  /** Which of these keys, by their ids, are not in it. */
  missing(ids: readonly string[]): string[];
}

/** The keys of the environment, which has commas between them, or else `secret.key` in the data folder. */
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

/** Makes the key file where there is none; another process that starts on the same folder may be quicker, and its key is the one. */
export function makeKeyFile(file: string): void {
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true });
  try {
    writeFileSync(file, `${newKey()}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Writes the key file anew, whole or not at all: a process that reads it at this moment sees the old keys or the new ones. */
export function writeKeyFile(file: string, keys: readonly string[]): void {
  const draft = `${file}.new`;
  writeFileSync(draft, `${keys.join('\n')}\n`, { mode: 0o600, flush: true });
  renameSync(draft, file);
  const folder = openSync(dirname(file), 'r');
  fsyncSync(folder);
  closeSync(folder);
}
