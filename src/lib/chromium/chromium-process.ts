import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { installedProgram } from '../programs/installed-program.ts';
import { guardFolder } from '../programs/scratch-folder.ts';
import { DevTools } from './devtools.ts';

/** Chromium is missing, or cannot be started. The message is for people. */
export class ChromiumUnavailable extends Error {
  override readonly name = 'ChromiumUnavailable';
}

/** Where a program without a path is looked for. Debian's own command is a script that would stay around it. */
const FOLDERS: readonly string[] = ['/usr/lib/chromium', '/usr/local/bin', '/usr/bin', '/bin', '/opt/google/chrome'];

/** Whether a text is a name or path of Chromium, so that a setting cannot start any other program. */
export function isChromiumProgram(text: string): boolean {
  return /^(?:\/(?:[\w.-]+\/)*)?(?:google-)?chrom(?:e|ium)[\w.-]*$/.test(text) && !text.includes('..');
}

/** Programs that are looked for if none is named. The first one has no windows and takes a fifth less time. */
const PROGRAMS: readonly string[] = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** Returns the path of a program, or of any Chromium for ''; undefined if it is not installed. */
export function chromiumPath(command: string): string | undefined {
  return installedProgram(command === '' ? PROGRAMS : [command], FOLDERS);
}

/** A running Chromium. */
export interface ChromiumProcess {
  readonly devTools: DevTools;
  /** Whether it has ended. */
  hasEnded(): boolean;
  /** Whether it keeps this process alive, as while it prints. */
  keepAlive(isNeeded: boolean): void;
  /** Ends it and all of its processes, and removes its profile. */
  stop(): void;
}

/**
 * Starts Chromium without a window and without a network: it resolves no host name, and connects to no address. It ends
 * with this process, however that ends, and does not keep it alive unless that is requested.
 *
 * @throws ChromiumUnavailable if it is not installed
 */
export function startChromium(command: string): ChromiumProcess {
  const path = chromiumPath(command);
  const name = command === '' ? 'Chromium' : command;
  if (path === undefined) throw new ChromiumUnavailable(`The program ${name} is not installed.`);
  const profile = mkdtempSync(join(tmpdir(), 'casewright-chromium-'));
  const guard = guardFolder(profile);
  const child = spawn(path, argumentsFor(profile), {
    env: { HOME: profile, PATH: '/usr/bin:/bin', TZ: 'UTC' },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    // A group of its own: Chromium's processes are ended together.
    detached: true,
  });
  guard.watch(child.pid);
  const [, , , commands, answers] = child.stdio as unknown as [null, null, null, Writable, Readable];
  const devTools = new DevTools(commands, answers);
  let ended = false;
  const end = (error: Error): void => {
    ended = true;
    devTools.end(error);
    guard.end();
    rmSync(profile, { recursive: true, force: true, maxRetries: 3 });
  };
  const keepAlive = (isNeeded: boolean): void => {
    for (const each of [child, commands as unknown as Socket, answers as unknown as Socket])
      if (isNeeded) each.ref();
      else each.unref();
  };
  child.once('error', () => end(new ChromiumUnavailable(`The program ${name} could not be started.`)));
  child.once('exit', (code) => end(new ChromiumUnavailable(`The program ${name} has ended (${code ?? 'killed'}).`)));
  keepAlive(false);
  const stop = (): void => {
    killGroup(child);
    end(new ChromiumUnavailable(`The program ${name} was stopped.`));
  };
  return { devTools, hasEnded: () => ended, keepAlive, stop };
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

function argumentsFor(profile: string): string[] {
  return [
    '--headless',
    '--remote-debugging-pipe',
    `--user-data-dir=${profile}`,
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-default-apps',
    '--disable-dev-shm-usage',
    '--disable-extensions',
    '--disable-gpu',
    '--disable-sync',
    '--mute-audio',
    '--host-resolver-rules=MAP * ~NOTFOUND',
    '--proxy-server=http://127.0.0.1:9',
    '--proxy-bypass-list=<-loopback>',
    // Chromium refuses its sandbox to root.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ];
}
