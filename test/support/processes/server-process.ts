import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { atEnd } from '../at-end.ts';
import type { CleanUp } from '../database.ts';
import { ADMIN_KEY } from '../platform.ts';

/** The key of the first administrator of servers that tests start; that of started databases too. */
export const ADMINISTRATOR_KEY = ADMIN_KEY;

/** A server in a process of its own, started as `npm start` does but without the starter. */
export interface ServerProcess {
  readonly pid: number;
  /** Where it listens; empty where it is no web server. */
  readonly url: string;
  /** What it printed for people, and what it wrote into its log, so far. */
  readonly out: () => string;
  readonly log: () => string;
  /** How it ended: the exit code, or the signal. */
  readonly ended: Promise<number | string>;
  signal(signal: NodeJS.Signals): void;
  /** Stops it in good order and answers how it ended. */
  stop(): Promise<number | string>;
}

/** How a server process is started: the environment beside what every test sets, and options. */
export interface ServerStart {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

const main = join(import.meta.dirname, '../../../src/app/main.ts');

/** A server process that has not said yet that it is ready. */
export interface StartingServer extends Omit<ServerProcess, 'url'> {
  /** The server once it is ready; fails where it ends before. */
  readonly ready: Promise<ServerProcess>;
}

/** Starts the program; it is killed at the end of the test where it still runs. */
export function launchServer(cleanUp: CleanUp, { env = {}, args = [] }: ServerStart): StartingServer {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(CASEWRIGHT_|SFTP_|DATABASE_URL$|PORT$|HOST$|NODE_TEST_CONTEXT$)/.test(name),
    ),
  );
  const child = spawn(process.execPath, [main, '--no-demo', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...inherited, PORT: '0', SFTP_PORT: 'off', CASEWRIGHT_ADMIN_KEY: ADMINISTRATOR_KEY, ...env },
  });
  const texts = { out: '', log: '' };
  const ended = new Promise<number | string>((resolve) =>
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'gone')),
  );
  child.stderr.on('data', (data: Buffer) => void (texts.log += data.toString()));
  const base = {
    pid: child.pid ?? 0,
    out: () => texts.out,
    log: () => texts.log,
    ended,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    stop: () => stop(child, ended),
  };
  atEnd(cleanUp, async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  });
  const ready = new Promise<ServerProcess>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      texts.out += `${line}\n`;
      const match = /^casewright ready (?:on (\S+)|as )/.exec(line);
      if (match) resolve({ ...base, url: match[1] ?? '' });
    });
    void ended.then((how) =>
      reject(new Error(`the server ended (${how}) before it was ready: ${texts.log.slice(-2_000)}`)),
    );
  });
  ready.catch(() => undefined);
  return { ...base, ready };
}

/** Starts the program and waits until it is ready. */
export function startServerProcess(cleanUp: CleanUp, start: ServerStart): Promise<ServerProcess> {
  return launchServer(cleanUp, start).ready;
}

async function stop(child: ChildProcess, ended: Promise<number | string>): Promise<number | string> {
  child.kill('SIGTERM');
  return ended;
}

/** A call with the administrator's key; the body is sent as a form. */
export function call(
  url: string,
  path: string,
  body?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'X-ApiKey': ADMINISTRATOR_KEY,
      ...(body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
}
