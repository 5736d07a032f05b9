import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { atEnd } from '../at-end.ts';
import type { CleanUp } from '../database.ts';
import { installProgram } from './debian-packages.ts';
import { eventually } from '../eventually.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const SSHD = '/usr/sbin/sshd';

/** Installs Debian's OpenSSH server if possible. Returns the reason if it is not. */
export function installOpensshServer(log: (line: string) => void): string | undefined {
  return installProgram(SSHD, { name: "OpenSSH's server", packages: ['openssh-server', 'openssh-sftp-server'], log });
}

/** Why its tests are skipped; false if it is installed. */
export const withoutOpensshServer: string | false = existsSync(SSHD)
  ? false
  : 'there is no OpenSSH server on this machine';

/** An OpenSSH server with files below its own folder. */
export interface OpensshServer {
  readonly port: number;
  readonly user: string;
  /** The private key that may sign in. */
  readonly privateKey: string;
  /** The host key's fingerprint, as OpenSSH shows it: `SHA256:…`. */
  readonly fingerprint: string;
  /** The folder of the files on this machine; the server's paths are the same. */
  readonly folder: string;
  /** Ends every connection. */
  dropConnections(): void;
  /** Makes every connection stop responding until resumed. */
  freeze(frozen: boolean): void;
  stop(): void;
  start(): Promise<void>;
}

/** Starts an OpenSSH server on a local port with its own configuration and keys, for the user who runs the tests. */
export async function opensshServer(cleanUp: CleanUp, folder?: string): Promise<OpensshServer> {
  const own = temporaryFolder(cleanUp, 'closed');
  const files = folder ?? join(own, 'files');
  mkdirSync(files, { recursive: true });
  const hostKey = keyPair(join(own, 'host'));
  const clientKey = keyPair(join(own, 'client'));
  writeFileSync(join(own, 'authorized'), clientKey.public, { mode: 0o600 });
  // A server run by root requires this folder for its unprivileged processes.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const port = await freePort();
  const configuration = join(own, 'sshd_config');
  writeFileSync(
    configuration,
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${join(own, 'host')}`,
      `PidFile ${join(own, 'pid')}`,
      `AuthorizedKeysFile ${join(own, 'authorized')}`,
      'PermitRootLogin prohibit-password',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'UsePAM no',
      'StrictModes no',
      'MaxStartups 100',
      'MaxSessions 100',
      'Subsystem sftp internal-sftp',
    ].join('\n'),
  );
  let child: ReturnType<typeof spawn> | undefined;
  const lines: string[] = [];
  const start = async (): Promise<void> => {
    lines.length = 0;
    child = spawn(SSHD, ['-D', '-e', '-f', configuration], { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    child.stderr?.on('data', (data: Buffer) => void lines.push(data.toString()));
    await eventually('sshd listens', () => {
      if (child?.exitCode !== null) throw new Error(`sshd ended: ${lines.join('').slice(-500)}`);
      return lines.join('').includes('Server listening');
    });
  };
  const signal = (pids: readonly number[], name: NodeJS.Signals = 'SIGKILL'): void => {
    for (const pid of pids) {
      try {
        process.kill(pid, name);
      } catch {
        // It has ended by itself.
      }
    }
  };
  const stop = (): void => {
    const pid = child?.pid;
    if (pid !== undefined) signal([...descendants(pid), pid]);
    child = undefined;
  };
  atEnd(cleanUp, stop);
  await start();
  return {
    port,
    user: userInfo().username,
    privateKey: readFileSync(join(own, 'client'), 'utf8'),
    fingerprint: hostKey.fingerprint,
    folder: files,
    dropConnections: () => signal(child?.pid === undefined ? [] : descendants(child.pid)),
    freeze: (frozen) => signal(child?.pid === undefined ? [] : descendants(child.pid), frozen ? 'SIGSTOP' : 'SIGCONT'),
    stop,
    start,
  };
}

/** Returns the descendants of a process. */
function descendants(pid: number): number[] {
  const all = spawnSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    all.flatMap(([child = 0, of]) => (of === parent ? [...below(child), child] : []));
  return below(pid);
}

function keyPair(file: string): { readonly public: string; readonly fingerprint: string } {
  spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
  chmodSync(file, 0o600);
  const fingerprint = spawnSync('ssh-keygen', ['-lf', `${file}.pub`], { encoding: 'utf8' }).stdout.split(' ')[1] ?? '';
  return { public: readFileSync(`${file}.pub`, 'utf8'), fingerprint };
}

/** Returns a port on which nothing listens. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
