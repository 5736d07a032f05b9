import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDb } from '../../support/processes/db-tool.ts';
import { killRounds, type KillRound, type KillSql } from '../../support/processes/kill.ts';
import { call } from '../../support/processes/server-process.ts';

/** `npm run soak -- ledger-kill` runs 50. */
const ROUNDS = Number(process.env['CASEWRIGHT_TEST_LEDGER_KILL_ROUNDS'] ?? 2);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_123);
/** Enough for lines that wait for one another, which are then added together. */
const CLIENTS = 8;

/** A call on the ledger of all clients; its key is sent again until it is answered. */
interface LedgerCall {
  readonly key: string;
  readonly kind: 'save' | 'pay' | 'reverse';
  readonly path: string;
  readonly body: string;
  /** The line that it made; undefined without an answer, 0 if it was refused. */
  line?: number;
}

/** Sends a call; its answer says which line it made. */
async function send(url: string, sent: LedgerCall): Promise<void> {
  const answer = await call(url, `${sent.path}?Output=Json`, sent.body, { 'Idempotency-Key': sent.key });
  const text = await answer.text();
  // 503: the database went away first; the call was undone, or its answer is kept under the key.
  if (answer.status === 503) return;
  // 422: nothing is left to pay, or a later payment used the funds of this one.
  assert.ok(answer.status === 200 || answer.status === 422, `${sent.path}: ${answer.status} ${text}`);
  sent.line = answer.status === 200 ? (JSON.parse(text) as { LedgerItemID: number }).LedgerItemID : 0;
}

/** Returns the next call of a client: two lines, then a payment of one and a half, now and then its reversal. */
function next(ledger: number, all: readonly LedgerCall[], { round, random }: KillRound, n: string): LedgerCall {
  const key = `K${round}x${n}`;
  const payments = all.filter(({ kind, line }) => kind === 'pay' && (line ?? 0) > 0);
  const kind = random();
  if (kind < 0.5)
    return {
      key,
      kind: 'save',
      path: '/api/ledgeritem/save',
      body: `LedgerID=${ledger}&LedgerItem=${key}&AmountMoney=10.01&IsDebit=true&IsTotaled=true`,
    };
  const payment = payments[Math.floor(random() * payments.length)];
  if (kind < 0.85 || !payment)
    return {
      key,
      kind: 'pay',
      path: '/api/ledger/applypayment',
      body: `ID=${ledger}&AmountMoney=15.5&Description=${key}`,
    };
  return { key, kind: 'reverse', path: '/api/ledger/reversepayment', body: `LedgerItemID=${payment.line ?? 0}` };
}

test(
  'LED-12 LED-08 a server killed at any moment of saves, payments and reversals leaves right balances and no half ' +
    'payment, and ledger-check runs beside it',
  { timeout: ROUNDS * 60_000 + 120_000 },
  async (t) => {
    const all: LedgerCall[] = [];
    let ledger = 0;
    let checks = 0;
    const runCheck = async (folder: string): Promise<void> => {
      if (checks > 0) return;
      const check = startDb(t, ['ledger-check'], { env: { CASEWRIGHT_DATA: folder } });
      assert.equal(await check.ended, 0, `${check.out()} ${check.error()}`);
      checks += 1;
    };
    await killRounds(t, {
      rounds: ROUNDS,
      seed: SEED,
      answersMin: 3 * CLIENTS,
      async workload(round) {
        const { url, signal, countAnswer, folder } = round;
        if (ledger === 0) {
          const made = await call(url, '/api/ledger/save?Output=Json', 'Ledger=Killed', {});
          ledger = ((await made.json()) as { LedgerID: number }).LedgerID;
        }
        const open = all.filter(({ line }) => line === undefined);
        const client = async (name: number): Promise<void> => {
          for (let n = 0; !signal.aborted; n++) {
            // What the last kill cut off is sent again under its key before anything new.
            let sent = open.pop();
            if (!sent) all.push((sent = next(ledger, all, round, `${name}x${n}`)));
            try {
              await send(url, sent);
              // In the first round the server is not killed before the check has ended.
              if (checks > 0 || round.round > 0) countAnswer();
            } catch (error) {
              if (error instanceof assert.AssertionError) throw error;
              return;
            }
          }
        };
        await Promise.all([...Array.from({ length: CLIENTS }, (_, name) => client(name)), runCheck(folder)]);
      },
      verify: (_url, sql, round) => verify(sql, all, round === ROUNDS),
      async finish(url) {
        for (const sent of all.filter(({ line }) => line === undefined)) await send(url, sent);
      },
    });
    for (const kind of ['save', 'pay'] as const) assert.ok(all.some((sent) => sent.kind === kind && sent.line));
    t.diagnostic(`${all.length} calls in ${ROUNDS} rounds, seed ${SEED}`);
  },
);

async function verify(sql: KillSql, all: readonly LedgerCall[], isEnd: boolean): Promise<void> {
  const lines = await sql<{ id: number }[]>`select ledgeritemid::integer as id from ledgeritem`;
  const stored = new Set(lines.map(({ id }) => id));
  for (const { key, line } of all) assert.ok(line === undefined || line === 0 || stored.has(line), `${key} is lost`);
  const twice = await sql`
    select coalesce(paymentrole, 'Line') || ' ' || coalesce(description, ledgeritem) as key, count(*)::integer as n
    from ledgeritem
    where case when paymentrole is null then ledgeritem when paymentrole = 'Payment' then description end
      like 'K%x%' collate "C"
    group by 1 having count(*) > 1`;
  assert.deepEqual([...twice], [], 'a call was made twice');
  const wrong = await sql`
    select l.ledgerid from ledger l
    where coalesce(l.balance, 0) <> (
      select coalesce(sum(case when i.isdebit then i.amountmoney else -i.amountmoney end), 0)
      from ledgeritem i where i.ledgerid = l.ledgerid)`;
  assert.deepEqual([...wrong], [], 'a balance is not the sum of its lines');
  const halfPaid = await sql`
    select p.ledgeritemid from ledgeritem p
    where p.paymentrole in ('Payment', 'Reversal') and p.amountmoney is distinct from (
      select sum(c.amountmoney) from ledgeritem c where c.ledgerid = p.childledgerid)`;
  assert.deepEqual([...halfPaid], [], 'the lines below a payment do not add up to it');
  const unpaid = await sql`
    select i.ledgeritemid from ledgeritem i
    where i.paymentrole is null and (i.paiddate is not null) <> exists (
      select from ledgeritem a join ledgeritem p on p.childledgerid = a.ledgerid and p.paymentrole = 'Payment'
      where a.referenceledgeritemid = i.ledgeritemid and a.paymentrole = 'Applied' and not exists (
        select from ledgeritem r where r.referenceledgeritemid = p.ledgeritemid and r.paymentrole = 'Reversal'))`;
  assert.deepEqual([...unpaid], [], 'a line is paid without a payment, or unpaid with one');
  if (isEnd) assert.ok(all.every(({ line }) => line !== undefined));
}
