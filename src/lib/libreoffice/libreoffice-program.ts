import { installedProgram } from '../programs/installed-program.ts';

const PROGRAMS: readonly string[] = ['soffice', 'libreoffice'];
/** Where a program without a path is looked for. */
const FOLDERS: readonly string[] = [
  '/usr/local/bin',
  '/usr/bin',
  '/usr/lib/libreoffice/program',
  '/opt/libreoffice/program',
  '/Applications/LibreOffice.app/Contents/MacOS',
];

/** Whether a text is a name or path of LibreOffice, so that a setting cannot start any other program. */
export function isLibreOfficeProgram(text: string): boolean {
  return /^(?:\/(?:[\w.-]+\/)*)?(?:soffice|libreoffice)[\w.-]*$/.test(text) && !text.includes('..');
}

/** Returns the path of a program, or of any LibreOffice for ''; undefined if it is not installed. */
export function libreOfficePath(command: string): string | undefined {
  return installedProgram(command === '' ? PROGRAMS : [command], FOLDERS);
}
