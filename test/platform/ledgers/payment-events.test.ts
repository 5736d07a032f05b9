/** Webhooks of payment gateways: payments, subscriptions, disputes and stored methods, replayed, late and forged. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { GatewayPayment } from '../../../src/contracts/payment-provider.ts';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { queueOpenSubscriptions } from '../../../src/modules/ledgers/lib/payments/sweep.ts';
import { writeNotifications } from '../../../src/modules/console/notification/lib/write-notifications.ts';
import type { Payment } from '../../../src/modules/ledgers/lib/payments/payment-rows.ts';
import { reportedValues } from '../../../src/modules/ledgers/lib/payments/payment-state.ts';
import { client, expectOk, expectRefused, type Row } from '../../support/client.ts';
import { done, ledgerOfContact, saveTestGateway, type TestGateway } from '../../support/ledgers/test-gateway.ts';
import { testPlatform } from '../../support/platform.ts';

const clock = fixedClock('2026-05-04T15:00:00.000Z');
const p = await testPlatform({ after }, { clock });
const admin = client(p);
let gateway: TestGateway;

before(async () => {
  gateway = await saveTestGateway(p, () => clock.milliseconds());
});

const status = async (about: object, options?: { readonly id: string }): Promise<unknown> =>
  (await expectOk(gateway.event(about, options)))['Status'];
const linesOf = (LedgerID: number): Promise<Row[]> =>
  admin.expectRows('ledgeritem/search', { LedgerID, OrderBy: 'LedgerItemID' });
const balanceOf = async (ledger: number): Promise<unknown> => (await admin.select('ledger', ledger))['Balance'];
const differences = (filter: object): Promise<Row[]> => admin.expectRows('paymentdifference/search', filter);

describe('paymentprovider/event', () => {
  it('LED-11 records a payment whose process ended before the answer, once, in its ledger', async () => {
    const { ledger, parent } = await ledgerOfContact(p, ['10', '20']);
    const card = await gateway.card('test_visa', parent);
    const requested = await gateway.request(card, { ledger, amount: '30' });
    const payment = await gateway.charge(requested);
    const id = randomUUID();
    assert.equal(await status({ payment: payment.id }, { id }), 'Processed');
    const row = await admin.select('payment', requested.id);
    assert.deepEqual([row['Status'], row['GatewayPaymentID'], row['CapturedAmount']], ['Captured', payment.id, 30]);
    // A replay, the same news under another ID, and both at once change nothing.
    await Promise.all([status({ payment: payment.id }, { id }), status({ payment: payment.id })]);
    const lines = await linesOf(ledger);
    assert.equal(lines.length, 3);
    assert.equal(lines[2]?.['TransactionNumber'], payment.id);
    assert.equal(row['LedgerItemID'], lines[2]?.['LedgerItemID']);
    assert.equal(await balanceOf(ledger), 0);
    const events = await admin.expectRows('paymentevent/search', { GatewayEventID: id });
    assert.deepEqual(
      events.map((event) => [event['Status'], event['ObjectKind'], event['PaymentID']]),
      [['Processed', 'Payment', requested.id]],
    );
  });

  it('LED-11 answers unknown gateways and wrong signatures alike, and stores nothing of them', async () => {
    const secret = `whsec_${Buffer.from('another secret, of nobody here..').toString('base64')}`;
    const count = async (): Promise<number> => (await admin.expectRows('paymentevent/search')).length;
    const before = await count();
    const forged = await expectRefused(gateway.event({ payment: 'test-payment-x' }, { secret }), 'NO_PERMISSION');
    const unknown = await expectRefused(
      p.anonymous.send('POST', '/api/paymentprovider/event?Output=Json&PaymentProvider=Nobody', '{}', {
        'webhook-signature': 'v1,x',
        'Content-Type': 'application/json',
      }),
      'NO_PERMISSION',
    );
    assert.deepEqual([unknown.status, unknown.message], [forged.status, forged.message]);
    const large = 'x'.repeat(2 * 1024 * 1024);
    for (const name of ['Trial', 'Nobody'])
      await expectRefused(
        p.anonymous.send('POST', `/api/paymentprovider/event?Output=Json&PaymentProvider=${name}`, large, {
          'webhook-signature': 'v1,x',
          'Content-Type': 'application/json',
        }),
        'TOO_LARGE',
      );
    assert.equal(await count(), before);
  });

  it('LED-11 makes payments that are not recorded here a difference, and no error', async () => {
    const { parent } = await ledgerOfContact(p, ['5']);
    const card = await gateway.card('test_visa', parent);
    const elsewhere = done(
      await gateway.provider.charge({
        key: randomUUID(),
        customer: card.customer,
        method: { vaulted: card.method },
        money: { amount: '5.00', currency: 'USD' },
        description: 'Made elsewhere',
      }),
    );
    assert.equal(await status({ payment: elsewhere.id }), 'Ignored');
    assert.equal(await status({ payment: elsewhere.id }), 'Ignored');
    const [found, ...more] = await differences({ GatewayID: elsewhere.id });
    assert.deepEqual(more, []);
    assert.deepEqual(
      [found?.['Kind'], found?.['Status'], found?.['Ours'], found?.['Theirs'], found?.['Day']],
      ['MissingHere', 'Open', 'Nothing', 'Captured, 5.00 USD', '2026-05-04'],
    );
  });

  it('LED-11 leaves to refund what neither the gateway nor Casewright has refunded yet', async () => {
    for (const token of ['test_visa', 'test_refund_pending']) {
      const { ledger, parent } = await ledgerOfContact(p, ['30']);
      const requested = await gateway.request(await gateway.card(token, parent), { ledger, amount: '30' });
      const payment = await gateway.charge(requested);
      const { id: ID } = requested;
      assert.equal(await status({ payment: payment.id }), 'Processed');
      // One is refunded at the gateway alone, of which an event informs; the refund of the other is pending.
      if (token === 'test_visa') {
        done(await gateway.provider.refund(payment.id, { key: randomUUID(), amount: '20.00' }));
        assert.equal(await status({ payment: payment.id }), 'Processed');
      } else await admin.expectOk('payment/refund', { ID, Amount: '20' });
      const refunds = (): Promise<Row[]> => admin.expectRows('paymentrefund/search', { PaymentID: ID });
      const before = await refunds();
      await admin.expectRefused('payment/refund', { ID, Amount: '10.01' }, 'BAD_PARAMETER', 'Amount');
      // Refused here, before it was recorded: the gateway would refuse it, too.
      assert.deepEqual(await refunds(), before);
    }
  });

  it('LED-07 payments are settled also while the settlement of another one fails unexpectedly', async () => {
    const request = async (): Promise<{ readonly id: number }> => {
      const { ledger, parent } = await ledgerOfContact(p, ['30']);
      const requested = await gateway.request(await gateway.card('test_visa', parent), { ledger, amount: '30' });
      await gateway.charge(requested);
      return requested;
    };
    const [broken, sound] = [await request(), await request()];
    // Makes the settlement throw an unexpected error: JavaScript cannot represent this date.
    await p.platform.store.query(
      `update payment set nextcheck = $3::timestamptz,
         requesteddate = case paymentid when $1::bigint then '294276-01-01' else requesteddate end
       where paymentid in ($1::bigint, $2::bigint)`,
      [broken.id, sound.id, clock.now()],
    );
    await admin.expectOk('payment/settle');
    assert.equal((await admin.select('payment', sound.id))['Status'], 'Captured');
    const [postponed] = await p.platform.store.query<{ detail: string; isLater: boolean }>(
      'select detail, nextcheck > $2::timestamptz as "isLater" from payment where paymentid = $1::bigint',
      [broken.id, clock.now()],
    );
    assert.deepEqual(
      { ...postponed },
      { detail: 'Unexpected error. The details are in the error log.', isLater: true },
    );
  });

  it('LED-11 keeps what is known of a payment when an earlier state is reported late', () => {
    const money = { amount: '30.00', currency: 'USD' };
    const report = { id: 'test-payment-1', money, captured: '0', refunded: '0', created: clock.now() };
    const late: readonly (readonly [Payment['Status'], GatewayPayment['status'], boolean])[] = [
      ['Captured', 'authorized', false],
      ['Captured', 'pending', false],
      ['Captured', 'voided', false],
      ['Voided', 'authorized', false],
      ['Authorized', 'pending', false],
      ['Declined', 'voided', false],
      // What was given up is still recorded when it turns up.
      ['NotCarriedOut', 'captured', true],
      ['Voided', 'captured', true],
    ];
    for (const [Status, reported, isRecorded] of late) {
      const row = { Status, Checks: 0, SettledDate: null } as Payment;
      const { Status: recorded } = reportedValues(row, { ...report, status: reported }, clock.milliseconds());
      assert.equal(recorded !== undefined, isRecorded, `${String(Status)}, then ${reported}`);
    }
  });

  it('LED-11 ignores events about things that the gateway does not have any more', async () => {
    assert.equal(await status({ payment: 'test-payment-gone', dispute: 'test-dispute-gone' }), 'Ignored');
    const { status: httpStatus } = await gateway.event({ nothing: 'x' });
    assert.equal(httpStatus, 200);
  });
});

describe('disputes', () => {
  it('LED-11 are recorded and notified; a lost one takes the payment back out of the ledger, once', async () => {
    const { ledger, parent } = await ledgerOfContact(p, ['40']);
    const card = await gateway.card('test_dispute_lost', parent);
    const requested = await gateway.request(card, { ledger, amount: '40' });
    const payment = await gateway.charge(requested);
    assert.equal(await status({ payment: payment.id }), 'Processed');
    assert.equal(await balanceOf(ledger), 0);
    const day = { from: '2026-05-04T00:00:00.000Z', to: '2026-05-05T00:00:00.000Z' };
    const requester = await p.user('requester', 'Administrator');
    await p.platform.store.query('update payment set createdpersonid = $1::bigint where paymentid = $2::bigint', [
      requester.personId,
      requested.id,
    ]);
    // The first pass only notes where changes begin.
    await writeNotifications(p.platform);
    const { items } = await gateway.provider.disputes(day);
    const dispute = items.find((each) => each.payment === payment.id);
    assert.ok(dispute);
    assert.equal(await status({ dispute: dispute.id }), 'Processed');
    const shown = async (): Promise<Row | undefined> =>
      (await admin.expectRows('paymentdispute/search', { PaymentID: requested.id }))[0];
    assert.deepEqual([(await shown())?.['Status'], (await shown())?.['Amount']], ['Open', 40]);
    await writeNotifications(p.platform);
    const notified = await client(p, requester.caller).expectRows('notification/mine');
    assert.deepEqual(
      notified.map((row) => [row['Object'], row['ObjectID'], row['Notification']]),
      [['Payment', requested.id, 'Payment disputed: 40.00 USD, fraudulent']],
    );
    clock.advance(60_000);
    await Promise.all([status({ dispute: dispute.id }), status({ dispute: dispute.id })]);
    const lost = await shown();
    assert.equal(lost?.['Status'], 'Lost');
    assert.ok(lost['LedgerItemID']);
    assert.equal(await balanceOf(ledger), 40);
    assert.equal((await linesOf(ledger)).length, 3);
    assert.equal((await linesOf(ledger))[0]?.['PaidDate'], undefined);
  });
});

describe('subscriptions', () => {
  it('LED-11 become a payment line of their ledger at each charge, once, and end when they are canceled', async () => {
    const { ledger, parent } = await ledgerOfContact(p, ['15', '15']);
    const card = await gateway.card('test_visa', parent);
    const started = await admin.expectOk('paymentsubscription/start', {
      PaymentMethodID: card.id,
      LedgerID: ledger,
      Amount: '15',
      Every: 'Month',
      Description: 'Monthly plan',
    });
    assert.equal(started['Status'], 'Active');
    const paid = async (): Promise<readonly string[]> => {
      const from = '2026-05-01T00:00:00.000Z';
      const { items } = await gateway.provider.payments({ from, to: '2027-01-01T00:00:00.000Z' });
      return items.flatMap(({ id, subscription }) => (subscription === started['GatewaySubscriptionID'] ? [id] : []));
    };
    const [first = ''] = await paid();
    await Promise.all([1, 2, 3].map(() => status({ payment: first, subscription: started['GatewaySubscriptionID'] })));
    assert.equal(await balanceOf(ledger), 15);
    clock.advance(32 * 86_400_000);
    const second = (await paid()).find((id) => id !== first) ?? '';
    assert.equal(await status({ payment: second }), 'Processed');
    assert.equal(await balanceOf(ledger), 0);
    const payments = await admin.expectRows('payment/search', { LedgerID: ledger });
    assert.deepEqual(
      payments.map((row) => [row['Purpose'], row['Status'], row['CapturedAmount'], row['PaymentSubscriptionID']]),
      payments.map(() => ['Subscription', 'Captured', 15, started['PaymentSubscriptionID']]),
    );
    assert.equal(payments.length, 2);
    const { PaymentSubscriptionID: ID } = started;
    assert.equal((await admin.expectOk('paymentsubscription/cancel', { ID }))['Status'], 'Canceled');
    assert.equal((await admin.expectOk('paymentsubscription/cancel', { ID }))['Status'], 'Canceled');
    assert.equal(await status({ subscription: started['GatewaySubscriptionID'] }), 'Processed');
    assert.equal((await admin.select('paymentsubscription', ID))['Status'], 'Canceled');
  });

  it('LED-11 of unknown outcome are settled by querying the gateway, and end if it does not have them', async () => {
    const { parent } = await ledgerOfContact(p, ['15']);
    const { id: method } = await gateway.card('test_visa', parent);
    // As a process leaves them that ends, or gets no answer, after the gateway has started them.
    const unanswered = async (key: string): Promise<{ readonly id: unknown; readonly gatewayId: unknown }> => {
      const { PaymentSubscriptionID: id, GatewaySubscriptionID: gatewayId } = await admin.expectOk(
        'paymentsubscription/start',
        { PaymentMethodID: method, Amount: '15', Every: 'Month', Description: 'Plan' },
      );
      await p.platform.store.query(
        `update paymentsubscription set status = 'Unknown', gatewaysubscriptionid = null,
           subscriptionkey = coalesce(nullif($2::text, ''), subscriptionkey) where paymentsubscriptionid = $1::bigint`,
        [Number(id), key],
      );
      return { id, gatewayId };
    };
    const [started, never] = [await unanswered(''), await unanswered(randomUUID())];
    const settle = async (ID: unknown): Promise<unknown> =>
      (await admin.expectOk('paymentsubscription/settle', { ID }))['Settled'];
    assert.deepEqual([await settle(started.id), await settle(never.id)], [1, 0]);
    const { NextCheck, Checks } = await admin.select('paymentsubscription', never.id);
    assert.deepEqual([Date.parse(String(NextCheck)) - clock.milliseconds(), Checks], [2 * 60_000, 1]);
    const settled = await admin.select('paymentsubscription', started.id);
    assert.deepEqual([settled['Status'], settled['GatewaySubscriptionID']], ['Active', started.gatewayId]);
    clock.advance(3_600_000);
    assert.equal(await settle(never.id), 1);
    const ended = await admin.select('paymentsubscription', never.id);
    assert.deepEqual([ended['Status'], ended['NextCheck']], ['Canceled', undefined]);
    assert.equal(await settle(started.id), 0);
  });

  it('LED-11 of a gateway that fails are queried again at growing intervals, and those of others settled', async () => {
    const { parent } = await ledgerOfContact(p, ['15']);
    const { id: method } = await gateway.card('test_visa', parent);
    await admin.save('setting', { Setting: 'OutboundHttpLoopback', Value: 'true' });
    // The discard port: nothing listens there.
    const { PaymentProviderID: down } = await admin.save('paymentprovider', {
      PaymentProvider: 'Down',
      ApiKey: 'sk_test_down',
      BaseURL: 'http://127.0.0.1:9',
    });
    await p.platform.settings.fresh();
    const start = { PaymentMethodID: method, Amount: '15', Every: 'Month', Description: 'Plan' };
    const ids = [
      (await admin.expectOk('paymentsubscription/start', start))['PaymentSubscriptionID'],
      (await admin.expectOk('paymentsubscription/start', start))['PaymentSubscriptionID'],
    ];
    await p.platform.store.query(
      `update paymentsubscription set status = 'Unknown', gatewaysubscriptionid = null, nextcheck = $4::timestamptz,
         paymentproviderid = case paymentsubscriptionid when $1::bigint then $3::bigint else paymentproviderid end
       where paymentsubscriptionid in ($1::bigint, $2::bigint)`,
      [...ids, down, clock.now()],
    );
    const [failing, other] = ids;
    await admin.expectRefused('paymentsubscription/settle', { ID: failing }, 'UNAVAILABLE');
    assert.equal((await admin.expectOk('paymentsubscription/settle', {}))['Settled'], 1);
    assert.equal((await admin.select('paymentsubscription', other))['Status'], 'Active');
    const minutes: number[] = [];
    for (let n = 0; n < 4; n++) {
      const { Status, NextCheck, Detail } = await admin.select('paymentsubscription', failing);
      assert.equal(Status, 'Unknown');
      assert.match(String(Detail), /^The gateway could not be queried\./);
      minutes.push((Date.parse(String(NextCheck)) - clock.milliseconds()) / 60_000);
      assert.equal(await queueOpenSubscriptions.run(p.platform), 0);
      clock.advance((minutes[n] ?? 0) * 60_000);
      assert.equal(await queueOpenSubscriptions.run(p.platform), 1);
      assert.equal((await admin.expectOk('paymentsubscription/settle', {}))['Settled'], 0);
    }
    assert.deepEqual(minutes, [2, 5, 10, 20]);
    clock.advance(3_600_000);
    const payments = (await admin.expectRows('system/health', {})).find(({ Health }) => Health === 'Payments');
    assert.match(String(payments?.['Detail']), /1 payment, refund or subscription without a known outcome/);
    // Reconciliation queries it again, too.
    await p.platform.store.query(
      'update paymentsubscription set paymentproviderid = $2::bigint where paymentsubscriptionid = $1::bigint',
      [failing, gateway.id],
    );
    const of = { PaymentProviderID: gateway.id, From: clock.now().slice(0, 10) };
    assert.ok(Number((await admin.expectRows('payment/reconcile', of))[0]?.['Settled']) >= 1);
    const found = await admin.select('paymentsubscription', failing);
    assert.deepEqual([found['Status'], found['NextCheck'], found['Detail']], ['Active', undefined, undefined]);
  });

  it('LED-11 are refused where the card is declined or was removed', async () => {
    const { parent } = await ledgerOfContact(p, ['1']);
    const declined = await gateway.card('test_insufficient_funds', parent);
    const start = (card: { readonly id: number }, more: object = {}): object => ({
      PaymentMethodID: card.id,
      Amount: '1',
      Every: 'Week',
      Description: 'Weekly',
      ...more,
    });
    await admin.expectRefused('paymentsubscription/start', start(declined, { Amount: '0' }), 'BAD_PARAMETER', 'Amount');
    await admin.expectRefused('paymentsubscription/start', start(declined), 'STATE_REFUSES', 'PaymentMethodID');
    const [row] = await admin.expectRows('paymentsubscription/search', { PaymentMethodID: declined.id });
    assert.equal(row?.['Status'], 'Canceled');
    await gateway.provider.removeMethod(declined.method);
    assert.equal(await status({ method: declined.method }), 'Processed');
    assert.equal((await admin.select('paymentmethod', declined.id))['Status'], 'Removed');
    await admin.expectRefused('paymentsubscription/start', start(declined), 'STATE_REFUSES', 'PaymentMethodID');
  });
});
