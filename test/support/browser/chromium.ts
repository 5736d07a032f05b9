import { existsSync } from 'node:fs';
import { apt, installProblem } from '../peers/debian-packages.ts';

/** Paths of Chromium; the first is that of Debian's package. */
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

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
  const failed = apt('update') ?? apt('install', 'chromium', 'fonts-dejavu-core');
  return chromiumPath() === undefined ? `it could not be installed: ${failed ?? 'its program is missing'}` : undefined;
}
