import { existsSync } from 'node:fs';
import { apt, installProblem } from '../peers/debian-packages.ts';

/**
 * Paths of Chromium; the first two are those of Debian's packages. The shell is the same engine without windows,
 * extensions and a profile, and takes a fifth less processor time. (Its command in /usr/bin is a script that would stay
 * between us and the browser.)
 */
const CHROMIUM = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Returns the path of the installed browser, or undefined. */
export function chromiumPath(): string | undefined {
  return CHROMIUM.find((path) => existsSync(path));
}

/** Installs Debian's Chromium if there is none. Returns the reason if that is not possible. */
export function installChromium(log: (line: string) => void): string | undefined {
  if (chromiumPath() !== undefined) return undefined;
  const impossible = installProblem();
  if (impossible !== undefined) return impossible;
  log('Installing Chromium for the tests …');
  const updated = apt('update');
  // Older releases of Debian have no package of the shell.
  const failed = updated ?? (install('chromium-headless-shell') && install('chromium'));
  return chromiumPath() === undefined ? `it could not be installed: ${failed ?? 'its program is missing'}` : undefined;
}

function install(name: string): string | undefined {
  return apt('install', name, 'fonts-dejavu-core');
}
