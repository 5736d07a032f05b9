/** Reconciliation of payments with a gateway: settles, finds differences once, clears and resolves them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { queueReconciliations } from '../../../src/modules/ledgers/lib/payments/reconcile/nightly.ts';
import { client, type Row } from '../../support/client.ts';
import {
  done,
  ledgerOfContact,
  saveTestGateway,
  type StoredCard,
  type TestGateway,
} from '../../support/ledgers/test-gateway.ts';
import { testPlatform } from '../../support/platform.ts';

const clock = fixedClock('2026-05-04T15:00:00.000Z');
const p = await testPlatform({ after }, { clock });
const admin = client(p);
const DAY = '2026-05-04';
let gateway: TestGateway;
let card: StoredCard;

before(async () => {
  gateway = await saveTestGateway(p, () => clock.milliseconds());
  card = await gateway.card('test_visa', (await ledgerOfContact(p, ['1'])).parent);
});

const reconcile = async (): Promise<Row> => {
  const [row] = await admin.expectRows('payment/reconcile', { From: DAY });
  return row ?? {};
};
const open = (filter: object = {}): Promise<Row[]> =>
  admin.expectRows('paymentdifference/search', { Status: 'Open', OrderBy: 'PaymentDifferenceID', ...filter });
const elsewhere = async (amount: string): Promise<string> =>
  done(
    await gateway.provider.charge({
      key: randomUUID(),
      customer: card.customer,
      method: { vaulted: card.method },
      money: { amount, currency: 'USD' },
      description: 'Made elsewhere',
    }),
  ).id;

describe('payment/reconcile', () => {
  it('LED-11 settles payments of unknown outcome, and applies their lines', async () => {
    const { ledger } = await ledgerOfContact(p, ['7']);
    const charged = await gateway.request(card, { ledger, amount: '7' });
    await gateway.charge(charged);
    const never = await gateway.request(card, { ledger: null, amount: '8' });
    await p.platform.store.query("update payment set status = 'Unknown' where paymentid = $1::bigint", [charged.id]);
    const { Settled, Payments, Differences } = await reconcile();
    assert.deepEqual([Settled, Payments, Differences], [1, 1, 0]);
    assert.equal((await admin.select('payment', charged.id))['Status'], 'Captured');
    assert.equal((await admin.select('ledger', ledger))['Balance'], 0);
    assert.equal((await admin.select('payment', never.id))['Status'], 'Unknown');
  });

  it('LED-11 finds what differs once, however many run, and clears what does not differ any more', async () => {
    const unknown = await elsewhere('3.00');
    const known = await gateway.request(card, { ledger: null, amount: '4' });
    const charged = await gateway.charge(known);
    const gone = await gateway.request(card, { ledger: null, amount: '5' });
    const set = (values: string, id: number): Promise<unknown> =>
      p.platform.store.query(`update payment set ${values} where paymentid = $1::bigint`, [id]);
    await set(`status = 'Captured', gatewaypaymentid = '${charged.id}', capturedamount = 3`, known.id);
    await set("status = 'Captured', gatewaypaymentid = 'test-payment-gone', capturedamount = 5", gone.id);
    const refund = done(await gateway.provider.refund(unknown, { key: randomUUID(), amount: '1.00' }));
    await Promise.all([1, 2, 3].map(reconcile));
    const found = async (): Promise<unknown[][]> =>
      (await open())
        .map(({ Kind, GatewayID, Ours, Theirs }) => [Kind, GatewayID, Ours, Theirs])
        .toSorted((a, b) => String(a[0]).localeCompare(String(b[0])));
    // The captured amount was brought up to date, so that it does not differ.
    assert.deepEqual(await found(), [
      ['MissingAtGateway', 'test-payment-gone', 'Captured, 5.00 USD', 'Nothing'],
      ['MissingHere', unknown, 'Nothing', 'Captured, 3.00 USD'],
      ['Refund', refund.id, 'Nothing', 'Succeeded, 1.00 USD'],
    ]);
    assert.equal((await admin.select('payment', known.id))['CapturedAmount'], 4);
    await set("gatewaypaymentid = null, status = 'NotCarriedOut'", gone.id);
    clock.advance(1_000);
    assert.equal((await reconcile())['Differences'], 2);
    assert.deepEqual(
      (await admin.expectRows('paymentdifference/search', { Status: 'Cleared' })).map(({ GatewayID }) => GatewayID),
      ['test-payment-gone'],
    );
    const runs = await admin.expectRows('paymentreconciliation/search', { OrderBy: '-PaymentReconciliationID' });
    assert.deepEqual([runs[0]?.['Status'], runs[0]?.['FromDay'], runs[0]?.['DifferenceCount']], ['Complete', DAY, 2]);
  });

  it('LED-11 keeps a resolved difference resolved until what differs changes', async () => {
    const id = await elsewhere('9.00');
    await reconcile();
    const [difference] = await open({ GatewayID: id });
    const ID = difference?.['PaymentDifferenceID'];
    await admin.expectRefused('paymentdifference/resolve', { ID, Note: ' ' }, 'BAD_PARAMETER', 'Note');
    const Note = 'Paid at the counter.';
    const resolved = await admin.expectOk('paymentdifference/resolve', { ID, Note });
    assert.deepEqual([resolved['Status'], resolved['Note']], ['Resolved', Note]);
    assert.ok(resolved['ResolvedPersonID']);
    assert.equal((await admin.expectOk('paymentdifference/resolve', { ID, Note }))['Status'], 'Resolved');
    await admin.expectRefused('paymentdifference/resolve', { ID, Note: 'Other' }, 'STATE_REFUSES', 'ID');
    clock.advance(1_000);
    await reconcile();
    assert.deepEqual(await open({ GatewayID: id }), []);
    await p.platform.store.query(
      "update paymentdifference set theirs = 'Pending, 9.00 USD' where gatewayid = $1::text",
      [id],
    );
    await reconcile();
    assert.equal((await open({ GatewayID: id }))[0]?.['Status'], 'Open');
  });

  it('LED-11 is queued every night, once for the days up to yesterday', async () => {
    assert.equal(await queueReconciliations.run(p.platform), 0, 'a comparison has just begun');
    clock.advance(2 * 86_400_000);
    assert.equal(await queueReconciliations.run(p.platform), 1);
    await admin.expectRows('payment/reconcile', { From: DAY, To: '2026-05-05' });
    clock.advance(2 * 3_600_000);
    assert.equal(await queueReconciliations.run(p.platform), 0);
  });

  it('LED-11 runs again after its process was killed on each attempt, and leaves no dead letter', async () => {
    clock.advance(86_400_000);
    assert.equal(await queueReconciliations.run(p.platform), 1);
    await p.platform.store.query(
      `insert into paymentreconciliation (paymentproviderid, status, fromday, today, createddate)
       values ($1::bigint, 'Running', '2026-05-06', '2026-05-06', $2::timestamptz)`,
      [gateway.id, clock.now()],
    );
    await p.platform.store.query(
      `update pgboss.job set state = 'active', started_on = now(), retry_count = retry_limit
       where state = 'created' and data ->> 'route' = 'payment/reconcile'`,
    );
    // As at the start of a server whose process was killed.
    await p.platform.queue.takeOver(p.platform.store);
    const calls = (State: string): Promise<Row[]> =>
      admin.expectRows('queue/search', { State, Operation: 'payment/reconcile' });
    assert.deepEqual([await calls('dead'), await calls('active')], [[], []]);
    assert.equal((await calls('failed'))[0]?.['ErrorCode'], 'INTERRUPTED');
    assert.equal(await queueReconciliations.run(p.platform), 0, 'it may still run elsewhere');
    clock.advance(2 * 3_600_000);
    assert.equal(await queueReconciliations.run(p.platform), 1);
    const [interrupted] = await admin.expectRows('paymentreconciliation/search', { Status: 'Failed' });
    assert.match(String(interrupted?.['Error']), /interrupted/);
  });

  it('LED-11 is refused for days to come, for too many, for firms, and fails with its gateway', async () => {
    const route = 'payment/reconcile';
    await admin.expectRefused(route, { From: '2026-05-08' }, 'BAD_PARAMETER', 'From');
    await admin.expectRefused(route, { From: DAY, To: '2026-05-03' }, 'BAD_PARAMETER', 'To');
    await admin.expectRefused(route, { From: '2026-01-01', To: DAY }, 'BAD_PARAMETER', 'To');
    await admin.save('role', { Role: 'Cashier', Permissions: 'PaymentReconcile' });
    const firm = await p.firm('Firm', 'Cashier');
    await client(p, firm.caller).expectRefused(route, { From: DAY }, 'NO_PERMISSION');
  });
});
