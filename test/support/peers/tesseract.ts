import { existsSync } from 'node:fs';
import { installProgram } from './debian-packages.ts';

/** The program of Debian's package. */
const TESSERACT = '/usr/bin/tesseract';

/** Why tests of recognition are skipped; false if the program is installed. */
export const tesseractMissing: string | false = existsSync(TESSERACT) ? false : 'there is no Tesseract on this machine';

/** Installs Debian's Tesseract if there is none. Returns the reason if that is not possible. */
export function installTesseract(log: (line: string) => void): string | undefined {
  return installProgram(TESSERACT, { name: 'Tesseract', packages: ['tesseract-ocr', 'tesseract-ocr-eng'], log });
}
