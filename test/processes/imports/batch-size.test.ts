import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import postgres from 'postgres';
import { atEnd } from '../../support/at-end.ts';
import { startedDatabase } from '../../support/platform.ts';
import { call, startServerProcess } from '../../support/processes/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Rows of the batch; the environment can set another number. */
const ROWS = Number(process.env['CASEWRIGHT_TEST_BATCH_ROWS'] ?? 20_000);
/** Characters of each row's parameters: 160 MB for 20,000 rows, and as much again in each intermediate form. */
const ROW_CHARACTERS = 8_000;
/** Many times the memory of one chunk in progress, and less than all rows together. */
const GROWTH_MEGABYTES_MAX = 250;

const peak = (pid: number): number =>
  Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);

test(
  'IMP-07 a batch is as many messages as it has chunks, however many rows, and takes no more memory than one chunk',
  { skip: process.platform !== 'linux' && 'memory is read from /proc', timeout: 600_000 },
  async (t) => {
    const database = await startedDatabase(t);
    const sql = postgres({ ...database, max: 1, onnotice: () => undefined });
    atEnd(t, () => sql.end());
    const server = await startServerProcess(t, {
      env: {
        DATABASE_URL:
          `postgres://${database.user}@/${database.database}?host=${encodeURIComponent(database.host)}` +
          `&port=${database.port}`,
        CASEWRIGHT_DATA: temporaryFolder(t),
        CASEWRIGHT_LOG_LEVEL: 'warn',
      },
    });
    const json = async (path: string, body: string): Promise<Record<string, unknown>> => {
      const answer = await call(server.url, path, body);
      const text = await answer.text();
      assert.equal(answer.status, 200, text.slice(0, 500));
      return JSON.parse(text) as Record<string, unknown>;
    };
    await sql`insert into contact (recordclass, contact, lastname, reachorganizationid)
      select 'Contact', 'Large', case when n <= 1000 then 'First' else 'Large' end, '{}'
      from generate_series(1, ${ROWS + 1_000}) n`;
    // None of its rows may run meanwhile: only its creation is measured.
    await json('/api/queue/stop?Output=Json', 'QueueName=Report');
    const batch = (lastName: string): Promise<Record<string, unknown>> =>
      json(
        '/api/importfile/batch?Output=Json',
        `ClassName=Contact&Operation=Search&LastName=${lastName}&BatchQueue=Report` +
          `&Signature=${encodeURIComponent(`Message/Save?ID={ContactID}&BodyText=${'d'.repeat(ROW_CHARACTERS)}`)}`,
      );
    assert.equal((await batch('First'))['RowCount'], 1_000);
    const before = peak(server.pid);
    assert.equal((await batch('Large'))['RowCount'], ROWS);
    const megabytes = peak(server.pid);
    const [messages] = await sql<
      { n: number }[]
    >`select count(*)::integer as n from pgboss.job where data ->> 'route' = 'importfilequeue/process'`;
    assert.equal(messages?.n, Math.ceil(ROWS / 500) + 2);
    t.diagnostic(`peak ${megabytes} MB behind ${ROWS} rows, ${before} MB behind the first 1,000`);
    assert.ok(megabytes - before <= GROWTH_MEGABYTES_MAX, `the peak grew from ${before} to ${megabytes} MB`);
  },
);
