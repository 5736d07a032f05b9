/**
 * Loaded by a suite worker: notes every error and warning that the product makes during its tests, with the place in
 * the source, and writes them into a file at the end of the process. `npm test` then compares them with the texts in
 * the source (tools/refusals/produced.ts).
 *
 * Left out are what tests make themselves, and what other processes make: servers that tests start, and the sandbox.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CallContext } from '../../../src/kernel/door/call-context.ts';
import { type Alert, PlatformError } from '../../../src/kernel/door/errors.ts';

/** An error or warning as it was made. */
export interface ProducedRefusal {
  readonly code: string;
  readonly message: string;
  /** The innermost places of the source, such as `src/kernel/door/invoke.ts:12`, innermost first. */
  readonly places: readonly string[];
}

const folder = process.env['CASEWRIGHT_TEST_REFUSALS'];
const ROOT = new URL('../../../', import.meta.url).href;
/** Messages that differ in their values alone are noted once, by this much of their start. */
const COMPARED_CHARACTERS = 120;
const PLACES_MAX = 6;

const produced = new Map<string, ProducedRefusal>();

function note(code: string, message: string, stack: () => string | undefined): void {
  const key = `${code} ${message.slice(0, COMPARED_CHARACTERS).replaceAll(/\d+/g, '0')}`;
  if (produced.has(key)) return;
  const places = placesOf(stack() ?? '');
  if (places !== undefined) produced.set(key, { code, message, places });
}

/** Returns the places in the source that made the error; undefined if a test or a copy of an error did. */
function placesOf(stack: string): string[] | undefined {
  const frames = stack
    .split('\n')
    .filter((line) => /^ {4}at /.test(line) && !/\b(?:new (?:PlatformError|RecordedError)|RowsFailed)\b/.test(line));
  const [first = ''] = frames;
  if (!first.includes(`${ROOT}src/`) || /PlatformError\.masked|CallContext\.alert/.test(first)) return undefined;
  return frames
    .map((line) => /(src\/[^():]+:\d+):\d+\)?$/.exec(line)?.[1])
    .filter((place) => place !== undefined)
    .slice(0, PLACES_MAX);
}

if (folder !== undefined) {
  class RecordedError extends Error {
    constructor(...facts: ConstructorParameters<typeof Error>) {
      super(...facts);
      // The code is set once this constructor has returned.
      queueMicrotask(() => note((this as unknown as PlatformError).code, this.message, () => this.stack));
    }
  }
  Object.setPrototypeOf(PlatformError, RecordedError);
  const { alert } = CallContext.prototype;
  CallContext.prototype.alert = function (given: Alert) {
    const { stack = '' } = new Error();
    note(given.code, given.text, () => stack.split('\n').toSpliced(1, 1).join('\n'));
    alert.call(this, given);
  };
  process.on('exit', () => writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify([...produced.values()])));
}
