import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Why Debian packages cannot be installed here, or undefined if they can. */
export function installProblem(): string | undefined {
  if (process.platform !== 'linux' || !/^ID=debian$/m.test(readIfThere('/etc/os-release') ?? ''))
    return 'this is not Debian';
  return process.getuid?.() === 0 ? undefined : 'it is not installed, and only root can install it';
}

/** Runs apt-get non-interactively; returns the last line of its error output if it failed. */
export function apt(command: string, ...packages: string[]): string | undefined {
  const fixed = ['-y', '-q', '--no-install-recommends', '-o', 'Dpkg::Options::=--force-confold'];
  const { status, stderr } = spawnSync('apt-get', [command, ...fixed, ...packages], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return status === 0
    ? undefined
    : `apt-get ${command} ended with ${status}: ${stderr?.trim().split('\n').at(-1) ?? ''}`;
}

/** Returns a file's text, or undefined if it does not exist. */
export function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
