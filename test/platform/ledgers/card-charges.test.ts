/** Charges through a card gateway over HTTP: approved, declined, unknown, repeated, postponed and refunded. */
import assert from 'node:assert/strict';
import { after, afterEach, describe, it } from 'node:test';
import type { SignedRequest } from '../../../src/contracts/signed-request.ts';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { client, type Row } from '../../support/client.ts';
import { paymentWorld } from '../../support/ledgers/payments.ts';
import { startCardGateway, type GatewayWebhook } from '../../support/peers/card-gateway.ts';
import type { WireObject } from '../../support/peers/card-gateway-objects.ts';
import { testPlatform } from '../../support/platform.ts';

// The gateway has the time of this machine.
const clock = fixedClock(new Date().toISOString());
const p = await testPlatform({ after }, { clock });
const admin = client(p);
const server = await startCardGateway({ after });
await admin.save('setting', { Setting: 'OutboundHttpLoopback', Value: 'true' });
const world = await paymentWorld(admin, {
  PaymentProvider: 'Cards',
  ApiKey: server.key,
  BaseURL: server.url,
  WebhookSecret: server.secret,
});
await p.platform.settings.fresh();
afterEach(() => void server.faults.splice(0));

const charge = (ID: unknown): Promise<Row> => admin.expectOk('ledger/authorizeandcapture', { ID });
const paymentOf = async (LedgerID: unknown): Promise<Row> =>
  (await admin.expectRows('payment/search', { LedgerID })).at(-1) ?? {};
const ledgerOf = (ledger: unknown): Promise<Row> => admin.select('ledger', ledger);
const settle = async (ID: unknown): Promise<Row> => {
  await admin.expectOk('payment/settle', { ID });
  return admin.select('payment', ID);
};
/** The amounts that the gateway took for a ledger, in cents. */
const taken = async (ledger: unknown): Promise<unknown[]> => {
  const { PaymentKey: key } = await paymentOf(ledger);
  return server.state
    .all('payment_intent')
    .filter((one) => one['status'] === 'succeeded' && Object.values(one['metadata'] as object).includes(key))
    .map((one) => one['amount']);
};
/** Returns a webhook that was signed so many seconds ago by the platform's clock. */
const signed = (object: object, { secondsAgo = 0, ...more }: GatewayWebhook = {}): SignedRequest => {
  const ahead = server.state.now() - Math.floor(clock.milliseconds() / 1_000);
  return server.webhook(object, { ...more, secondsAgo: secondsAgo + ahead });
};
const deliver = ({ headers, bytes }: SignedRequest, gateway = 'Cards') =>
  p.anonymous.send('POST', `/api/paymentprovider/event?Output=Json&PaymentProvider=${gateway}`, Buffer.from(bytes), {
    'Content-Type': 'application/json',
    'stripe-signature': String(headers['stripe-signature']),
  });
const event = async (object: object, id?: string): Promise<unknown> => {
  const answer = await deliver(signed(object, id === undefined ? {} : { id }));
  assert.equal(answer.status, 200, answer.text);
  return answer.json()['Status'];
};

describe('LED-07 ledger/authorizeandcapture with a card gateway', () => {
  it('takes what is owed, and posts the ledger', async () => {
    const payer = await world.payer('tok_visa');
    const ledger = await payer.ledger('10.01', '5.50');
    const answer = await charge(ledger);
    assert.deepEqual([answer['Status'], answer['PaymentStatus'], answer['Balance']], ['Posted', 'Captured', 0]);
    assert.deepEqual(await taken(ledger), [1_551]);
  });

  it('returns the code of a declined card, and leaves the ledger', async () => {
    const payer = await world.payer('tok_chargeDeclinedInsufficientFunds');
    const ledger = await payer.ledger('10');
    const before = await ledgerOf(ledger);
    const error = await admin.expectRefused('ledger/authorizeandcapture', { ID: ledger }, 'PAYMENT_DECLINED');
    assert.match(error.message, /insufficient_funds/);
    assert.deepEqual(await ledgerOf(ledger), before);
    assert.equal((await paymentOf(ledger))['Status'], 'Declined');
    assert.deepEqual(await taken(ledger), []);
  });

  it('settles a charge whose answer was lost, by a query or by a webhook, and takes it once', async () => {
    const payer = await world.payer('tok_lostAnswer');
    for (const how of ['query', 'webhook']) {
      const ledger = await payer.ledger('40');
      await admin.expectRefused('ledger/authorizeandcapture', { ID: ledger }, 'UNAVAILABLE');
      const { PaymentID: id, PaymentKey: key, Status: status } = await paymentOf(ledger);
      assert.equal(status, 'Unknown');
      const intent = server.state
        .all('payment_intent')
        .find((one) => Object.values(one['metadata'] as object).includes(key));
      if (how === 'query') await settle(id);
      else
        for (const round of [1, 2])
          assert.equal(await event({ object: 'payment_intent', id: intent?.id }, 'evt_lost'), 'Processed', `${round}`);
      assert.equal((await admin.select('payment', id))['Status'], 'Captured');
      assert.deepEqual([(await ledgerOf(ledger))['Status'], (await ledgerOf(ledger))['Balance']], ['Posted', 0]);
      assert.deepEqual(await taken(ledger), [4_000]);
    }
  });
});

describe('LED-07 the same Idempotency-Key sent twice', () => {
  const send = (route: string, values: object, key: string) =>
    admin.caller.post(`/api/${route}?Output=Json`, values, { 'Idempotency-Key': key });
  const count = (): number => server.state.all('payment_intent').length;

  it('takes a payment once, also while its outcome is unknown, and returns the first one', async () => {
    const payer = await world.payer('tok_lostAnswer');
    const sent = { PaymentMethodID: payer.method['PaymentMethodID'], Amount: '7' };
    const before = count();
    for (const _ of [1, 2]) assert.equal((await send('payment/charge', sent, 'lost')).status, 503);
    assert.equal(count(), before + 1);
    const [row] = await admin.expectRows('payment/search', { PaymentMethodID: sent.PaymentMethodID });
    await settle(row?.['PaymentID']);
    const settled = await send('payment/charge', sent, 'lost');
    assert.deepEqual([settled.status, settled.json()['PaymentID']], [200, row?.['PaymentID']]);
    // Another key, or other parameters, is another payment.
    assert.equal((await send('payment/charge', sent, 'another')).status, 503);
    assert.equal(count(), before + 2);
  });

  it('starts a subscription once, also if the process ended before it stored its answer', async () => {
    const payer = await world.payer('tok_visa');
    const sent = { PaymentMethodID: payer.method['PaymentMethodID'], Amount: '7', Every: 'Month', Description: 'Plan' };
    const first = await send('paymentsubscription/start', sent, 'plan');
    assert.equal(first.status, 200, first.text);
    const started = server.state.all('subscription').length;
    await p.platform.store.query('delete from idempotency', []);
    const again = await send('paymentsubscription/start', sent, 'plan');
    assert.deepEqual([again.status, again.json()], [200, first.json()]);
    assert.equal(server.state.all('subscription').length, started);
    assert.equal((await send('paymentsubscription/start', sent, 'other plan')).status, 200);
    assert.equal(server.state.all('subscription').length, started + 1);
  });

  it('returns the first answer for a ledger and a refund', async () => {
    const payer = await world.payer('tok_visa');
    const ledger = await payer.ledger('9');
    const [first, again] = [
      await send('ledger/authorizeandcapture', { ID: ledger }, 'charge'),
      await send('ledger/authorizeandcapture', { ID: ledger }, 'charge'),
    ];
    assert.deepEqual([first.status, first.text], [200, again.text]);
    const ID = first.json()['PaymentID'];
    server.faults.push({ path: /refunds$/, when: 'after', how: 'reset' });
    for (const _ of [1, 2]) assert.equal((await send('payment/refund', { ID, Amount: '2' }, 'refund')).status, 503);
    await settle(ID);
    assert.equal((await send('payment/refund', { ID, Amount: '2' }, 'refund')).json()['Status'], 'Succeeded');
    assert.equal((await ledgerOf(ledger))['Balance'], 2);
  });

  it('sends a payment again that was not carried out', async () => {
    const payer = await world.payer('tok_visa');
    const sent = { PaymentMethodID: payer.method['PaymentMethodID'], Amount: '8' };
    server.faults.push({
      path: /payment_intents$/,
      when: 'before',
      how: 429,
      headers: { 'Retry-After': '3600' },
      body: '{"error":{"message":"too many"}}',
    });
    assert.equal((await send('payment/charge', sent, 'busy')).status, 503);
    const answer = await send('payment/charge', sent, 'busy');
    assert.deepEqual([answer.status, answer.json()['Status']], [200, 'Captured']);
  });
});

describe('LED-11 a card gateway whose answers are lost', () => {
  const authorized = async (): Promise<{ readonly ledger: number; readonly id: unknown }> => {
    const payer = await world.payer('tok_visa');
    const ledger = await payer.ledger('100');
    const PaymentMethodID = payer.method['PaymentMethodID'];
    const row = await admin.expectOk('payment/authorize', { LedgerID: ledger, PaymentMethodID, Amount: '100' });
    return { ledger, id: row['PaymentID'] };
  };

  it('settles a capture and a void, and carries each out once', async () => {
    for (const [action, path, status, balance] of [
      ['capture', /capture$/, 'Captured', 40],
      ['void', /cancel$/, 'Voided', 100],
    ] as const) {
      const { ledger, id } = await authorized();
      const sent = { ID: id, ...(action === 'capture' ? { Amount: '60' } : {}) };
      server.faults.push({ path, when: 'after', how: 'reset' });
      const error = await admin.expectRefused(`payment/${action}`, sent, 'UNAVAILABLE');
      assert.match(error.message, /Do not repeat it/);
      await admin.expectRefused(`payment/${action}`, sent, 'STATE_REFUSES', 'ID');
      const settled = await settle(id);
      assert.deepEqual([settled['Status'], settled['PendingAction']], [status, undefined]);
      assert.equal((await ledgerOf(ledger))['Balance'], balance);
    }
  });

  it('releases an action that the gateway has not carried out: it can be sent again', async () => {
    const { id } = await authorized();
    server.faults.push({ path: /capture$/, when: 'before', how: 'reset' });
    await admin.expectRefused('payment/capture', { ID: id }, 'UNAVAILABLE');
    for (let n = 0; n < 9; n++) await settle(id);
    assert.equal((await admin.expectOk('payment/capture', { ID: id }))['Status'], 'Captured');
  });

  it('postpones payments and refunds longer each time while it is away', async () => {
    const payer = await world.payer('tok_lostAnswer');
    const ledger = await payer.ledger('20');
    await admin.expectRefused('ledger/authorizeandcapture', { ID: ledger }, 'UNAVAILABLE');
    const { PaymentID: id } = await paymentOf(ledger);
    const away = () => server.faults.push({ path: /./, when: 'before', how: 'reset', times: 20 });
    const waits = async (module: string, of: unknown): Promise<number> =>
      Date.parse(String((await admin.select(module, of))['NextCheck'])) - clock.milliseconds();
    away();
    const minutes: number[] = [];
    for (let n = 0; n < 3; n++) {
      await settle(id);
      minutes.push((await waits('payment', id)) / 60_000);
    }
    assert.ok(
      minutes.every((wait, n) => wait > (minutes[n - 1] ?? 0)),
      String(minutes),
    );
    server.faults.splice(0);
    assert.equal((await settle(id))['Status'], 'Captured');
    // A refund that has succeeded, but is not in the ledger: the month is closed.
    server.faults.push({ path: /refunds$/, when: 'after', how: 'reset' });
    await admin.expectRefused('payment/refund', { ID: id }, 'UNAVAILABLE');
    await admin.save('setting', { Setting: 'LedgerClosedThrough', Value: clock.now().slice(0, 7) });
    await p.platform.settings.fresh();
    await settle(id);
    const [refund] = await admin.expectRows('paymentrefund/search', { PaymentID: id });
    assert.deepEqual([refund?.['Status'], refund?.['LedgerItemID']], ['Succeeded', undefined]);
    away();
    const refundMinutes: number[] = [];
    for (let n = 0; n < 3; n++) {
      await settle(id);
      refundMinutes.push((await waits('paymentrefund', refund?.['PaymentRefundID'])) / 60_000);
    }
    assert.ok(
      refundMinutes.every((wait, n) => wait > (refundMinutes[n - 1] ?? 0)),
      String(refundMinutes),
    );
    server.faults.splice(0);
    await admin.save('setting', { Setting: 'LedgerClosedThrough', Value: '' });
    await p.platform.settings.fresh();
    await settle(id);
    assert.equal((await ledgerOf(ledger))['Balance'], 20);
  });
});

describe('LED-11 a refund that fails after it had succeeded', () => {
  /** Pays a charged ledger back, whole or in part, lets the refund fail and reports that. */
  const failing = async (amount: string | undefined) => {
    const payer = await world.payer('tok_visa');
    const ledger = await payer.ledger('10', '20');
    const { PaymentID: id } = await charge(ledger);
    const sent = { ID: id, ...(amount === undefined ? {} : { Amount: amount }) };
    const refund = await admin.expectOk('payment/refund', sent);
    assert.equal((await ledgerOf(ledger))['Balance'], Number(amount ?? 30));
    const theirs = server.state.read('refund', String(refund['GatewayRefundID']));
    theirs['status'] = 'failed';
    const intent = server.state.read('payment_intent', String(theirs['payment_intent']));
    const taking = intent['latest_charge'] as WireObject;
    taking['amount_refunded'] = Number(taking['amount_refunded']) - Number(theirs['amount']);
    for (const _ of [1, 2]) assert.equal(await event({ object: 'refund', id: theirs.id }), 'Processed');
    return { ledger, id, refundId: refund['PaymentRefundID'] };
  };

  it('takes its lines back once, and the payment can be paid back again', async () => {
    for (const amount of [undefined, '12']) {
      const { ledger, id, refundId } = await failing(amount);
      const refund = await admin.select('paymentrefund', refundId);
      assert.deepEqual([refund['Status'], refund['LedgerItemID']], ['Failed', undefined]);
      assert.equal((await ledgerOf(ledger))['Balance'], 0);
      assert.equal((await admin.select('payment', id))['RefundedAmount'], 0);
      assert.equal((await admin.expectOk('payment/refund', { ID: id }))['Status'], 'Succeeded');
      assert.equal((await ledgerOf(ledger))['Balance'], 30);
    }
  });
});

describe('LED-11 a subscription of a card gateway', () => {
  const DAY_MILLISECONDS = 86_400_000;
  const elapse = (days: number): void => {
    server.state.elapse(days);
    clock.advance(days * DAY_MILLISECONDS);
  };
  const started = async () => {
    const payer = await world.payer('tok_visa');
    const ledger = await payer.ledger('7', '7', '7');
    const { PaymentSubscriptionID: id, GatewaySubscriptionID } = await admin.expectOk('paymentsubscription/start', {
      PaymentMethodID: payer.method['PaymentMethodID'],
      LedgerID: ledger,
      Amount: '7',
      Every: 'Month',
      Description: 'Plan',
    });
    const theirs = server.state.read('subscription', String(GatewaySubscriptionID));
    const { token } = server.state.read('payment_method', String(theirs['default_payment_method']));
    assert.equal(token, 'tok_visa');
    return {
      ledger,
      theirs,
      row: (): Promise<Row> => admin.select('paymentsubscription', id),
      cancel: (): Promise<Row> => admin.expectOk('paymentsubscription/cancel', { ID: id }),
      balance: async (): Promise<unknown> => (await ledgerOf(ledger))['Balance'],
      /** What the card does from now on. */
      card(of: string): void {
        server.state.read('payment_method', String(theirs['default_payment_method']))['token'] = of;
      },
      intents: (): readonly string[] =>
        server.state.chargesOf(theirs.id).map(({ payment }) => (payment as { payment_intent: string }).payment_intent),
      /** What the gateway sends after a charge: the invoice, its payment and the subscription. */
      async report(intent: string | undefined): Promise<void> {
        const parent = { subscription_details: { subscription: theirs.id } };
        for (const about of [
          { object: 'payment_intent', id: intent },
          { object: 'invoice_payment', id: 'inpay_1', payment: { payment_intent: intent } },
          { object: 'invoice', id: 'in_1', parent },
          { object: 'subscription', id: theirs.id },
        ])
          assert.equal(await event(about), 'Processed', about.object);
      },
    };
  };

  it('is charged at each interval, fails, is charged again, and ends when it is canceled', async () => {
    const plan = await started();
    assert.equal((await plan.row())['Status'], 'Active');
    await plan.report(plan.intents()[0]);
    assert.equal(await plan.balance(), 14);
    const firstCharge = (await plan.row())['NextCharge'];

    elapse(31);
    const second = { object: 'payment_intent', id: plan.intents()[1] };
    const replays = Array.from({ length: 4 }, () => event(second, 'evt_second'));
    assert.deepEqual(new Set(await Promise.all([...replays, event(second), event(second)])), new Set(['Processed']));
    await plan.report(plan.intents()[1]);
    assert.equal(await plan.balance(), 7);
    assert.ok(Date.parse(String((await plan.row())['NextCharge'])) > Date.parse(String(firstCharge)));

    plan.card('tok_chargeDeclinedInsufficientFunds');
    elapse(31);
    await plan.report(plan.intents()[2]);
    assert.deepEqual([(await plan.row())['Status'], await plan.balance()], ['Late', 7]);
    const failed = await paymentOf(plan.ledger);
    assert.deepEqual([failed['Status'], failed['DeclineCode']], ['Declined', 'insufficient_funds']);

    plan.card('tok_visa');
    elapse(3);
    assert.equal(plan.intents().length, 3);
    await plan.report(plan.intents()[2]);
    // An event from before is delivered late.
    assert.equal(await event({ object: 'payment_intent', id: plan.intents()[0] }), 'Processed');
    assert.deepEqual([(await plan.row())['Status'], await plan.balance()], ['Active', 0]);
    const payments = await admin.expectRows('payment/search', { LedgerID: plan.ledger });
    assert.deepEqual(
      payments.map((row) => [row['Purpose'], row['Status'], row['CapturedAmount'], row['DeclineCode']]),
      payments.map(() => ['Subscription', 'Captured', 7, undefined]),
    );
    assert.deepEqual(new Set(payments.map((row) => row['GatewayPaymentID'])), new Set(plan.intents()));
    assert.equal(payments.length, 3);

    for (const _ of [1, 2]) assert.equal((await plan.cancel())['Status'], 'Canceled');
    assert.equal(plan.theirs['status'], 'canceled');
    elapse(62);
    assert.equal(plan.intents().length, 3);
    assert.equal(await event({ object: 'subscription', id: plan.theirs.id }), 'Processed');
    const ended = await plan.row();
    assert.deepEqual([ended['Status'], ended['NextCharge']], ['Canceled', undefined]);
  });

  it('takes nothing from forged, altered or old webhooks, which all get the same answer', async () => {
    const plan = await started();
    const about = { object: 'payment_intent', id: plan.intents()[0] };
    const whole = signed(about, { id: 'evt_forged' });
    const forged = [
      await deliver(signed(about, { id: 'evt_forged', secret: 'whsec_of_somebody_else' })),
      await deliver({ ...whole, bytes: Buffer.from(Buffer.from(whole.bytes).toString().replace('evt_', 'evt_x')) }),
      await deliver({ ...whole, headers: {} }),
      await deliver(signed(about, { id: 'evt_forged', secondsAgo: 3_600 })),
      await deliver(whole, 'Nobody'),
    ];
    const [first] = forged;
    const message = (text: string): unknown => (JSON.parse(text) as { Error: { Message: unknown } }).Error.Message;
    for (const [n, { status, text }] of forged.entries())
      assert.deepEqual([status, message(text)], [first?.status, message(first?.text ?? '')], `forgery ${n}`);
    assert.ok((first?.status ?? 0) >= 400);
    assert.equal(await plan.balance(), 21);
    assert.deepEqual(await admin.expectRows('paymentevent/search', { GatewayEventID: 'evt_forged' }), []);
    // The genuine one is accepted after all that, and its replays change nothing.
    for (const _ of [1, 2, 3]) assert.equal((await deliver(whole)).json()['Status'], 'Processed');
    assert.equal(await plan.balance(), 14);
    assert.equal((await admin.expectRows('paymentevent/search', { GatewayEventID: 'evt_forged' })).length, 1);
  });
});
