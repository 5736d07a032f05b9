/**
 * The reporter of a suite worker: sends a FileReport to the parent process at the end of each file's suite, and prints
 * nothing.
 */
import { text } from 'node:stream/consumers';
import { spec, type TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { placeOf } from './node-test.ts';

/** How the tests of one file ended. */
export interface FileReport {
  /** What the file is called in the report. */
  readonly label: string;
  readonly passed: boolean;
  /** What to print: each test with its time, and the failures in full. */
  readonly text: string;
  /** The failures alone: file, line, name and error of each. */
  readonly failures: readonly string[];
  /** Whether all failures are waits that exceeded their limit, which a busy machine can cause. */
  readonly hasOnlyTimeouts: boolean;
  readonly counts: TestCounts;
  /** From the start of the file to the end of its clean-up. */
  readonly milliseconds: number;
  /** Whether the process should run no more files, because so much is left in its memory. */
  readonly isFull: boolean;
}

/** Tests by how they ended, suites not among them. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A failure of a suite that only repeats those of its tests. */
const REPEATED = 'subtestsFailed';
/** A failure of a test that exceeded its own limit. */
const TIMED_OUT = 'testTimeoutFailure';
/** Characters of an error that are shown again at the end of a run. */
const ERROR_CHARACTERS_MAX = 3000;

/**
 * A process with more in use after a file is replaced. Where tests allocate large buffers, V8 collects garbage often,
 * and each collection takes as long as what is in use is large: after 400 MB of syntax trees, the tests of the readers
 * took 41 s of a core instead of 5 s.
 */
const HEAP_BYTES_MAX = 300 * 1024 ** 2;

const uncaught: string[] = [];

/** Makes the file that is running fail with an error that nobody caught. */
export function noteUncaught(error: string): void {
  uncaught.push(error);
}

/** Consumes the events of node:test, in which each file is a suite at the top. */
export default async function* fileReports(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let ofFile: TestEvent[] = [];
  for await (const event of events) {
    const nesting = event.data !== undefined && 'nesting' in event.data ? event.data.nesting : 0;
    if (nesting > 0) ofFile.push(raised(event));
    if (nesting > 0 || (event.type !== 'test:pass' && event.type !== 'test:fail')) continue;
    process.send?.(await reportOf(event, ofFile.splice(0)));
    ofFile = [];
  }
}

/** The event as if its file were run alone, where its tests are at the top. */
function raised(event: TestEvent): TestEvent {
  const data = event.data as { nesting: number; name?: string };
  return { ...event, data: { ...data, ...placeOf(data.name ?? ''), nesting: data.nesting - 1 } } as TestEvent;
}

async function reportOf(
  end: Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>,
  events: readonly TestEvent[],
): Promise<FileReport> {
  const label = end.data.name;
  const failures: string[] = [];
  let timeouts = 0;
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const event of events) {
    if (event.type === 'test:fail' && !isRepeated(event)) {
      failures.push(failureText(event, label));
      if (isTimeout(event)) timeouts++;
    }
    if ((event.type !== 'test:pass' && event.type !== 'test:fail') || event.data.details.type === 'suite') continue;
    if (event.data.skip !== undefined) counts.skipped++;
    else counts[event.type === 'test:pass' ? 'passed' : 'failed']++;
  }
  // What belongs to no test: the file cannot be loaded, or its clean-up fails.
  if (end.type === 'test:fail' && !isRepeated(end)) failures.push(failureText(end, label));
  for (const error of uncaught.splice(0)) failures.push(`✖ ${label}: nobody caught\n${indented(error)}`);
  const milliseconds = end.data.details.duration_ms;
  return {
    label,
    passed: failures.length === 0,
    text: await asText(events),
    failures,
    hasOnlyTimeouts: failures.length > 0 && timeouts === failures.length,
    counts,
    milliseconds,
    isFull: isFull(),
  };
}

function isFull(): boolean {
  const isMore = (): boolean => process.memoryUsage().heapUsed > HEAP_BYTES_MAX;
  if (isMore()) globalThis.gc?.();
  return isMore();
}

function isRepeated({ data }: Extract<TestEvent, { type: 'test:fail' }>): boolean {
  const { error } = data.details;
  return 'failureType' in error && error.failureType === REPEATED;
}

function isTimeout({ data }: Extract<TestEvent, { type: 'test:fail' }>): boolean {
  const { error } = data.details;
  if ('failureType' in error && error.failureType === TIMED_OUT) return true;
  for (let each: unknown = error.cause; each instanceof Error; each = each.cause)
    if (each.name === 'TimeoutError') return true;
  return false;
}

function failureText({ data }: Extract<TestEvent, { type: 'test:fail' }>, label: string): string {
  const { error } = data.details;
  const place = data.name === label ? '' : ` (${label}:${data.line ?? 0})`;
  return `✖ ${data.name}${place}\n${indented(inspect(error.cause ?? error))}`;
}

function indented(error: string): string {
  return error.slice(0, ERROR_CHARACTERS_MAX).replaceAll(/^/gm, '    ');
}

/** The events as the specification reporter of node:test writes them. */
async function asText(events: readonly TestEvent[]): Promise<string> {
  const writer = new spec();
  for (const event of events) writer.write(event);
  writer.end();
  return text(writer);
}
