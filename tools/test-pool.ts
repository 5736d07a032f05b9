/** Runs test files in a few processes that each take one file after the other (test/support/runner/suite-worker.ts). */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FileReport } from '../test/support/runner/file-reporter.ts';
import { EXIT_SECONDS_MAX, KEPT_ALIVE } from '../test/support/runner/idle-exit.ts';
import type { FileOrder } from '../test/support/runner/suite-worker.ts';

const ROOT = join(import.meta.dirname, '..');
const RUNNER = join(ROOT, 'test', 'support', 'runner');
/** A file that hangs fails after this, and so does a process that does not end, so that a run always ends. */
const FILE_MINUTES_MAX = 10;
/** More room for new objects than the product has: the garbage collector then runs less often. */
const WORKER_OPTIONS = ['--min-semi-space-size=16', '--max-semi-space-size=64', '--expose-gc'];

export type FileRun = Omit<FileOrder, 'timeoutMilliseconds'>;

/** A process that is stopped before its time is killed after this. */
const STOP_SECONDS_MAX = 5;

/** Files, and the processes that take from them first; they take from the other lanes once their own is empty. */
export interface Lane {
  /** In the order in which they start. */
  readonly files: readonly FileRun[];
  readonly processes: number;
}

/** Events of a pool. */
export interface PoolEvents {
  readonly onReport: (report: FileReport) => void;
  /** A process is started; `stop` ends it before its time. */
  readonly onStart: (stop: () => Promise<void>) => void;
}

/**
 * Runs all files of the lanes, which run beside one another, in processes with this environment beside that of the run.
 * Fulfilled when every process has ended.
 */
export async function runFiles(
  lanes: readonly Lane[],
  environment: Readonly<Record<string, string>>,
  events: PoolEvents,
): Promise<void> {
  const queues = lanes.map(({ files }) => [...files]);
  await Promise.all(
    lanes.flatMap(({ files, processes }, at) => {
      const ownFirst = [...queues.slice(at), ...queues.slice(0, at)];
      return Array.from({ length: Math.min(processes, files.length) }, () => drain(ownFirst, environment, events));
    }),
  );
}

interface Worker {
  /** The exit code or the signal. */
  readonly ended: Promise<number | string>;
  /** Whether it was ended before its time. */
  isStopped(): boolean;
  stop(): Promise<void>;
  /** Runs a file; undefined if the process exits before the file is finished. */
  run(file: FileRun): Promise<FileReport | undefined>;
  /** Lets the process exit; returns what is wrong with its exit. */
  close(): Promise<string | undefined>;
}

/**
 * Runs files from the queues, from each only when those before it are empty. If a process dies, its current file fails.
 * Another process continues then, and after a file that has left too much in memory.
 */
async function drain(
  queues: readonly FileRun[][],
  environment: Readonly<Record<string, string>>,
  events: PoolEvents,
): Promise<void> {
  const next = (): FileRun | undefined => queues.find(({ length }) => length > 0)?.shift();
  for (let first = next(); first !== undefined; first = next()) {
    const worker = startWorker(environment);
    events.onStart(() => {
      for (const queue of queues) queue.length = 0;
      return worker.stop();
    });
    let ran: FileRun | undefined;
    for (let file: FileRun | undefined = first; file !== undefined; file = next()) {
      ran = file;
      const report = await worker.run(file);
      if (worker.isStopped()) return;
      events.onReport(report ?? failed(file.label, `its process ended (${await worker.ended}) before the file did`));
      if (report?.isFull !== false) break;
    }
    const wayOfEnding = await worker.close();
    if (!worker.isStopped() && wayOfEnding !== undefined)
      events.onReport(failed(ran?.label ?? 'a test process', wayOfEnding));
  }
}

function startWorker(environment: Readonly<Record<string, string>>): Worker {
  const child = fork(join(RUNNER, 'suite-worker.ts'), {
    cwd: ROOT,
    serialization: 'advanced',
    env: { ...process.env, ...environment },
    execArgv: [
      ...process.execArgv,
      ...WORKER_OPTIONS,
      ...['property-seed.ts', 'runner-hook.ts'].flatMap((name) => ['--import', join(RUNNER, name)]),
      `--test-reporter=${join(RUNNER, 'file-reporter.ts')}`,
      '--test-reporter-destination=stdout',
    ],
  });
  const ended = new Promise<number | string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) => resolve(code ?? signal ?? 'gone'));
  });
  let hasFailed = false;
  let isStopped = false;
  return {
    ended,
    isStopped: () => isStopped,
    async stop() {
      isStopped = true;
      child.kill('SIGTERM');
      // A test library may handle the signal: the browser's closes the browser and continues.
      AbortSignal.timeout(STOP_SECONDS_MAX * 1000).addEventListener('abort', () => child.kill('SIGKILL'));
      await ended;
    },
    async run(file) {
      const order: FileOrder = { ...file, timeoutMilliseconds: FILE_MINUTES_MAX * 60_000 };
      const reported = new Promise<FileReport>((resolve) => child.once('message', resolve as never));
      child.send(order);
      const report = await Promise.race([reported, ended.then(() => undefined)]);
      hasFailed ||= report?.passed !== true;
      return report;
    },
    async close() {
      if (child.connected) child.disconnect();
      const patience = AbortSignal.timeout(FILE_MINUTES_MAX * 60_000);
      const late = new Promise<undefined>((resolve) => patience.addEventListener('abort', () => resolve(undefined)));
      const code = await Promise.race([ended, late]);
      if (code === undefined) {
        child.kill('SIGKILL');
        return `its process did not end within ${FILE_MINUTES_MAX} minutes`;
      }
      if (code === KEPT_ALIVE)
        return `something of the tests of its process keeps that alive for more than ${EXIT_SECONDS_MAX} s (see above)`;
      return code === 0 || hasFailed ? undefined : `its process ended with ${code} although all tests passed`;
    },
  };
}

/**
 * Options of Node for the test processes and every process that tests start: those given, and a hook that resolves
 * imports. `bundles`: the folder of bundled programs, if there are any.
 */
export function nodeOptions(bundles: string | undefined): string {
  const hook = pathToFileURL(join(RUNNER, 'quick-resolution.mjs'));
  if (bundles !== undefined) hook.searchParams.set('bundles', pathToFileURL(bundles).href);
  return `${process.env['NODE_OPTIONS'] ?? ''} --import=${hook.href}`.trimStart();
}

function failed(label: string, what: string): FileReport {
  const failure = `✖ ${label}: ${what}`;
  const counts = { passed: 0, failed: 1, skipped: 0 };
  return {
    label,
    passed: false,
    text: `${failure}\n`,
    failures: [failure],
    hasOnlyTimeouts: false,
    counts,
    milliseconds: 0,
    isFull: false,
  };
}
