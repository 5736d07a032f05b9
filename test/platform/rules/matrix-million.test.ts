import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { matrixCalls } from '../../support/rules/matrices.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const { ok, refused, lookup, table } = matrixCalls(p);

/** `npm run soak -- matrix` runs with a million cells, the largest allowed matrix. */
const CELLS = Math.min(1_000_000, 20_000 * Number(process.env['CASEWRIGHT_TEST_MATRIX_ROUNDS'] ?? 1));
const ROWS = CELLS / 5;
/** Most bytes by which the process may grow: the submitted table, its cells, and an index of them. */
const BYTES_MAX = 1_500 * 1024 * 1024;

const lineOf = (row: number, price: number): string =>
  `client ${row % 5_000},${row % 50},${row % 1000} - ${(row % 1000) + 20},${price},note ${row % 100}`;
const tableOf = (price: (row: number) => number): string =>
  `Client,State,Balance,Price,Note\n10,5,1,output,output\n` +
  `${Array.from({ length: ROWS }, (_, row) => lineOf(row, price(row))).join('\n')}\n`;

describe('a very large matrix', () => {
  it(`RUL-11 ${CELLS} cells are imported, looked up, replaced and exported within bounded memory; one cell more than the limit is refused`, async () => {
    const before = process.memoryUsage().rss;
    const saved = await ok(
      table(
        'Million',
        tableOf((row) => row),
      ),
    );
    const request = { Client: 'CLIENT 17', State: 17, Balance: 25, DisplaySize: 3 };
    const [row] = await lookup('Million', request);
    assert.deepEqual([row?.['Price'], row?.['Weight'], row?.['MisMatchCount']], ['17', 16, 0]);
    const [version] = await p.platform.store.query<{ rowcount: number; factcount: number }>(
      'select rowcount, factcount from matrixversion where matrixid = $1::bigint',
      [saved['MatrixID']],
    );
    assert.deepEqual([version?.rowcount, version?.factcount], [ROWS, CELLS]);
    await ok(
      table(
        'Million',
        tableOf((of) => (of === 17 ? -1 : of)),
      ),
    );
    assert.equal((await lookup('Million', request))[0]?.['Price'], '-1');
    const csv = await p.admin.get('/api/matrix/exporttable?Matrix=Million');
    assert.equal(csv.text.split('\r\n').length, ROWS + 3);
    assert.match(csv.text, /\r\nclient 17,17,17 - 37,'-1,note 17\r\n/);
    if (CELLS === 1_000_000)
      assert.match(
        String((await refused(table('Million', `${tableOf((of) => of)}one more,,,,\n`), 413))['Message']),
        /at most 1,000,000 filled cells/,
      );
    assert.ok(
      process.memoryUsage().rss - before < BYTES_MAX,
      `the process grew by ${process.memoryUsage().rss - before} bytes`,
    );
  });
});
