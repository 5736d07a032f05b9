/**
 * A reporter of Node's test runner that tells only what failed (the file, the test's name and its error) and, at the end, which files
 * took longest. `npm test` writes it beside the full report and prints it last, where the end of a long log shows it. One reporter for both:
 * with a third the runner warns of its listeners.
 */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

/** Failures of a suite that only repeat those of its tests. */
const REPEATED = 'subtestsFailed';
/** As much of an error as is read at a glance. */
const ERROR_CHARACTERS_MAX = 3000;
/** So many of the slowest files are told. */
const SLOWEST_MAX = 12;
/** Stands between what failed and what was slow. */
export const SLOWEST = '\n--- slowest ---\n';

/** Yields a text for each failing test of the events, which come as the tests end; then the slowest files, in seconds from their start to their end, also while they waited. */
export default async function* toldTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const took: { file: string; milliseconds: number }[] = [];
  for await (const event of events) {
    if (event.type === 'test:summary' && event.data.file !== undefined)
      took.push({ file: relative(process.cwd(), event.data.file), milliseconds: event.data.duration_ms });
    // An error that nobody caught and that belongs to no test; without it the file's failure would say nothing.
    if (
      event.type === 'test:diagnostic' &&
      event.data.message.includes('generated asynchronous activity after the test ended')
    )
      yield `✖ ${relative(process.cwd(), event.data.file ?? '')}\n    ${event.data.message.slice(0, ERROR_CHARACTERS_MAX)}\n`;
    if (event.type !== 'test:fail') continue;
    const { name, file, line, details } = event.data;
    if ('failureType' in details.error && details.error.failureType === REPEATED) continue;
    const place = file === undefined ? '' : ` (${relative(process.cwd(), file)}:${line ?? 0})`;
    const error = inspect(details.error.cause ?? details.error).slice(0, ERROR_CHARACTERS_MAX);
    yield `✖ ${name}${place}\n${error.replaceAll(/^/gm, '    ')}\n`;
  }
  yield SLOWEST;
  for (const { file, milliseconds } of took.sort((a, b) => b.milliseconds - a.milliseconds).slice(0, SLOWEST_MAX))
    yield `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${file}\n`;
}
