/**
 * Decides which test files run in which lane, and in which order: the longest first, so that none is left at the end.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileRun, Lane } from './test-pool.ts';

/** Seconds that each file took when it ran last, on this machine. */
const TIMES = join(import.meta.dirname, '..', '.cache', 'test-times.json');

/**
 * Processes for files that keep a core busy: one more than the smallest machine of a run has cores, because each waits
 * for PostgreSQL at times.
 */
const BUSY_PROCESSES = 3;
/**
 * Processes for files that mostly wait: for servers that they start and kill, for leases that run out, for a browser.
 */
const WAITING_PROCESSES = 2;
const WAITING = ['test/processes/', 'test/browser/'];
/** A process for files without a platform: what is left of platforms makes collecting their garbage slow. */
const SMALL_PROCESSES = 1;
const SMALL = ['test/unit/', 'test/samples/'];

/** Seconds by the start of a path, for files that have not run here yet; the first that fits counts. */
const SECONDS: readonly (readonly [string, number])[] = [
  ['test/processes/app/', 20],
  ['test/processes/imports/', 15],
  ['test/processes/work/', 20],
  ['test/processes/', 6],
  ['test/browser/', 15],
  ['test/platform/access/refusal-matrix', 30],
  ['test/platform/access/ssn', 20],
  ['test/platform/imports/event-', 20],
  ['test/platform/imports/', 8],
  ['test/platform/', 4],
  ['', 1],
];

export type TestTimes = ReadonlyMap<string, number>;

export function readTimes(): TestTimes {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(TIMES, 'utf8')) as Record<string, number>));
  } catch {
    // The first run on this machine.
    return new Map();
  }
}

/** Stores the durations of the files that ran, by label; keeps those of the others. */
export function writeTimes(times: TestTimes): void {
  const all = [...readTimes(), ...times].sort(([a], [b]) => (a < b ? -1 : 1));
  mkdirSync(join(TIMES, '..'), { recursive: true });
  writeFileSync(TIMES, `${JSON.stringify(Object.fromEntries(new Map(all)), undefined, 1)}\n`);
}

export function lanesOf(files: readonly FileRun[], times: TestTimes): Lane[] {
  const seconds = ({ file, label }: FileRun): number =>
    times.get(label) ?? times.get(file) ?? SECONDS.find(([start]) => file.startsWith(start))?.[1] ?? 0;
  const ordered = [...files].sort((a, b) => seconds(b) - seconds(a));
  const lane = (starts: readonly string[]): FileRun[] =>
    ordered.filter(({ file }) => starts.some((start) => file.startsWith(start)));
  const [waiting, small] = [lane(WAITING), lane(SMALL)];
  return [
    { files: ordered.filter((each) => !waiting.includes(each) && !small.includes(each)), processes: BUSY_PROCESSES },
    { files: waiting, processes: WAITING_PROCESSES },
    { files: small, processes: SMALL_PROCESSES },
  ];
}
