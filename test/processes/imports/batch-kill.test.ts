import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { killRounds, type KillRound, type KillSql } from '../../support/processes/kill.ts';
import { call } from '../../support/processes/server-process.ts';

/** `npm run soak -- batches` runs more rounds. */
const ROUNDS = Number(process.env['CASEWRIGHT_TEST_BATCH_KILL_ROUNDS'] ?? 2);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_121);
/** Rows of each batch: enough for a kill in the middle of one. */
const ROWS = 150;

/** A batch that a client sends; its rows create a contact from each source. */
interface SentBatch {
  readonly key: string;
  answered: boolean;
}

/** Saves the contacts that the batches read. Throws where the server has not answered that all are stored. */
async function fill(url: string): Promise<void> {
  for (let at = 0; at < ROWS; at += 50) {
    const contacts = Array.from(
      { length: 50 },
      (_, i) => `Contacts_${i}_LastName=Source&Contacts_${i}_FirstName=f${at + i}`,
    );
    const body = [`Organization=o${at}&ProviderCode=o${at}`, ...contacts].join('&');
    const answer = await call(url, '/api/organization/save', body, { 'Idempotency-Key': `fill ${at}` });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`the contacts could not be stored: ${answer.status} ${text}`);
  }
}

async function send(url: string, sent: SentBatch): Promise<void> {
  const body =
    `ClassName=Contact&Operation=Search&LastName=Source&BatchQueue=${sent.key.endsWith('0') ? 'Batch' : 'Mail'}` +
    `&Signature=${encodeURIComponent(`Contact/Save?LastName=${sent.key}&FirstName={FirstName}`)}`;
  const answer = await call(url, '/api/importfile/batch', body, { 'Idempotency-Key': sent.key });
  const text = await answer.text();
  if (answer.status === 503) return;
  assert.equal(answer.status, 200, text);
  sent.answered = true;
}

/**
 * Every row with an outcome has created exactly its contact, one without has created none, in the order of the rows.
 */
async function verify(sql: KillSql, batches: readonly SentBatch[], isLast: boolean): Promise<void> {
  const wrong = await sql`
    select q.importfilequeueid, q.executecount, q.result
      from importfilequeue q left join contact c on c.contactid = q.result
    where (q.successdate is not null) is distinct from (c.contactid is not null) or q.failuredate is not null
      or (q.successdate is not null and q.executecount <> 1)`;
  assert.deepEqual([...wrong], [], 'a row does not match its contact');
  const made = await sql<
    { name: string; n: number; distinct: number }[]
  >`select lastname as name, count(*)::integer as n, count(distinct firstname)::integer as distinct
    from contact
    where lastname like 'K%'
    group by 1`;
  for (const { name, n, distinct } of made) assert.equal(n, distinct, `${name} has made a contact twice`);
  const [log] = await sql<
    { rows: number; logged: number }[]
  >`select (select count(*)::integer from importfilequeue where successdate is not null) as rows,
    (select count(*)::integer from importlog) as logged`;
  assert.equal(log?.logged, log?.rows);
  const order = await sql`select 1
      from (
        select result, lag(result) over (partition by importfileid order by importfilequeueid) as before
        from importfilequeue where successdate is not null
      ) r
      where r.before > r.result`;
  assert.equal(order.length, 0, 'the rows of one chunk ran in order');
  const files = await sql<{ status: string; successcount: number; n: number }[]>`select status, successcount,
    (select count(*)::integer from importfilequeue q where q.importfileid = f.importfileid) as n
    from importfile f`;
  for (const file of files) assert.equal(file.n, ROWS, 'a batch exists with all of its rows or not at all');
  const answered = batches.filter((sent) => sent.answered).length;
  assert.ok(files.length >= answered, `${files.length} batches exist, ${answered} were answered`);
  if (!isLast) return;
  assert.deepEqual(
    files.map((file) => [file.status, file.successcount]),
    batches.map(() => ['Complete', ROWS]),
  );
  assert.deepEqual(
    made.map((row) => row.n),
    batches.map(() => ROWS),
  );
}

test(
  'IMP-16 IMP-20 KRN-23 a server killed at any moment loses no row of a batch and runs none twice; ' +
    'each batch ends once all of its rows have run',
  { timeout: ROUNDS * 60_000 + 120_000 },
  async (t) => {
    const batches: SentBatch[] = [];
    let filled = false;
    await killRounds(t, {
      rounds: ROUNDS,
      seed: SEED,
      async workload({ round, url, signal }: KillRound) {
        for (let n = 0; !signal.aborted; n++) {
          try {
            if (!filled) {
              await fill(url);
              filled = true;
            }
            let sent = batches.find((one) => !one.answered);
            // A few at a time: the kill must come while rows are running.
            if (!sent && n >= 2) return;
            if (!sent) batches.push((sent = { key: `K${round}x${n}`, answered: false }));
            await send(url, sent);
          } catch (error) {
            if (error instanceof assert.AssertionError) throw error;
            return;
          }
        }
      },
      verify: (_url, sql, round) => verify(sql, batches, round === ROUNDS),
      async finish(url) {
        // On a busy machine every round may have been killed before it had sent any.
        if (!filled) await fill(url);
        while (batches.length < 2) batches.push({ key: `K${ROUNDS}x${batches.length}`, answered: false });
        for (const sent of batches)
          await eventually(`${sent.key} is answered`, async () => {
            if (!sent.answered) await send(url, sent);
            return sent.answered;
          });
      },
    });
  },
);
