import { existsSync } from 'node:fs';
import { installProgram } from './debian-packages.ts';

/** The program of Debian's package. */
const LIBREOFFICE = '/usr/bin/soffice';

/** Why tests of office documents are skipped; false if the program is installed. */
export const libreOfficeMissing: string | false = existsSync(LIBREOFFICE)
  ? false
  : 'there is no LibreOffice on this machine';

/** Installs Debian's LibreOffice if there is none. Returns the reason if that is not possible. */
export function installLibreOffice(log: (line: string) => void): string | undefined {
  return installProgram(LIBREOFFICE, {
    name: 'LibreOffice',
    packages: ['libreoffice-writer-nogui', 'libreoffice-calc-nogui', 'libreoffice-impress-nogui'],
    log,
  });
}
