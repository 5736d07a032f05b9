import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { atEnd } from '../at-end.ts';
import type { CleanUp } from '../database.ts';

/** A run of `npm run db -- …`, without the starter. */
export interface DbTool {
  readonly pid: number;
  /** What it said to people, and what it complained of, so far. */
  readonly out: () => string;
  readonly error: () => string;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  signal(signal: NodeJS.Signals): void;
}

const program = join(import.meta.dirname, '../../../src/app/db.ts');

/** How a command is started: its words, the environment, and a shell's word before it (a limit, say). */
export interface DbStart {
  readonly env: Readonly<Record<string, string>>;
  readonly onLine?: (line: string, tool: DbTool) => void;
  /** A shell command that is run first in the same process, such as a limit of its resources. */
  readonly before?: string;
}

/** Starts a command; it is killed at the end of the test where it still runs. */
export function startDb(cleanUp: CleanUp, words: readonly string[], { env, onLine, before }: DbStart): DbTool {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(CASEWRIGHT_|DATABASE_URL$|PORT$|HOST$|NODE_TEST_CONTEXT$)/.test(name),
    ),
  );
  const command = [process.execPath, program, ...words];
  const [file = '', ...args] =
    before === undefined ? command : ['/bin/sh', '-c', `${before}; exec "$@"`, 'sh', ...command];
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...inherited, ...env } });
  const texts = { out: '', error: '' };
  const ended = new Promise<number | string>((resolve) =>
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'gone')),
  );
  const tool: DbTool = {
    pid: child.pid ?? 0,
    out: () => texts.out,
    error: () => texts.error,
    ended,
    signal: (signal) => void child.kill(signal),
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    texts.out += `${line}\n`;
    onLine?.(line, tool);
  });
  child.stderr.on('data', (data: Buffer) => void (texts.error += data.toString()));
  atEnd(cleanUp, async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  });
  return tool;
}

/** Runs a command that must succeed, and answers what it said. */
export async function runDb(cleanUp: CleanUp, words: readonly string[], start: DbStart): Promise<string> {
  const tool = startDb(cleanUp, words, start);
  const how = await tool.ended;
  if (how !== 0) throw new Error(`db ${words.join(' ')} ended with ${how}: ${tool.error()}`);
  return tool.out();
}

/** Runs a command that must be refused, and answers why it was. */
export async function refusedDb(cleanUp: CleanUp, words: readonly string[], start: DbStart): Promise<string> {
  const tool = startDb(cleanUp, words, start);
  const how = await tool.ended;
  if (how !== 1) throw new Error(`db ${words.join(' ')} ended with ${how}: ${tool.out()}`);
  return tool.error();
}
