import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GATEWAY, VaultWorkload } from '../../support/ledgers/vault-workload.ts';
import { startCardGateway, type CardGatewayServer } from '../../support/peers/card-gateway.ts';
import { startDb } from '../../support/processes/db-tool.ts';
import { killRounds, seeded, type KillRound, type KillSql } from '../../support/processes/kill.ts';
import { call } from '../../support/processes/server-process.ts';

/** `npm run soak -- charges` runs 50. */
const ROUNDS = Number(process.env['CASEWRIGHT_TEST_CHARGE_KILL_ROUNDS'] ?? 5);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_123);
const CLIENTS = 4;
/** How long the gateway takes at most before it carries a request out, and again before it answers. */
const GATEWAY_MILLISECONDS = 40;
/** Cards of the payers: charged, declined, and charged without an answer. */
const TOKENS = ['tok_visa', 'tok_visa', 'tok_chargeDeclinedInsufficientFunds', 'tok_lostAnswer'];

type Values = Readonly<Record<string, string | number>>;
type Answer = Readonly<Record<string, unknown>>;

/** A call that moves money; it is sent again under its key until it is answered. */
interface MoneyCall {
  readonly route: string;
  readonly values: Values;
  readonly key: string;
}

/** What the workload has made so far. */
interface Books {
  readonly payers: { readonly object: number; readonly method: number }[];
  readonly ledgers: number[];
  /** IDs of captured payments. */
  readonly payments: number[];
  /** Calls that a kill cut off. */
  readonly open: MoneyCall[];
  readonly counts: Map<string, number>;
}

async function send(url: string, route: string, values: Values, key?: string) {
  const body = new URLSearchParams(
    Object.entries(values).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  const headers = key === undefined ? {} : { 'Idempotency-Key': key };
  const answer = await call(url, `/api/${route}?Output=Json`, body, headers);
  return { status: answer.status, text: await answer.text() };
}

async function post(url: string, route: string, values: Values): Promise<Answer> {
  const { status, text } = await send(url, route, values);
  assert.equal(status, 200, `${route}: ${text}`);
  return JSON.parse(text) as Answer;
}

/** Saves the gateway, payers with a stored card each, and payers who store cards on the gateway's page. */
async function prepare(url: string, server: CardGatewayServer, books: Books, vaulting: VaultWorkload): Promise<void> {
  await post(url, 'setting/save', { Setting: 'OutboundHttpLoopback', Value: 'true' });
  await post(url, 'paymentprovider/save', {
    PaymentProvider: GATEWAY,
    ApiKey: server.key,
    BaseURL: server.url,
    WebhookSecret: server.secret,
  });
  for (const [n, Token] of TOKENS.entries()) {
    const { ContactID: object } = await post(url, 'contact/save', { LastName: `Payer ${n}` });
    const of = { Object: 'Contact', ObjectID: Number(object) };
    const { PaymentCustomerID } = await post(url, 'paymentcustomer/save', { ...of, Name: `Payer ${n}` });
    const stored = { ...of, PaymentCustomerID: Number(PaymentCustomerID), Token };
    const { PaymentMethodID } = await post(url, 'paymentmethod/vault', stored);
    books.payers.push({ object: of.ObjectID, method: Number(PaymentMethodID) });
  }
  for (const LastName of ['Quintana', 'Okafor']) {
    const object = Number((await post(url, 'contact/save', { LastName }))['ContactID']);
    const customer = await post(url, 'paymentcustomer/save', { Object: 'Contact', ObjectID: object, Name: LastName });
    vaulting.addPayer({ object, customer: Number(customer['PaymentCustomerID']) });
  }
}

function pick<T>(all: readonly T[], random: () => number): T | undefined {
  return all[Math.floor(random() * all.length)];
}

/**
 * Returns the next call of a client: a charge of a new or known ledger, a one-time payment or a refund. A kind that has
 * not succeeded yet is more likely, so that each does in a run of a few calls.
 */
async function next(books: Books, { url, random }: KillRound, key: string): Promise<MoneyCall> {
  const what = random();
  const payment = pick(books.payments, random);
  if (what > (books.counts.has('payment/refund 200') ? 0.7 : 0.5) && payment !== undefined)
    return { key, route: 'payment/refund', values: { ID: payment, ...(what > 0.8 ? { Amount: 3.01 } : {}) } };
  const payer = pick(books.payers, random);
  if (what < (books.counts.has('payment/charge 200') ? 0.15 : 0.4))
    return { key, route: 'payment/charge', values: { PaymentMethodID: payer?.method ?? 0, Amount: 12.34 } };
  const known = pick(books.ledgers, random);
  if (what < 0.3 && known !== undefined) return { key, route: 'ledger/authorizeandcapture', values: { ID: known } };
  const of = { Object: 'Contact', ObjectID: payer?.object ?? 0, Ledger: key };
  const LedgerID = Number((await post(url, 'ledger/save', of))['LedgerID']);
  for (const AmountMoney of [10.01, 5.5])
    await post(url, 'ledgeritem/save', { LedgerID, LedgerItem: key, AmountMoney, IsDebit: 'true', IsTotaled: 'true' });
  books.ledgers.push(LedgerID);
  return { key, route: 'ledger/authorizeandcapture', values: { ID: LedgerID } };
}

/** Sends calls that move money until the server is killed. */
async function client(books: Books, round: KillRound, name: number): Promise<void> {
  for (let n = 0; !round.signal.aborted; n++) {
    let sent: MoneyCall | undefined;
    try {
      sent = books.open.pop() ?? (await next(books, round, `K${round.round}x${name}x${n}`));
      const { status, text } = await send(round.url, sent.route, sent.values, sent.key);
      // 409: its first call was cut off. 422: declined, or nothing to charge or pay back. 503: the outcome is unknown.
      assert.ok([200, 400, 409, 422, 503].includes(status), `${sent.route}: ${status} ${text}`);
      const label = `${sent.route} ${status}`;
      books.counts.set(label, (books.counts.get(label) ?? 0) + 1);
      const { PaymentID: id, PaymentRefundID: refund } = JSON.parse(text) as Answer;
      if (status === 200 && typeof id === 'number' && refund === undefined) books.payments.push(id);
      round.countAnswer();
    } catch (error) {
      if (error instanceof assert.AssertionError && !round.signal.aborted) throw error;
      if (sent) books.open.push(sent);
      return;
    }
  }
}

/** Settles what is open, then what the gateway does not have and has been open for more than an hour. */
async function settle(url: string, sql: KillSql): Promise<void> {
  for (const isAged of [false, true]) {
    const open = await sql<{ id: number }[]>`
      select paymentid::integer as id from payment where status in ('Requested', 'Unknown') or nextcheck is not null
      union
      select paymentid::integer from paymentrefund where status in ('Requested', 'Unknown') or nextcheck is not null`;
    if (open.length === 0) return;
    if (isAged) {
      await sql`update payment set requesteddate = requesteddate - interval '2 hours' where status = 'Unknown'`;
      await sql`update paymentrefund set requesteddate = requesteddate - interval '2 hours' where status = 'Unknown'`;
    }
    await post(url, 'payment/settle', { ID: open.map(({ id }) => id).join(',') });
  }
}

const money = (units: unknown): string => (Number(units) / 100).toFixed(2);

/** Compares the books with the gateway's own list. */
async function compare(sql: KillSql, { state }: CardGatewayServer): Promise<void> {
  const open = await sql`
    select paymentid, status, detail from payment where status in ('Requested', 'Unknown', 'Pending', 'Authorized')`;
  assert.deepEqual([...open], [], 'a payment is open although it was settled');
  const ours = await sql<{ id: string; key: string; captured: string; refunded: string }[]>`
    select p.gatewaypaymentid as id, p.paymentkey as key, to_char(p.capturedamount, 'FM999990.00') as captured,
      to_char(coalesce((select sum(r.amount) from paymentrefund r
        where r.paymentid = p.paymentid and r.status = 'Succeeded'), 0), 'FM999990.00') as refunded
    from payment p where p.status = 'Captured'`;
  const theirs = state
    .all('payment_intent')
    .filter((intent) => intent['status'] === 'succeeded')
    .map(({ id, metadata, latest_charge: charge }) => {
      const { amount_captured: captured, amount_refunded: refunded } = charge as Answer;
      const [key] = Object.values(metadata as Record<string, string>);
      return { id, key, captured: money(captured), refunded: money(refunded) };
    });
  const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);
  assert.deepEqual([...ours].toSorted(byId), theirs.toSorted(byId), "payments differ from the gateway's");
  const ourRefunds = await sql<{ id: string; amount: string; payment: string }[]>`
    select r.gatewayrefundid as id, to_char(r.amount, 'FM999990.00') as amount, p.gatewaypaymentid as payment
    from paymentrefund r join payment p using (paymentid) where r.status = 'Succeeded'`;
  const theirRefunds = state
    .all('refund')
    .map((one) => ({ id: one.id, amount: money(one['amount']), payment: String(one['payment_intent']) }));
  assert.deepEqual([...ourRefunds].toSorted(byId), theirRefunds.toSorted(byId), "refunds differ from the gateway's");
}

/** Checks that the lines of the ledgers are those of the payments and refunds. */
async function checkLines(sql: KillSql): Promise<void> {
  const twice = await sql`
    select ledgerid from payment where status = 'Captured' and ledgerid is not null group by 1 having count(*) > 1`;
  assert.deepEqual([...twice], [], 'a ledger was charged twice');
  const wrong = await sql`
    select p.paymentid from payment p
    where p.status = 'Captured' and p.ledgerid is not null and p.capturedamount is distinct from (
      select sum(i.amountmoney) from ledgeritem i
      where i.ledgerid = p.ledgerid and i.paymentrole = 'Payment' and i.transactionnumber = p.gatewaypaymentid)`;
  assert.deepEqual([...wrong], [], 'a payment is not in its ledger');
  const balances = await sql`
    select l.ledgerid, l.balance from ledger l
    where exists (select from payment p where p.ledgerid = l.ledgerid and p.status = 'Captured')
      and l.balance is distinct from (
        select coalesce(sum(r.amount), 0) from paymentrefund r join payment p using (paymentid)
        where p.ledgerid = l.ledgerid and r.status = 'Succeeded')`;
  assert.deepEqual([...balances], [], 'a charged ledger does not owe what was paid back');
}

test(
  'LED-07 LED-11 a server killed at any moment of charges, refunds, settlements and storing cards has the payments ' +
    'and cards that the gateway has, and no ledger is charged twice',
  { timeout: ROUNDS * 60_000 + 120_000 },
  async (t) => {
    const pause = seeded(SEED + 1);
    const server = await startCardGateway(t, { delayMilliseconds: () => pause() * GATEWAY_MILLISECONDS });
    const books: Books = { payers: [], ledgers: [], payments: [], open: [], counts: new Map() };
    const vaulting = new VaultWorkload(server, send);
    let dataFolder = '';
    let interrupted = 0;
    await killRounds(t, {
      rounds: ROUNDS,
      seed: SEED,
      answersMin: 3 * CLIENTS,
      async workload(round) {
        dataFolder = round.folder;
        if (round.round === 0) await prepare(round.url, server, books, vaulting);
        const clients = Array.from({ length: CLIENTS }, (_, name) => client(books, round, name));
        await Promise.all([...clients, vaulting.run(round), vaulting.run(round)]);
        interrupted += books.open.length;
      },
      async verify(url, sql) {
        await settle(url, sql);
        await compare(sql, server);
        await checkLines(sql);
        await vaulting.verify(url, sql);
      },
      async finish(url) {
        for (const { route, values, key } of books.open) {
          const { status, text } = await send(url, route, values, key);
          assert.ok([200, 400, 409, 422, 503].includes(status), `${route}: ${status} ${text}`);
        }
        await vaulting.finish(url);
        const check = startDb(t, ['ledger-check'], { env: { CASEWRIGHT_DATA: dataFolder } });
        assert.equal(await check.ended, 0, `${check.out()} ${check.error()}`);
      },
    });
    for (const route of ['ledger/authorizeandcapture', 'payment/charge', 'payment/refund'])
      assert.ok((books.counts.get(`${route} 200`) ?? 0) > 0, route);
    for (const route of ['startvaulting', 'finishvaulting', 'settle'])
      assert.ok((vaulting.counts.get(`paymentmethod/${route}`) ?? 0) > 0, route);
    const counts = [...books.counts, ...vaulting.counts].map(([label, count]) => `${label}: ${count}`).join(', ');
    t.diagnostic(`${ROUNDS} rounds, seed ${SEED}, ${interrupted} calls interrupted; ${counts}`);
  },
);
