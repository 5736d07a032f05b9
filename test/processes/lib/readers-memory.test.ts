import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

/** `npm run soak -- readers` reads documents of 200 MB a round. */
const ROUNDS = Number(process.env['CASEWRIGHT_TEST_READER_ROUNDS'] ?? 0);
const MEGABYTES = ROUNDS > 0 ? 200 * ROUNDS : 24;
/**
 * Heap limit of the reading process: the rows of these documents would take several times as much. With less, a busy
 * machine's garbage collector falls behind the rows of one piece.
 */
const HEAP_MEGABYTES = 48;
/** Memory outside of the heap: pieces of the source, and an incomplete row. */
const BUFFERS_MEGABYTES_MAX = 48;

describe('readers', { concurrency: 1 }, () => {
  for (const form of ['delimited', 'fixed', 'xml', 'json', 'workbook']) {
    it(`IMP-15 a large ${form} document streams through little memory, with every row`, async () => {
      const { stdout } = await promisify(execFile)(process.execPath, [
        `--max-old-space-size=${HEAP_MEGABYTES}`,
        join(import.meta.dirname, '../../support/imports/memory-child.ts'),
        form,
        String(form === 'workbook' ? MEGABYTES / 2 : MEGABYTES),
      ]);
      const { written, rows, failed, peakMegabytes } = JSON.parse(stdout) as Readonly<Record<string, number>>;
      assert.ok(written! > 100_000);
      assert.deepEqual([rows, failed], [form === 'json' ? written! + 1 : written, 0]);
      assert.ok(peakMegabytes! < BUFFERS_MEGABYTES_MAX, `${peakMegabytes} MB outside of the heap`);
    });
  }
});
