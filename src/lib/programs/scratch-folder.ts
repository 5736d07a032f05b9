import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';

/** How a program is run. */
export interface ProgramRun {
  /** Its name or path, and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Virtual memory of each of its processes, in megabytes, where the system can limit it. */
  readonly memoryMegabytes: number;
  /** Written to its standard input. */
  readonly input?: Uint8Array;
  /** Most bytes of its standard output; one that writes more is ended. Default: its output is not read. */
  readonly outputBytesMax?: number;
  /** Ends it and all processes that it started; its reason is thrown. */
  readonly signal: AbortSignal;
}

/** What a program leaves when it has ended. */
export interface ProgramResult {
  /** Its exit code; null if it was killed, {@link NOT_FOUND} or {@link NOT_EXECUTABLE} if it was not started. */
  readonly code: number | null;
  readonly output: Buffer;
  /** The beginning of its error output. */
  readonly errors: string;
}

/** Exit codes of a shell that cannot start a program. */
export const NOT_EXECUTABLE = 126;
export const NOT_FOUND = 127;

/** A private temporary folder, in which programs run. */
export interface ScratchFolder {
  readonly path: string;
  /** Runs a program in the folder and returns when it has ended. Throws the signal's reason. One at a time. */
  run(program: ProgramRun): Promise<ProgramResult>;
}

/** Most characters of the error output that are kept. */
const ERRORS_MAX = 10_000;
/** Waits until the guard knows it, limits memory where the system can, and becomes the program, at low priority. */
const START = 'read -r go <&3 || exit 1; exec 3<&-; ulimit -v "$0" 2>/dev/null; exec nice -n 10 "$@"';
/**
 * Waits until this process ends; then ends the last process group that was written to it, and removes the folder. A
 * process that is being ended may still write there, so that it is removed again.
 */
const GUARD =
  'group=; while read -r line; do group=$line; done; [ -z "$group" ] || kill -KILL -- "-$group" 2>/dev/null; ' +
  'for round in 1 2 3 4 5; do rm -rf -- "$1" 2>/dev/null; sleep 1; [ -e "$1" ] || break; done';

/**
 * Does work with a new folder, which only this user can read. The folder and the programs in it end with the work, and
 * with this process, however that ends: a guard waits for it at the end of a pipe.
 */
export async function inScratchFolder<T>(prefix: string, work: (folder: ScratchFolder) => Promise<T>): Promise<T> {
  const path = await mkdtemp(join(tmpdir(), prefix));
  const guard = guardFolder(path);
  try {
    return await work({ path, run: (program) => runProgram(program, path, guard) });
  } finally {
    // The guard first: its end must not be that of a process group whose number has a new owner.
    guard.end();
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A shell that outlives this process to clean up after it. */
export interface FolderGuard {
  /** Names the process group that it ends before it removes the folder; undefined: the group has ended. */
  watch(group: number | undefined): void;
  /** Ends the guard itself, and leaves the folder. */
  end(): void;
}

/** Starts a guard, which removes a folder when this process ends, however that ends. It does not keep it alive. */
export function guardFolder(path: string): FolderGuard {
  const guard = spawn('/bin/sh', ['-c', GUARD, 'guard', path], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  guard.unref();
  (guard.stdin as unknown as Socket).unref();
  return {
    watch: (group) => void guard.stdin.write(`${group ?? ''}\n`),
    end: () => (guard.exitCode === null && guard.signalCode === null ? killGroup(guard) : undefined),
  };
}

async function runProgram(program: ProgramRun, folder: string, guard: FolderGuard): Promise<ProgramResult> {
  const { command, env, memoryMegabytes, input, outputBytesMax = 0, signal } = program;
  signal.throwIfAborted();
  const child = spawn('/bin/sh', ['-c', START, String(memoryMegabytes * 1024), ...command], {
    cwd: folder,
    env,
    // A process group of its own, which ends as a whole.
    detached: true,
    stdio: [input ? 'pipe' : 'ignore', outputBytesMax > 0 ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  const stop = (): void => killGroup(child);
  signal.addEventListener('abort', stop, { once: true });
  try {
    guard.watch(child.pid);
    const start = child.stdio[3] as Writable;
    // A program that ends early does not take all of its input.
    for (const pipe of [start, child.stdin]) pipe?.on('error', () => undefined);
    start.end('go\n');
    child.stdin?.end(input);
    return await resultOf(child, outputBytesMax);
  } finally {
    signal.removeEventListener('abort', stop);
    // What the program has left behind.
    killGroup(child);
    guard.watch(undefined);
    signal.throwIfAborted();
  }
}

function resultOf(child: ChildProcess, outputBytesMax: number): Promise<ProgramResult> {
  const pieces: Buffer[] = [];
  let length = 0;
  let errors = '';
  child.stdout?.on('data', (piece: Buffer) => {
    length += piece.length;
    if (length > outputBytesMax) killGroup(child);
    else pieces.push(piece);
  });
  child.stderr?.on('data', (piece: Buffer) => {
    if (errors.length < ERRORS_MAX) errors += piece.toString();
  });
  return new Promise((resolve) => {
    const end = (code: number | null): void => resolve({ code, output: Buffer.concat(pieces), errors });
    child.once('error', () => end(NOT_FOUND)).once('close', end);
    // Processes that it has started may keep its pipes open.
    child.once('exit', () => killGroup(child));
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of its processes have ended.
  }
}
