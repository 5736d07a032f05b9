import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, describe, it } from 'node:test';
import {
  paymentProviderConformance,
  type PaymentPeer,
} from '../../../../src/contracts/conformance/payment-provider.ts';
import type { Outcome, PaymentRequest } from '../../../../src/contracts/payment-provider.ts';
import { outboundHttpLoopback } from '../../../../src/kernel/declare/core-settings.ts';
import type { SettingDefinition, Settings } from '../../../../src/kernel/declare/setting.ts';
import { PlatformError } from '../../../../src/kernel/door/errors.ts';
import type { CardGatewayOptions } from '../../../../src/providers/payment-provider/card-gateway/card-gateway-options.ts';
import { cardGateways } from '../../../../src/providers/payment-provider/card-gateway/card-gateway-type.ts';
import { startCardGateway, type GatewayFault } from '../../../support/peers/card-gateway.ts';

const settings: Settings = {
  get: <T>(definition: SettingDefinition<T>) =>
    (Object.is(definition, outboundHttpLoopback) ? true : definition.default) as T,
};
const server = await startCardGateway({ after });
afterEach(() => void server.faults.splice(0));

const kind = cardGateways(settings);
const options = (more: Partial<CardGatewayOptions> = {}): CardGatewayOptions => ({
  ApiKey: server.key,
  WebhookSecret: server.secret,
  BaseURL: server.url,
  TimeoutSeconds: 5,
  ...more,
});
const open = (more: Partial<CardGatewayOptions> = {}) => kind.open({ id: 1, name: 'Test', options: options(more) });
const provider = open();
const objects = {
  payment: 'payment_intent',
  refund: 'refund',
  subscription: 'subscription',
  dispute: 'dispute',
  vaulting: 'checkout.session',
};

const peer: PaymentPeer = {
  provider,
  tokens: {
    approved: 'tok_visa',
    insufficientFunds: 'tok_chargeDeclinedInsufficientFunds',
    notStored: 'tok_chargeDeclined',
    lostAnswer: 'tok_lostAnswer',
    bank: 'pm_usBankAccount_success',
    disputed: 'tok_createDispute',
    lostStoring: 'tok_lostStoring',
  },
  now: () => new Date(server.state.now() * 1_000).toISOString(),
  settle() {
    server.state.settle();
    return Promise.resolve();
  },
  elapse(days) {
    server.state.elapse(days);
    return Promise.resolve();
  },
  completePage(reference, token) {
    server.completePage(reference, token);
    return Promise.resolve();
  },
  webhook(about, more) {
    const [[name, id] = ['', '']] = Object.entries(about);
    return server.webhook({ object: objects[name as keyof typeof objects], id }, more);
  },
};

async function requestOf(more: Partial<PaymentRequest> = {}): Promise<PaymentRequest> {
  const customer = resultOf(await provider.createCustomer({ name: 'Anna' }, { key: randomUUID() }));
  const method = resultOf(await provider.vault(customer, 'tok_visa', { key: randomUUID() }));
  assert.ok('id' in method);
  const money = { amount: '10', currency: 'USD' };
  return { key: randomUUID(), money, customer, method: { vaulted: method.id }, description: 'Fees', ...more };
}

function resultOf<T>(outcome: Outcome<T>): T {
  assert.ok(outcome.status === 'done', JSON.stringify(outcome));
  return outcome.result;
}

/** Returns how many payments the gateway has made with a key. */
function paymentsWith(key: string): number {
  const all = server.state.all('payment_intent');
  return all.filter((one) => (one['metadata'] as { casewright_key?: string }).casewright_key === key).length;
}

const PAYMENTS = /^\/v1\/payment_intents$/;

describe('the card gateway meets the contract', () => {
  for (const { title, check } of paymentProviderConformance) it(title, () => check(peer));
});

describe('LED-11 a request of the card gateway that fails', () => {
  const error = '{"error":{"message":"no"}}';
  type Case = readonly [title: string, fault: Omit<GatewayFault, 'path'>, outcome: string, payments: number];
  /** With the outcome that the caller gets, and the number of payments that the gateway has made. */
  const faults: readonly Case[] = [
    ['breaks off after the charge', { when: 'after', how: 'reset' }, 'unknown', 1],
    ['breaks off before the charge', { when: 'before', how: 'reset' }, 'unknown', 0],
    ['gets no answer', { when: 'after', how: 'hang' }, 'unknown', 1],
    ['gets an answer that is not of the gateway', { when: 'after', how: 200, body: '<html>' }, 'unknown', 1],
    ['gets an error of the server', { when: 'before', how: 503, body: error }, 'unknown', 0],
    ['gets an error page', { when: 'before', how: 502, body: 'Bad gateway' }, 'unknown', 0],
    ['gets a 404 of another server', { when: 'before', how: 404, body: 'Not found' }, 'unknown', 0],
    ['comes too often', { when: 'before', how: 429, body: error }, 'UNAVAILABLE', 0],
    ['has a refused key', { when: 'before', how: 401, body: error }, 'UNAVAILABLE', 0],
    ['is redirected', { when: 'before', how: 302, headers: { Location: '/elsewhere' } }, 'UNAVAILABLE', 0],
  ];
  for (const [title, fault, expected, payments] of faults)
    it(`${title}: ${expected}`, async () => {
      const sent = await requestOf();
      const gateway = open({ TimeoutSeconds: 1 });
      const from = new Date().toISOString();
      server.faults.push({ ...fault, path: PAYMENTS });
      const before = server.calls.length;
      const outcome = await gateway.charge(sent).then(
        ({ status }) => status,
        (error: unknown) => (error instanceof PlatformError ? error.code : error),
      );
      assert.equal(outcome, expected);
      // Nothing is repeated: not by us, and not by the library.
      assert.equal(server.calls.length, before + 1);
      assert.equal(paymentsWith(sent.key), payments);
      const found = await gateway.findPayment({ key: sent.key, customer: sent.customer ?? '', from });
      assert.equal(found?.status, payments === 1 ? 'captured' : undefined);
    });

  it('is certainly not carried out if no connection is made', async () => {
    const sent = await requestOf();
    for (const BaseURL of ['http://127.0.0.1:1', 'https://10.0.0.1', 'https://no-such-host.invalid'])
      await assert.rejects(open({ BaseURL }).charge(sent), { code: 'UNAVAILABLE' }, BaseURL);
    assert.equal(paymentsWith(sent.key), 0);
    await assert.rejects(provider.charge({ ...sent, signal: AbortSignal.abort() }), { code: 'UNAVAILABLE' });
  });

  it('waits for the first request with its key, and gets its answer', async () => {
    const sent = await requestOf();
    const body = '{"error":{"type":"idempotency_error","code":"idempotency_key_in_use","message":"in use"}}';
    server.faults.push({ path: PAYMENTS, when: 'before', how: 409, body, times: 2 });
    assert.equal(resultOf(await provider.charge(sent)).status, 'captured');
    assert.equal(paymentsWith(sent.key), 1);
    // A refusal afterwards says nothing about the first request.
    server.faults.push({ path: PAYMENTS, when: 'before', how: 409, body });
    server.faults.push({ path: PAYMENTS, when: 'before', how: 429, body });
    assert.equal((await provider.charge({ ...sent, key: randomUUID() })).status, 'unknown');
  });

  it('waits as long as the gateway demands if that is short, and sends the request again', async () => {
    const sent = await requestOf();
    const busy = { path: PAYMENTS, when: 'before', how: 429, body: error } as const;
    server.faults.push({ ...busy, headers: { 'Retry-After': '0' }, times: 2 });
    assert.equal(resultOf(await provider.charge(sent)).status, 'captured');
    assert.equal(paymentsWith(sent.key), 1);
    const again = await requestOf();
    const before = server.calls.length;
    for (const [seconds, calls] of [
      ['0', 3],
      ['6', 4],
      ['Mon, 23 Nov 2026 00:00:00 GMT', 5],
    ] as const) {
      server.faults.push({ ...busy, headers: { 'Retry-After': seconds }, times: seconds === '0' ? 3 : 1 });
      await assert.rejects(provider.charge(again), { code: 'UNAVAILABLE' }, seconds);
      assert.equal(server.calls.length, before + calls);
    }
    assert.equal(paymentsWith(again.key), 0);
  });

  it('leaves a refund and a capture unknown without an answer; both are found', async () => {
    const gateway = open({ TimeoutSeconds: 1 });
    const { id } = resultOf(await provider.authorize(await requestOf()));
    server.faults.push({ path: /capture$/, when: 'after', how: 'reset' });
    assert.equal((await gateway.capture(id, { key: randomUUID() })).status, 'unknown');
    assert.equal((await gateway.readPayment(id)).status, 'captured');
    const key = randomUUID();
    server.faults.push({ path: /refunds$/, when: 'after', how: 'hang' });
    assert.equal((await gateway.refund(id, { key, amount: '4' })).status, 'unknown');
    assert.equal((await gateway.findRefund({ key, payment: id }))?.money.amount, '4.00');
    // The key of the lost answer does not pay back twice.
    assert.equal(resultOf(await gateway.refund(id, { key, amount: '4' })).money.amount, '4.00');
    assert.equal((await gateway.readPayment(id)).refunded, '4.00');
  });

  it('does not take a list that ends early for one without the payment', async () => {
    server.faults.push({ path: PAYMENTS, when: 'before', how: 'reset' });
    const by = { key: randomUUID(), from: new Date().toISOString() };
    await assert.rejects(provider.findPayment(by), { code: 'UNAVAILABLE' });
  });
});

describe('LED-11 the card gateway', () => {
  it('sends its key, a fixed version and the idempotency key, and nothing about this machine', async () => {
    const sent = await requestOf();
    await provider.charge(sent);
    const { headers = {}, form = {} } = server.calls.findLast(({ path }) => PAYMENTS.test(path)) ?? {};
    assert.equal(headers['idempotency-key'], sent.key);
    assert.match(String(headers['stripe-version']), /^\d{4}-\d\d-\d\d\./);
    assert.equal(headers['user-agent'], 'Casewright-Payments/1');
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('x-')),
      [],
    );
    assert.deepEqual(form['metadata'], { casewright_key: sent.key });
  });

  it('reports a refused key by name, without repeating it', async () => {
    const key = 'sk_test_another_key_1';
    await assert.rejects(open({ ApiKey: key }).check(), ({ code, message }: { code: string; message: string }) => {
      assert.deepEqual([code, message.includes(key)], ['UNAVAILABLE', false]);
      return message.includes('rejected ApiKey');
    });
  });

  it('refuses wrong options by name', () => {
    for (const [name, more] of [
      ['ApiKey', { ApiKey: 'short' }],
      ['ApiKey', { ApiKey: 'pk_test_1234567890' }],
      ['WebhookSecret', { WebhookSecret: 'short' }],
      ['BaseURL', { BaseURL: 'ftp://pay.example' }],
      ['BaseURL', { BaseURL: 'https://pay.example/path' }],
      ['BaseURL', { BaseURL: 'https://10.0.0.1' }],
    ] as const) {
      const saved = { id: 1, name: 'Test', options: options(more) };
      assert.throws(() => kind.validate(saved), { code: 'BAD_PARAMETER', field: name }, JSON.stringify(more));
    }
    kind.validate({ id: 1, name: 'Test', options: { ApiKey: server.key } });
  });

  it('starts its page only with addresses of pages, and sends it nothing but the customer', async () => {
    const { customer = '' } = await requestOf();
    const page = {
      key: randomUUID(),
      returnUrl: 'https://cases.example/done',
      cancelUrl: 'https://cases.example/back',
      expires: new Date((server.state.now() + 3_600) * 1_000).toISOString(),
    };
    const { url } = (await provider.startVaulting?.(customer, page)) ?? assert.fail();
    assert.match(url, /^https:\/\/page\.gateway\.example\//);
    const { form } = server.calls.at(-1) ?? assert.fail();
    assert.deepEqual(Object.keys(form).toSorted(), [
      'allowed_payment_method_types',
      'cancel_url',
      'customer',
      'expires_at',
      'metadata',
      'mode',
      'setup_intent_data',
      'success_url',
    ]);
    const invalid = { ...page, key: randomUUID(), returnUrl: 'javascript:alert(1)' };
    await assert.rejects(provider.startVaulting?.(customer, invalid) ?? assert.fail(), { field: 'ReturnURL' });
  });

  it('accepts a webhook that is signed with the old and the new secret, and ignores other objects', async () => {
    const charge = { object: 'charge', id: 'ch_1', payment_intent: 'pi_1' };
    const signed = server.webhook(charge, { secret: 'whsec_the_old_secret', nextSecret: server.secret });
    assert.equal((await provider.parseEvent(signed))?.payment, 'pi_1');
    assert.equal(await provider.parseEvent(server.webhook({ object: 'payout', id: 'po_1' })), undefined);
    const invoice = { object: 'invoice', id: 'in_1', parent: { subscription_details: { subscription: 'sub_1' } } };
    assert.equal((await provider.parseEvent(server.webhook(invoice)))?.subscription, 'sub_1');
    const renewed = server.webhook(
      { object: 'payment_method', id: 'pm_1' },
      { type: 'payment_method.updated', id: 'evt_1' },
    );
    const event = await provider.parseEvent(renewed);
    assert.deepEqual([event?.id, event?.type, event?.method], ['evt_1', 'payment_method.updated', 'pm_1']);
  });

  it('amounts are in the unit that the gateway wants for each currency', async () => {
    const sent = await requestOf();
    const unitsOf = async (amount: string, currency: string) => {
      await provider.charge({ ...sent, key: randomUUID(), money: { amount, currency } });
      return server.calls.findLast(({ path }) => PAYMENTS.test(path))?.form['amount'];
    };
    assert.equal(await unitsOf('12.5', 'USD'), '1250');
    assert.equal(await unitsOf('500', 'JPY'), '500');
    assert.equal(await unitsOf('500', 'ISK'), '50000');
    assert.equal(await unitsOf('1.23', 'KWD'), '1230');
    await assert.rejects(unitsOf('1.234', 'KWD'), { code: 'BAD_PARAMETER', field: 'Amount' });
    await assert.rejects(unitsOf('12.5', 'MGA'), { code: 'BAD_PARAMETER', field: 'Amount' });
  });
});
