import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { killRounds, type KillRound, type KillSql } from '../../support/processes/kill.ts';
import { ADMINISTRATOR_KEY, call } from '../../support/processes/server-process.ts';

const ROUNDS = Number(process.env['CASEWRIGHT_TEST_KILL_ROUNDS'] ?? 2);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_123);
/** Sections of 5,000 characters: several batches of pages. */
const LINES = 20_000;

interface Upload {
  readonly id: number;
  readonly text: string;
}

function post(url: string, path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/api/attachment/${path}?Output=Json`, {
    method: 'POST',
    headers: { 'X-ApiKey': ADMINISTRATOR_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
}

test(
  'DOC-07 a server killed while it reads texts goes on after the pages that it had stored, and stores each page once',
  { timeout: ROUNDS * 60_000 + 120_000 },
  async (t) => {
    const uploads: Upload[] = [];
    await killRounds(t, {
      rounds: ROUNDS,
      seed: SEED,
      async workload({ round, url, signal }: KillRound) {
        try {
          const text = Array.from({ length: LINES }, (_, line) => `line ${line} of round ${round}`).join('\n');
          const Content = Buffer.from(text).toString('base64');
          const saved = await post(url, 'save', { FileName: `round${round}.txt`, Content }, signal);
          uploads.push({ id: ((await saved.json()) as { AttachmentID: number }).AttachmentID, text });
          await post(url, 'readtext', {}, signal);
        } catch (error) {
          if (!signal.aborted) throw error;
        }
      },
      verify,
      async finish(url) {
        await eventually(
          'all texts are read',
          async () => {
            await post(url, 'readtext', {});
            const ids = uploads.map(({ id }) => id).join(',');
            const answer = await (await call(url, `/api/attachment/textstatus?ID=${ids}&Output=Json`)).text();
            return ids === '' || answer.match(/"State":"Ready"/g)?.length === uploads.length;
          },
          60_000,
        );
        for (const { id, text } of uploads) {
          await post(url, 'ocrtodescription', { ID: id });
          const row = (await (await call(url, `/api/attachment/select?ID=${id}&Output=Json`)).json()) as Record<
            string,
            string
          >;
          assert.equal(row['Description']?.replace(/\n+/g, '\n'), text);
        }
      },
    });
    t.diagnostic(`${uploads.length} documents in ${ROUNDS} rounds, seed ${SEED}`);
  },
);

/** What is stored is whole: as many pages as the document says, each from the first on. */
async function verify(_url: string, sql: KillSql): Promise<void> {
  const rows = await sql<{ id: number; read: number; pages: number; last: number | null }[]>`
    select t.attachmentid::integer as id, t.pagesread as read, count(p.page)::integer as pages, max(p.page) as last
    from documenttext t left join documentpage p on p.attachmentid = t.attachmentid and p.page > 0
    group by 1, 2`;
  for (const { id, read, pages, last } of rows)
    assert.deepEqual([pages, last ?? 0], [read, read], `document ${id} has other pages than it says`);
  // As if the time had passed after which the killed process is presumed dead.
  await sql`update documenttext set leaseduntil = null where leaseduntil is not null`;
}
