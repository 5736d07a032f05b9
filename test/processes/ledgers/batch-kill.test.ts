import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { killRounds, type KillRound, type KillSql } from '../../support/processes/kill.ts';
import { call } from '../../support/processes/server-process.ts';

/** `npm run soak -- batch-kill` runs 50. */
const ROUNDS = Number(process.env['CASEWRIGHT_TEST_BATCH_KILL_ROUNDS'] ?? 2);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_124);
const CLIENTS = 3;
const LINES = 150;

/** A reversal; its key is sent again until it is answered. */
interface Reversal {
  readonly key: string;
  readonly batch: number;
  reversed?: number;
}

interface Books {
  ledger: number;
  /** Imports that were answered as complete. */
  readonly complete: Set<number>;
  readonly reversals: Reversal[];
}

async function post(url: string, path: string, body: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await call(url, path, body, headers);
  const text = await answer.text();
  assert.ok([200, 500, 503].includes(answer.status), `${path}: ${answer.status} ${text}`);
  return answer.status === 200 ? text : '';
}

/** Imports a file of lines: all or nothing, or piece by piece. Remembers it once it is answered as complete. */
async function importLines(url: string, books: Books, isTogether: boolean): Promise<number> {
  const row = `${books.ledger},Fee,1.01,true,true\n`;
  const text = await post(
    url,
    `/api/importfile/importbyobject?Template=${isTogether ? 'Together' : 'Pieces'}&PreTransform_FileName=lines.csv`,
    `LedgerID,LedgerItem,AmountMoney,IsDebit,IsTotaled\n${row.repeat(LINES)}`,
    { 'Content-Type': 'text/csv' },
  );
  const id = Number(/<ImportResults[^>]* ID="(\d+)"/.exec(text)?.[1] ?? 0);
  if (id > 0 && /<ImportResults[^>]* Status="Complete"/.test(text)) books.complete.add(id);
  return id;
}

async function reverse(url: string, reversal: Reversal): Promise<void> {
  const body = `ImportFileID=${reversal.batch}`;
  const text = await post(url, '/api/ledger/reversebatch?Output=Json', body, { 'Idempotency-Key': reversal.key });
  if (text !== '') reversal.reversed = (JSON.parse(text) as { Reversed: number }).Reversed;
}

async function prepare(url: string, books: Books): Promise<void> {
  const made = await post(url, '/api/ledger/save?Output=Json', 'Ledger=Batches');
  books.ledger = (JSON.parse(made) as { LedgerID: number }).LedgerID;
  for (const [name, together] of [
    ['Together', 'true'],
    ['Pieces', 'false'],
  ] as const)
    await post(
      url,
      '/api/importfiletemplate/save?Output=Json',
      `ImportFileTemplate=${name}&AppliesTo=LedgerItem&ImportEngine=DelimitedEngine` +
        `&ParameterString=${encodeURIComponent(`UseTransaction=${together}`)}`,
    );
}

/** Imports and reverses until the server is killed; sends what the last kill cut off first. */
async function client({ url, signal, random, countAnswer, round }: KillRound, books: Books, n: number): Promise<void> {
  const open = books.reversals.filter(({ reversed }, at) => reversed === undefined && at % CLIENTS === n);
  for (let at = 0; !signal.aborted; at++) {
    try {
      let reversal = open.pop();
      if (!reversal) {
        const batch = await importLines(url, books, random() < 0.5);
        countAnswer();
        if (batch === 0 || random() < 0.2) continue;
        books.reversals.push((reversal = { key: `B${round}x${n}x${at}`, batch }));
      }
      // Two callers reverse the same batch.
      await Promise.all([reverse(url, reversal), reverse(url, { ...reversal, key: `${reversal.key}-again` })]);
      countAnswer();
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return;
    }
  }
}

test(
  'LED-12 a server killed at any moment of imports and reversals leaves no half batch, and no line reversed twice',
  { timeout: ROUNDS * 60_000 + 120_000 },
  async (t) => {
    const books: Books = { ledger: 0, complete: new Set(), reversals: [] };
    await killRounds(t, {
      rounds: ROUNDS,
      seed: SEED,
      answersMin: 2 * CLIENTS,
      async workload(round) {
        if (books.ledger === 0) await prepare(round.url, books);
        await Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(round, books, n)));
      },
      async verify(_url, sql) {
        await verify(sql, books);
        // As if the time after which a dead run counts as abandoned had passed: it can be stopped at once.
        await sql`update importrun set activedate = activedate - interval '1 day'`;
      },
      async finish(url) {
        const text = await post(url, '/api/importfile/search?Output=Json&DisplaySize=1000', '');
        const rows = JSON.parse(text) as {
          ImportFileCollection: { ImportFileItem: { ImportFileID: number }[] };
        };
        // Those that a kill cut off have half of their pieces. They are stopped here, or resumed by housekeeping.
        for (const { ImportFileID: id } of rows.ImportFileCollection.ImportFileItem)
          await eventually(`import ${id} has ended and is reversed`, async () => {
            const { status } = await call(url, '/api/ledger/reversebatch', `ImportFileID=${id}`);
            if (status === 422) await call(url, '/api/importfile/stop', `ID=${id}`);
            return status === 200 ? true : undefined;
          });
        const left = await post(url, '/api/ledger/select?Output=Json', `ID=${books.ledger}`);
        assert.equal((JSON.parse(left) as { Balance?: number }).Balance ?? 0, 0, 'all batches are reversed');
      },
    });
    assert.ok(books.complete.size > 0);
    t.diagnostic(`${books.complete.size} imports, ${books.reversals.length} reversals, seed ${SEED}`);
  },
);

async function verify(sql: KillSql, books: Books): Promise<void> {
  const batches = await sql<{ id: number; name: string; lines: number; reversed: number; most: number }[]>`
    select f.importfileid::integer as id, t.importfiletemplate as name, count(i.ledgeritemid)::integer as lines,
      coalesce(sum(c.counters), 0)::integer as reversed, coalesce(max(c.counters), 0)::integer as most
    from importfile f join importfiletemplate t on t.importfiletemplateid = f.importfiletemplateid
    left join ledgeritem i on i.importfileid = f.importfileid
    left join lateral (
      select count(*) as counters from ledgeritem c
      where c.referenceledgeritemid = i.ledgeritemid and c.paymentrole = 'Counter') c on true
    group by 1, 2`;
  const byId = new Map(batches.map((batch) => [batch.id, batch]));
  for (const { id, name, lines, reversed, most } of batches) {
    const what = `import ${id} (${name}): ${lines} lines, ${reversed} reversed`;
    assert.ok(most <= 1, `${what}: a line is reversed twice`);
    assert.ok(reversed === 0 || reversed === lines, `${what}: a batch is half reversed`);
    assert.ok(name !== 'Together' || lines === 0 || lines === LINES, `${what}: half a file`);
    assert.ok(lines <= LINES, `${what}: lines twice`);
  }
  for (const id of books.complete) assert.equal(byId.get(id)?.lines, LINES, `import ${id} was answered, but is lost`);
  for (const { batch, reversed } of books.reversals)
    if (reversed !== undefined) assert.equal(byId.get(batch)?.reversed, LINES, `reversal of ${batch} is lost`);
  const wrong = await sql`
    select l.ledgerid from ledger l
    where coalesce(l.balance, 0) <> (
      select coalesce(sum(case when i.isdebit then i.amountmoney else -i.amountmoney end), 0)
      from ledgeritem i where i.ledgerid = l.ledgerid)`;
  assert.deepEqual([...wrong], [], 'a balance is not the sum of its lines');
}
