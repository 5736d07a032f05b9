import { existsSync } from 'node:fs';
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runAs, spawnAs, type Account } from './account.ts';
import { clusterPathFor, fixedSettings, type ClusterPaths } from './cluster.ts';
import { EmbeddedPostgresError } from './error.ts';
import type { Program } from './program.ts';

/** How a server ended. */
export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A server that accepts connections. */
export interface ServerProcess {
  readonly pid: number;
  readonly exited: Promise<ServerExit>;
  /** Fast shutdown; immediate shutdown after 30 seconds. */
  stop(): Promise<void>;
  /** Lets our process exit while the server runs. */
  unref(): void;
}

interface Launch {
  readonly places: ClusterPaths;
  readonly program: Program;
  readonly account: Account | undefined;
  readonly socketFolder: string;
  readonly log: (line: string, detail?: Record<string, unknown>) => void;
}

const readyLine = 'database system is ready to accept connections';
/** What the server logs while processes of a killed predecessor are still ending. */
const predecessorLines = /pre-existing shared memory block|lock file ".*" already exists/;

/** Starts the server and waits until it accepts connections, however long crash recovery takes. */
export async function launchServer(launch: Launch): Promise<ServerProcess> {
  const deadline = performance.now() + 15_000;
  for (;;) {
    const attempt = await tryLaunch(launch);
    if ('pid' in attempt) return attempt;
    if (!predecessorLines.test(attempt.lines) || performance.now() > deadline) {
      throw new EmbeddedPostgresError(
        'start',
        `The PostgreSQL server for ${launch.places.clusterFolder} ended before it was ready ` +
          `(${attempt.exit.code ?? attempt.exit.signal}): ${attempt.lines}`,
      );
    }
    await delay(200);
  }
}

async function tryLaunch(
  launch: Launch,
): Promise<ServerProcess | { readonly exit: ServerExit; readonly lines: string }> {
  const { places, program, account, socketFolder, log } = launch;
  const settings = Object.entries(fixedSettings(places, socketFolder)).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const server = [
    join(program.folder, 'bin', 'postgres'),
    '-D',
    clusterPathFor(places.clusterFolder, account),
    ...settings,
  ];
  const [file = '', ...args] = [...(await parentDeathPrefix()), ...server];
  // A separate session keeps the terminal's Ctrl-C from the server: the application stops first, then stops it.
  const child = spawnAs(account, file, args, {
    cwd: places.clusterFolder,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = new Promise<ServerExit>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve({ code, signal }));
  });
  const lines: string[] = [];
  const ready = new Promise<'ready'>((resolve) => {
    createInterface({ input: child.stderr as NonNullable<ChildProcess['stderr']> }).on('line', (text) => {
      const line = readLine(text);
      lines.push(line.message);
      if (lines.length > 8) lines.shift();
      if (line.message.startsWith(readyLine)) resolve('ready');
      log(line.message, line.level === undefined ? { source: 'postgres' } : { source: 'postgres', level: line.level });
    });
  });
  const first = await Promise.race([ready, exited]);
  if (first !== 'ready') {
    // The last lines may still be in the pipe after the process has ended.
    await new Promise((resolve) => (child.stderr?.readableEnded ? resolve(undefined) : child.on('close', resolve)));
    return { exit: first, lines: lines.join(' ') };
  }
  return { pid: child.pid as number, exited, stop: () => stopServer(child, exited), unref: () => unref(child) };
}

function unref(child: ChildProcess): void {
  child.unref();
  // A pipe is a Socket; the declared type does not say so.
  (child.stderr as Socket | null)?.unref();
}

async function stopServer(child: ChildProcess, exited: Promise<ServerExit>): Promise<void> {
  child.ref();
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGINT');
  const patience = new AbortController();
  const late = delay(30_000, 'late', { signal: patience.signal }).catch(() => 'over');
  if ((await Promise.race([exited, late])) === 'late') {
    child.kill('SIGQUIT');
  }
  patience.abort();
  await exited;
}

/** Splits "LEVEL:  message"; other lines (such as the loader's) are returned whole. */
function readLine(text: string): { readonly level?: string; readonly message: string } {
  const found = /^([A-Z]+\d?): {1,2}(.*)$/.exec(text);
  return found ? { level: found[1] as string, message: found[2] as string } : { message: text };
}

let endWithUsPrefix: Promise<string[]> | undefined;

/**
 * Returns the command prefix that lets Linux stop the server (fast shutdown) when this process dies, even by kill -9.
 * Empty if setpriv is missing or too old: the next start then stops the orphan.
 */
export function parentDeathPrefix(): Promise<string[]> {
  endWithUsPrefix ??= (async () => {
    const setpriv = '/usr/bin/setpriv';
    if (process.platform !== 'linux' || !existsSync(setpriv)) return [];
    const prefix = [setpriv, '--pdeathsig', 'INT', '--'];
    const trial = await runAs(undefined, setpriv, [...prefix.slice(1), setpriv, '--version'], '/').catch(
      () => undefined,
    );
    return trial?.code === 0 ? prefix : [];
  })();
  return endWithUsPrefix;
}
