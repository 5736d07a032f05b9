import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atEnd } from '../at-end.ts';
import type { CleanUp } from '../database.ts';
import { apt, installProblem } from './debian-packages.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const PROGRAMS = ['/usr/bin/ssh', '/usr/bin/sftp', '/usr/bin/scp', '/usr/bin/ssh-keygen'];

/** Installs Debian's OpenSSH client if possible. Returns the reason if it is not. */
export function installOpenSsh(log: (line: string) => void): string | undefined {
  if (hasOpenSsh()) return undefined;
  const impossible = installProblem();
  if (impossible !== undefined) return impossible;
  log('Installing the OpenSSH client for the tests …');
  const failed = apt('update') ?? apt('install', 'openssh-client');
  return hasOpenSsh() ? undefined : `it could not be installed: ${failed ?? 'its programs are missing'}`;
}

/** Whether OpenSSH's client is installed. */
export function hasOpenSsh(): boolean {
  return PROGRAMS.every((path) => existsSync(path));
}

/** Output of a client program, and how it ended. */
export interface ProcessOutput {
  readonly code: number | string;
  readonly out: string;
  readonly error: string;
}

/** A server to connect to, and the credentials. */
export interface Peer {
  readonly port: number;
  readonly user: string;
  /** A private key's file, or a password. */
  readonly key?: string;
  readonly password?: string;
  readonly options?: readonly string[];
}

/** OpenSSH's client with its own folder for keys and files. */
export class OpenSsh {
  readonly folder: string;

  constructor(cleanUp: CleanUp) {
    this.folder = temporaryFolder(cleanUp, 'closed');
  }

  /** A key pair: the private key's file, and the public key's line. */
  key(name: string, ...kind: readonly string[]): { readonly file: string; readonly line: string } {
    const file = join(this.folder, name);
    const { status, stderr } = spawnSync(
      'ssh-keygen',
      ['-q', '-N', '', '-C', name, '-f', file, ...(kind.length === 0 ? ['-t', 'ed25519'] : kind)],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`ssh-keygen: ${stderr}`);
    return { file, line: readFileSync(`${file}.pub`, 'utf8').trim() };
  }

  file(name: string, content: string | Uint8Array): string {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  }

  /**
   * Runs `sftp` commands in order. Stops at the first failure, unless that command begins with a hyphen. With a
   * password it does not stop: batch mode, which would, never asks for one.
   */
  sftp(peer: Peer, ...commands: readonly string[]): Promise<ProcessOutput> {
    return ended(
      this.start(
        '/usr/bin/sftp',
        [...(peer.password === undefined ? ['-b', '-'] : []), ...this.common(peer, '-P'), `${peer.user}@127.0.0.1`],
        peer,
        commands.join('\n'),
      ),
    );
  }

  /** Runs `ssh` with further arguments before the host, and a command after it. */
  ssh(peer: Peer, before: readonly string[], ...command: readonly string[]): Promise<ProcessOutput> {
    return ended(
      this.start(
        '/usr/bin/ssh',
        [...this.common(peer, '-p'), ...before, `${peer.user}@127.0.0.1`, ...command],
        peer,
        '',
      ),
    );
  }

  /** Runs `scp`; with `-O` it uses the old protocol, a command on the server. */
  scp(peer: Peer, ...args: readonly string[]): Promise<ProcessOutput> {
    return ended(this.start('/usr/bin/scp', [...this.common(peer, '-P'), ...args], peer, ''));
  }

  /** Starts a program that runs until it is killed, at the end of the test at the latest. */
  running(
    cleanUp: CleanUp,
    program: 'sftp' | 'ssh',
    peer: Peer,
    { before, input }: { readonly before: readonly string[]; readonly input?: string },
  ): ChildProcess {
    const child = this.start(
      `/usr/bin/${program}`,
      [...this.common(peer, program === 'ssh' ? '-p' : '-P'), ...before, `${peer.user}@127.0.0.1`],
      peer,
      input,
    );
    atEnd(cleanUp, () => void child.kill('SIGKILL'));
    return child;
  }

  private common({ port, key, password, options = [] }: Peer, portOption: string): string[] {
    const proof =
      key !== undefined
        ? ['-i', key, '-o', 'IdentitiesOnly=yes', '-o', 'PreferredAuthentications=publickey']
        : ['-o', 'PreferredAuthentications=password', '-o', 'NumberOfPasswordPrompts=1'];
    return [
      '-F',
      'none',
      portOption,
      String(port),
      ...options.flatMap((option) => ['-o', option]),
      '-o',
      'StrictHostKeyChecking=no',
      '-o',
      `UserKnownHostsFile=${join(this.folder, 'known_hosts')}`,
      '-o',
      'LogLevel=ERROR',
      '-o',
      `BatchMode=${password === undefined ? 'yes' : 'no'}`,
      ...proof,
    ];
  }

  private start(program: string, args: readonly string[], { password }: Peer, input?: string): ChildProcess {
    const child = spawn(program, args, {
      cwd: this.folder,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: '/usr/bin:/bin', HOME: this.folder, ...(password === undefined ? {} : this.asking(password)) },
    });
    child.stdin?.on('error', () => undefined);
    if (input !== undefined) child.stdin?.end(`${input}\n`);
    return child;
  }

  /** Without a terminal, the client takes passwords from a program. */
  private asking(password: string): Record<string, string> {
    const script = join(this.folder, 'askpass');
    writeFileSync(script, '#!/bin/sh\necho "$CASEWRIGHT_TEST_ASKED"\n');
    chmodSync(script, 0o700);
    return { SSH_ASKPASS: script, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: 'none', CASEWRIGHT_TEST_ASKED: password };
  }
}

/** Returns a program's output, once it has ended. */
export function ended(child: ChildProcess): Promise<ProcessOutput> {
  let out = '';
  let error = '';
  child.stdout?.on('data', (data: Buffer) => (out += data.toString()));
  child.stderr?.on('data', (data: Buffer) => (error += data.toString()));
  return new Promise((resolve) =>
    child.on('close', (code, signal) => resolve({ code: code ?? signal ?? 'gone', out, error })),
  );
}
