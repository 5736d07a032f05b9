import { existsSync } from 'node:fs';
import { installProgram } from './debian-packages.ts';

/** The program of Debian's package. */
export const HLEDGER = '/usr/bin/hledger';

/** Why tests against hledger are skipped; false if the program is installed. */
export const hledgerMissing: string | false = existsSync(HLEDGER) ? false : 'there is no hledger on this machine';

/** Installs Debian's hledger if there is none. Returns the reason if that is not possible. */
export function installHledger(log: (line: string) => void): string | undefined {
  return installProgram(HLEDGER, { name: 'hledger', packages: ['hledger'], log });
}
