import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

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

/** Keeps Debian from starting the service of a package: the tests start their own. */
const POLICY = '/usr/sbin/policy-rc.d';

/**
 * Installs the packages of a program without starting its service, unless the program exists. Returns the reason if
 * they cannot be installed.
 */
export function installProgram(
  program: string,
  { name, packages, log }: { name: string; packages: readonly string[]; log: (line: string) => void },
): string | undefined {
  if (existsSync(program)) return undefined;
  const impossible = installProblem();
  if (impossible !== undefined) return impossible;
  log(`Installing ${name} for the tests …`);
  const isOurs = !existsSync(POLICY);
  if (isOurs) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    const failed = apt('update') ?? apt('install', ...packages);
    return existsSync(program) ? undefined : `it could not be installed: ${failed ?? 'its program is missing'}`;
  } finally {
    if (isOurs) rmSync(POLICY, { force: true });
  }
}

/** Returns a file's text, or undefined if it does not exist. */
export function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
