import { existsSync } from 'node:fs';
import { apt, whyNotInstall } from '../peers/debian-packages.ts';

/** Where a Chromium may lie; Debian's package puts it at the first. */
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser that is installed, or undefined. */
export function chromiumPath(): string | undefined {
  return CHROMIUM.find((path) => existsSync(path));
}

/** Sees to a Chromium: installs Debian's where that is possible. Answers the reason for which there is none. */
export function installChromium(log: (line: string) => void): string | undefined {
  if (chromiumPath() !== undefined) return undefined;
  const impossible = whyNotInstall();
  if (impossible !== undefined) return impossible;
  log('Installing Chromium for the tests …');
  const failed = apt('update') ?? apt('install', 'chromium', 'fonts-dejavu-core');
  return chromiumPath() === undefined ? `it could not be installed: ${failed ?? 'its program is missing'}` : undefined;
}
