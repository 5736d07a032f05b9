import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** So many files are told. */
const FILES_MAX = 12;

/** A reporter for the test runner that tells which files took longest, in seconds from their start to their end, also while they waited. */
export default async function* slowestFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const took: { file: string; milliseconds: number }[] = [];
  for await (const event of events) {
    if (event.type === 'test:summary' && event.data.file !== undefined) took.push({ file: relative(process.cwd(), event.data.file), milliseconds: event.data.duration_ms });
  }
  for (const { file, milliseconds } of took.sort((a, b) => b.milliseconds - a.milliseconds).slice(0, FILES_MAX)) yield `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${file}\n`;
}
