// size: the requirements of a contract are one list
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type {
  CustomerDetails,
  Declined,
  GatewayPayment,
  Outcome,
  Page,
  PaymentEvent,
  PaymentProvider,
  PaymentRequest,
  VaultedMethod,
} from '../payment-provider.ts';
import type { SignedRequest } from '../signed-request.ts';

/** Options of a webhook that a peer signs. */
export interface WebhookOptions {
  /** By default the secret of the provider. */
  readonly secret?: string;
  /** How many seconds ago it was signed; negative for a time to come. */
  readonly secondsAgo?: number;
  /** Identifies the event; by default a new one. */
  readonly id?: string;
}

/** What a provider's test passes to the suite: the provider, and the gateway behind it. */
export interface PaymentPeer {
  readonly provider: PaymentProvider;
  /** Tokens of cards, by what becomes of them. */
  readonly tokens: {
    readonly approved: string;
    /** Can be stored; charges are declined as insufficient_funds. */
    readonly insufficientFunds: string;
    /** Cannot be stored. */
    readonly notStored: string;
    /** Charged, but no answer comes. */
    readonly lostAnswer: string;
    /** A bank account, whose payments are pending until {@link settle}. */
    readonly bank: string;
    readonly disputed: string;
    /** Stored, but no answer comes. */
    readonly lostStoring: string;
  };
  /** Returns the gateway's time, ISO 8601. */
  readonly now: () => string;
  /** Lets the gateway decide what is pending. */
  readonly settle: () => Promise<void>;
  /** Lets days pass at the gateway, and subscriptions charge. */
  readonly elapse: (days: number) => Promise<void>;
  /** Completes the gateway's own page: the customer enters the card of a token. */
  readonly completePage: (reference: string, token: string) => Promise<void>;
  /** Returns a webhook about an object, as the gateway would send it now. */
  readonly webhook: (
    about: Pick<PaymentEvent, 'payment' | 'refund' | 'subscription' | 'dispute' | 'method' | 'vaulting'>,
    options?: WebhookOptions,
  ) => SignedRequest;
}

/** One requirement: a sentence, and a function that throws if the provider does not meet it. */
export interface PaymentDemand {
  readonly title: string;
  readonly check: (peer: PaymentPeer) => Promise<void>;
}

const details: CustomerDetails = {
  name: 'Anna "Ä" Jansen',
  email: 'anna@customer.example',
  phone: '+1 202 555 0123',
  address: {
    line1: '12 Main St',
    line2: 'Apt 4',
    city: 'Springfield',
    state: 'IL',
    postalCode: '62701',
    country: 'US',
  },
};
const usd = (amount: string) => ({ amount, currency: 'USD' });
/** A number that is used for tests alone, and passes the check of card numbers. */
const CARD = '4242424242424242';

function result<T>(outcome: Outcome<T>): T {
  assert.equal(outcome.status, 'done', JSON.stringify(outcome));
  return (outcome as { result: T }).result;
}

async function newCustomer({ provider }: PaymentPeer): Promise<string> {
  return result(await provider.createCustomer(details, { key: randomUUID() }));
}

async function storedMethod({ provider }: PaymentPeer, customer: string, token: string): Promise<VaultedMethod> {
  const method = result(await provider.vault(customer, token, { key: randomUUID() }));
  assert.ok('id' in method, JSON.stringify(method));
  return method;
}

/** Returns a request of a payment by a new customer with a stored method. */
async function request(peer: PaymentPeer, token: string, amount = '12.50'): Promise<PaymentRequest> {
  const customer = await newCustomer(peer);
  const { id } = await storedMethod(peer, customer, token);
  return { key: randomUUID(), money: usd(amount), customer, method: { vaulted: id }, description: 'Fees of case 17' };
}

/** Returns all items of a list. */
async function all<T>(list: (after?: string) => Promise<Page<T>>): Promise<readonly T[]> {
  const items: T[] = [];
  let next: string | undefined;
  do {
    const page = await list(next);
    items.push(...page.items);
    ({ next } = page);
  } while (next !== undefined);
  return items;
}

/** Returns the payments of a customer within a minute of now. */
async function paymentsOf({ provider, now }: PaymentPeer, customer: string): Promise<readonly GatewayPayment[]> {
  const period = {
    from: new Date(Date.parse(now()) - 60_000).toISOString(),
    to: new Date(Date.parse(now()) + 60_000).toISOString(),
  };
  return (await all((after) => provider.payments(period, after))).filter((one) => one.customer === customer);
}

const customers: readonly PaymentDemand[] = [
  {
    title: 'creates a customer once for each key, changes and deletes it with its methods, which may be repeated',
    async check(peer) {
      const { provider, tokens } = peer;
      const key = randomUUID();
      const id = result(await provider.createCustomer(details, { key }));
      assert.equal(result(await provider.createCustomer(details, { key })), id);
      await provider.updateCustomer(id, { name: 'Anna Berg' });
      const method = await storedMethod(peer, id, tokens.approved);
      await provider.deleteCustomer(id);
      await provider.deleteCustomer(id);
      await assert.rejects(provider.updateCustomer(id, details), { code: 'NOT_FOUND' });
      await assert.rejects(provider.vault(id, tokens.approved, { key: randomUUID() }), { code: 'NOT_FOUND' });
      assert.equal((await provider.readMethod(method.id)).customer, undefined);
    },
  },
  {
    title: 'stores methods by their tokens, lists them without their numbers, and removes them',
    async check(peer) {
      const { provider, tokens } = peer;
      const customer = await newCustomer(peer);
      const once = { key: randomUUID(), address: details.address ?? assert.fail() };
      const card = result(await provider.vault(customer, tokens.approved, once));
      assert.ok('id' in card);
      const { id, ...rest } = card;
      assert.deepEqual(rest, { kind: 'card', brand: 'Visa', lastFour: '4242', expires: rest.expires, customer });
      assert.ok((rest.expires?.year ?? 0) > 2026);
      assert.deepEqual(result(await provider.vault(customer, tokens.approved, once)), card);
      const bank = await storedMethod(peer, customer, tokens.bank);
      assert.deepEqual([bank.kind, bank.lastFour, bank.expires], ['bank', '6789', undefined]);
      const listed = await provider.methods(customer);
      assert.deepEqual([...listed].map((one) => one.id).sort(), [id, bank.id].sort());
      assert.deepEqual(await provider.readMethod(id), card);
      await provider.removeMethod(id);
      await provider.removeMethod(id);
      assert.deepEqual(
        (await provider.methods(customer)).map((one) => one.id),
        [bank.id],
      );
      assert.equal((await provider.readMethod(id)).customer, undefined);
    },
  },
  {
    title: 'reports a card that cannot be stored as declined, every time',
    async check(peer) {
      const { provider, tokens } = peer;
      const customer = await newCustomer(peer);
      const once = { key: randomUUID() };
      for (let times = 0; times < 2; times++) {
        const { declined } = result(await provider.vault(customer, tokens.notStored, once)) as Declined;
        assert.equal(declined.code, 'card_declined');
        assert.match(declined.message, /^[^\p{Cc}]{1,300}$/u);
      }
      assert.deepEqual(await provider.methods(customer), []);
    },
  },
];

/** Starts the gateway's own page for a new customer, for an hour. */
async function startPage(peer: PaymentPeer) {
  const { provider, now } = peer;
  const customer = await newCustomer(peer);
  const request = {
    key: randomUUID(),
    returnUrl: 'https://cases.example/done?ID=1&State=x',
    cancelUrl: 'https://cases.example/back',
    expires: new Date(Date.parse(now()) + 3_600_000).toISOString(),
  };
  const { reference, url } = (await provider.startVaulting?.(customer, request)) ?? assert.fail();
  return { customer, request, reference, url };
}

const pages: readonly PaymentDemand[] = [
  {
    title: 'LED-11 stores a method on its own page, finds it by the page and by the key, and starts one page for a key',
    async check(peer) {
      const { provider, tokens, completePage } = peer;
      const { customer, request, reference, url } = await startPage(peer);
      assert.ok(URL.canParse(url), url);
      assert.equal((await provider.startVaulting?.(customer, request))?.reference, reference);
      assert.deepEqual(await provider.readVaulting?.(reference), { status: 'open', url });
      const by = { key: request.key, customer };
      assert.equal(await provider.findMethod(by), undefined);
      await completePage(reference, tokens.approved);
      const stored = await provider.readVaulting?.(reference);
      assert.ok(stored?.status === 'stored', JSON.stringify(stored));
      assert.deepEqual([stored.method.lastFour, stored.method.customer], ['4242', customer]);
      assert.deepEqual(await provider.methods(customer), [stored.method]);
      assert.deepEqual(await provider.findMethod(by), stored.method);
      // A page that was completed is not canceled any more.
      assert.deepEqual(await provider.cancelVaulting?.(reference), stored);
    },
  },
  {
    title: 'ends a page that is canceled or was not completed in time, and stores nothing on it',
    async check(peer) {
      const { provider, elapse } = peer;
      const [canceled, late] = [await startPage(peer), await startPage(peer)];
      for (let times = 0; times < 2; times++)
        assert.deepEqual(await provider.cancelVaulting?.(canceled.reference), { status: 'ended' });
      await elapse(1);
      assert.deepEqual(await provider.readVaulting?.(late.reference), { status: 'ended' });
      assert.deepEqual(await provider.methods(late.customer), []);
      await assert.rejects(provider.readVaulting?.('cs_unknown') ?? assert.fail(), { code: 'NOT_FOUND' });
    },
  },
  {
    title: 'LED-11 reports a method whose answer is lost as unknown, and finds it by its key until it is removed',
    async check(peer) {
      const { provider, tokens } = peer;
      const customer = await newCustomer(peer);
      const key = randomUUID();
      assert.equal((await provider.vault(customer, tokens.lostStoring, { key })).status, 'unknown');
      const found = await provider.findMethod({ key, customer });
      assert.deepEqual([found?.lastFour, found?.customer], ['4242', customer]);
      assert.equal(await provider.findMethod({ key: randomUUID(), customer }), undefined);
      assert.equal(await provider.findMethod({ key, customer: await newCustomer(peer) }), undefined);
      await provider.removeMethod(found?.id ?? '');
      assert.equal(await provider.findMethod({ key, customer }), undefined);
    },
  },
  {
    title: 'names its page in the webhook about it',
    async check(peer) {
      const { reference } = await startPage(peer);
      assert.equal((await peer.provider.parseEvent(peer.webhook({ vaulting: reference })))?.vaulting, reference);
    },
  },
];

const charges: readonly PaymentDemand[] = [
  {
    title: 'charges a stored card, and returns the same payment for a repeated key',
    async check(peer) {
      const { provider, tokens } = peer;
      const sent = await request(peer, tokens.approved);
      const { id, created, ...payment } = result(await provider.charge(sent));
      assert.deepEqual(payment, {
        key: sent.key,
        status: 'captured',
        money: usd('12.50'),
        captured: '12.50',
        refunded: '0',
        customer: sent.customer,
      });
      assert.ok(Math.abs(Date.parse(created) - Date.parse(peer.now())) < 60_000);
      assert.equal(result(await provider.charge(sent)).id, id);
      assert.equal((await provider.readPayment(id)).status, 'captured');
      assert.equal((await paymentsOf(peer, sent.customer ?? '')).length, 1);
      await assert.rejects(provider.charge({ ...sent, money: usd('12.51') }), { code: 'IDEMPOTENCY_MISMATCH' });
    },
  },
  {
    title: 'LED-11 makes one charge of ten requests with one key at once',
    async check(peer) {
      const { provider, tokens } = peer;
      const sent = await request(peer, tokens.approved);
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => provider.charge(sent)));
      const ids = outcomes.flatMap((outcome) => (outcome.status === 'done' ? [outcome.result.id] : []));
      assert.ok(ids.length > 0);
      assert.equal(new Set(ids).size, 1);
      assert.equal((await paymentsOf(peer, sent.customer ?? '')).length, 1);
    },
  },
  {
    title: 'charges a token once without a customer',
    async check({ provider, tokens, now }) {
      const from = now();
      const key = randomUUID();
      const sent = { key, money: usd('3'), method: { token: tokens.approved }, description: 'Copy of a record' };
      const payment = result(await provider.charge(sent));
      assert.deepEqual([payment.status, payment.captured, payment.customer], ['captured', '3.00', undefined]);
      assert.equal((await provider.findPayment({ key, from }))?.id, payment.id);
      assert.equal(await provider.findPayment({ key: randomUUID(), from }), undefined);
    },
  },
  {
    title: 'reports a declined charge as a result, with its code, every time',
    async check(peer) {
      const { provider, tokens } = peer;
      const sent = await request(peer, tokens.insufficientFunds);
      const first = result(await provider.charge(sent));
      assert.deepEqual([first.status, first.decline?.code, first.captured], ['declined', 'insufficient_funds', '0']);
      assert.match(first.decline?.message ?? '', /^[^\p{Cc}]{1,300}$/u);
      assert.equal(result(await provider.charge(sent)).id, first.id);
      const read = await provider.readPayment(first.id);
      assert.deepEqual([read.status, read.decline?.code], ['declined', 'insufficient_funds']);
      assert.equal((await paymentsOf(peer, sent.customer ?? '')).length, 1);
    },
  },
  {
    title: 'LED-11 reports a charge whose answer is lost as unknown, and finds it by its key',
    async check(peer) {
      const { provider, tokens } = peer;
      const from = peer.now();
      const sent = await request(peer, tokens.lostAnswer);
      const outcome = await provider.charge(sent);
      assert.equal(outcome.status, 'unknown', JSON.stringify(outcome));
      const { key, customer = '' } = sent;
      const found = await provider.findPayment({ key, customer, from });
      assert.deepEqual([found?.status, found?.captured, found?.key], ['captured', '12.50', key]);
      assert.equal(await provider.findPayment({ key: randomUUID(), customer, from }), undefined);
      assert.equal((await paymentsOf(peer, customer)).length, 1);
    },
  },
  {
    title: 'reports a payment of a bank account as pending until the bank has decided',
    async check(peer) {
      const { provider, tokens, settle } = peer;
      const sent = await request(peer, tokens.bank, '40');
      const { id, status, captured } = result(await provider.charge(sent));
      assert.deepEqual([status, captured], ['pending', '0']);
      await settle();
      const read = await provider.readPayment(id);
      assert.deepEqual([read.status, read.captured], ['captured', '40.00']);
    },
  },
  {
    title: 'charges currencies without minor units and with three digits exactly',
    async check(peer) {
      const { provider, tokens } = peer;
      const { customer, method, description } = await request(peer, tokens.approved);
      const pay = (amount: string, currency: string) =>
        provider.charge({
          key: randomUUID(),
          money: { amount, currency },
          method,
          description,
          ...(customer === undefined ? {} : { customer }),
        });
      const yen = result(await pay('500', 'JPY'));
      assert.deepEqual([yen.money, yen.captured], [{ amount: '500', currency: 'JPY' }, '500']);
      const dinars = result(await pay('1.230', 'KWD'));
      assert.deepEqual([dinars.money, dinars.captured], [{ amount: '1.230', currency: 'KWD' }, '1.230']);
      await assert.rejects(pay('500.5', 'JPY'), { code: 'BAD_PARAMETER', field: 'Amount' });
      await assert.rejects(pay('1.2345', 'KWD'), { code: 'BAD_PARAMETER', field: 'Amount' });
    },
  },
];

const reservations: readonly PaymentDemand[] = [
  {
    title: 'reserves an amount and takes a part of it once',
    async check(peer) {
      const { provider, tokens } = peer;
      const authorized = result(await provider.authorize(await request(peer, tokens.approved, '100')));
      assert.deepEqual([authorized.status, authorized.captured], ['authorized', '0']);
      const { id } = authorized;
      await assert.rejects(provider.capture(id, { key: randomUUID(), amount: '100.01' }), {
        code: 'BAD_PARAMETER',
        field: 'Amount',
      });
      const once = { key: randomUUID(), amount: '60.25' };
      for (let times = 0; times < 2; times++) {
        const captured = result(await provider.capture(id, once));
        assert.deepEqual([captured.status, captured.captured, captured.money], ['captured', '60.25', usd('100.00')]);
      }
      await assert.rejects(provider.capture(id, { key: randomUUID() }), { code: 'STATE_REFUSES' });
      await assert.rejects(provider.void(id, { key: randomUUID() }), { code: 'STATE_REFUSES' });
    },
  },
  {
    title: 'takes the whole reserved amount without an amount',
    async check(peer) {
      const { id } = result(await peer.provider.authorize(await request(peer, peer.tokens.approved, '7')));
      const captured = result(await peer.provider.capture(id, { key: randomUUID() }));
      assert.equal(captured.captured, '7.00');
    },
  },
  {
    title: 'releases a reserved amount, also twice, and then takes nothing',
    async check(peer) {
      const { provider, tokens } = peer;
      const { id } = result(await provider.authorize(await request(peer, tokens.approved)));
      for (let times = 0; times < 2; times++)
        assert.equal(result(await provider.void(id, { key: randomUUID() })).status, 'voided');
      await assert.rejects(provider.capture(id, { key: randomUUID() }), { code: 'STATE_REFUSES' });
      assert.deepEqual([(await provider.readPayment(id)).captured], ['0']);
    },
  },
  {
    title: 'pays back parts and the rest, never more, and once for each key',
    async check(peer) {
      const { provider, tokens, now } = peer;
      const from = now();
      const { id } = result(await provider.charge(await request(peer, tokens.approved, '50')));
      const once = { key: randomUUID(), amount: '20' };
      const first = result(await provider.refund(id, once));
      assert.deepEqual(
        [first.status, first.money, first.payment, first.key],
        ['succeeded', usd('20.00'), id, once.key],
      );
      assert.equal(result(await provider.refund(id, once)).id, first.id);
      assert.equal((await provider.readPayment(id)).refunded, '20.00');
      await assert.rejects(provider.refund(id, { key: randomUUID(), amount: '30.01' }), {
        code: 'BAD_PARAMETER',
        field: 'Amount',
      });
      const rest = result(await provider.refund(id, { key: randomUUID() }));
      assert.deepEqual(rest.money, usd('30.00'));
      const payment = await provider.readPayment(id);
      assert.deepEqual([payment.status, payment.captured, payment.refunded], ['captured', '50.00', '50.00']);
      await assert.rejects(provider.refund(id, { key: randomUUID() }), { code: 'STATE_REFUSES' });
      assert.equal((await provider.findRefund({ key: once.key, payment: id }))?.id, first.id);
      assert.equal(await provider.findRefund({ key: randomUUID(), payment: id }), undefined);
      assert.deepEqual(await provider.readRefund(first.id), first);
      const to = new Date(Date.parse(now()) + 60_000).toISOString();
      const listed = (await all((after) => provider.refunds({ from, to }, after))).filter((one) => one.payment === id);
      assert.deepEqual(listed.map((one) => one.id).sort(), [first.id, rest.id].sort());
    },
  },
  {
    title: 'does not pay back what was only reserved',
    async check(peer) {
      const { id } = result(await peer.provider.authorize(await request(peer, peer.tokens.approved)));
      await assert.rejects(peer.provider.refund(id, { key: randomUUID() }), { code: 'STATE_REFUSES' });
    },
  },
];

const lists: readonly PaymentDemand[] = [
  {
    title: 'lists the payments of a period page by page, each once',
    async check(peer) {
      const { provider, tokens, now } = peer;
      const from = now();
      const { key: _, ...sent } = await request(peer, tokens.approved);
      const made = await Promise.all(
        Array.from({ length: 120 }, () => provider.charge({ ...sent, key: randomUUID() }).then(result)),
      );
      const to = new Date(Date.parse(now()) + 60_000).toISOString();
      const listed = (await all((after) => provider.payments({ from, to }, after))).filter(
        (one) => one.customer === sent.customer,
      );
      assert.deepEqual(listed.map((one) => one.id).sort(), made.map((one) => one.id).sort());
      assert.ok(listed.every((one) => one.key !== undefined && one.captured === '12.50'));
      // Wherever they are in a list of several pages, they are found.
      for (const { id, key = '', customer = '' } of [...made.slice(0, 1), ...made.slice(-1)])
        assert.equal((await provider.findPayment({ key, customer, from }))?.id, id);
      const before = { from: '2020-01-01T00:00:00.000Z', to: '2020-02-01T00:00:00.000Z' };
      assert.deepEqual((await provider.payments(before)).items, []);
      await assert.rejects(provider.payments({ from: to, to: from }), { code: 'BAD_PARAMETER', field: 'To' });
    },
  },
  {
    title: 'LED-11 charges a subscription at each interval until it is canceled',
    async check(peer) {
      const { provider, tokens, now, elapse } = peer;
      const { customer = '', method } = await request(peer, tokens.approved);
      assert.ok('vaulted' in method);
      const from = now();
      const key = randomUUID();
      const sent = {
        key,
        money: usd('9'),
        customer,
        method: method.vaulted,
        every: 'month',
        description: 'Plan',
      } as const;
      const started = result(await provider.createSubscription(sent));
      assert.ok('id' in started);
      assert.deepEqual([started.status, started.key], ['active', key]);
      const days = (Date.parse(started.nextCharge ?? '') - Date.parse(from)) / 86_400_000;
      assert.ok(days > 27 && days < 32, String(days));
      assert.equal((result(await provider.createSubscription(sent)) as { id: string }).id, started.id);
      assert.equal((await provider.findSubscription({ key, customer }))?.id, started.id);
      await elapse(32);
      const payments = async () => {
        const to = new Date(Date.parse(now()) + 60_000).toISOString();
        const listed = await all((after) => provider.payments({ from, to }, after));
        return listed.filter((one) => one.subscription === started.id).map((one) => [one.captured, one.key]);
      };
      const two = [
        ['9.00', undefined],
        ['9.00', undefined],
      ];
      assert.deepEqual(await payments(), two);
      assert.equal((await provider.cancelSubscription(started.id)).status, 'canceled');
      assert.equal((await provider.cancelSubscription(started.id)).status, 'canceled');
      await elapse(40);
      assert.deepEqual(await payments(), two);
      const read = await provider.readSubscription(started.id);
      assert.deepEqual([read.status, read.nextCharge], ['canceled', undefined]);
    },
  },
  {
    title: 'does not start a subscription whose first charge is declined',
    async check(peer) {
      const { provider, tokens } = peer;
      const { customer = '', method, key } = await request(peer, tokens.insufficientFunds);
      assert.ok('vaulted' in method);
      const sent = {
        key,
        money: usd('9'),
        customer,
        method: method.vaulted,
        every: 'week',
        description: 'Plan',
      } as const;
      const { declined } = result(await provider.createSubscription(sent)) as Declined;
      assert.equal(declined.code, 'insufficient_funds');
      assert.equal(await provider.findSubscription({ key, customer }), undefined);
    },
  },
  {
    title: 'lists and reads disputes',
    async check(peer) {
      const { provider, tokens, now } = peer;
      const from = now();
      const { id } = result(await provider.charge(await request(peer, tokens.disputed, '80')));
      const to = new Date(Date.parse(now()) + 60_000).toISOString();
      const [dispute, ...others] = (await all((after) => provider.disputes({ from, to }, after))).filter(
        (one) => one.payment === id,
      );
      assert.ok(dispute);
      assert.equal(others.length, 0);
      assert.deepEqual([dispute.status, dispute.money, dispute.reason], ['open', usd('80.00'), 'fraudulent']);
      assert.deepEqual(await provider.readDispute(dispute.id), dispute);
    },
  },
];

const webhooks: readonly PaymentDemand[] = [
  {
    title: 'LED-11 parses signed webhooks, the same one to the same event',
    async check(peer) {
      const { provider, tokens, webhook } = peer;
      const payment = result(await provider.charge(await request(peer, tokens.approved)));
      const sent = webhook({ payment: payment.id });
      const event = await provider.parseEvent(sent);
      assert.equal(event?.payment, payment.id);
      assert.ok(event.id !== '' && event.type !== '' && !Number.isNaN(Date.parse(event.created)));
      assert.deepEqual(await provider.parseEvent(sent), event);
      const { id: refund } = result(await provider.refund(payment.id, { key: randomUUID() }));
      assert.equal((await provider.parseEvent(webhook({ refund })))?.refund, refund);
    },
  },
  {
    title: 'refuses webhooks that are forged, changed, old or from the future',
    async check({ provider, webhook }) {
      const about = { payment: 'pi_1' };
      const good = webhook(about);
      const forged: readonly SignedRequest[] = [
        webhook(about, { secret: `whsec_${Buffer.from('another secret of 32 characters!').toString('base64')}` }),
        webhook(about, { secondsAgo: 400 }),
        webhook(about, { secondsAgo: -400 }),
        { ...good, bytes: Buffer.concat([good.bytes, Buffer.from(' ')]) },
        { ...good, headers: {} },
        { ...good, bytes: Buffer.alloc(0) },
      ];
      for (const [at, request] of forged.entries())
        await assert.rejects(provider.parseEvent(request), { code: 'NO_PERMISSION' }, String(at));
      assert.equal((await provider.parseEvent(good))?.payment, 'pi_1');
    },
  },
];

const refusals: readonly PaymentDemand[] = [
  {
    title: 'LED-11 refuses what looks like a card number everywhere, and does not repeat it',
    async check(peer) {
      const { provider, tokens } = peer;
      const sent = await request(peer, tokens.approved);
      const { customer = '' } = sent;
      const key = randomUUID();
      const attempts: readonly (() => Promise<unknown>)[] = [
        () => provider.createCustomer({ name: `Anna ${CARD}` }, { key }),
        () => provider.createCustomer({ name: 'Anna' }, { key: CARD }),
        () => provider.updateCustomer(customer, { name: '4242 4242 4242 4242' }),
        () => provider.updateCustomer(customer, { name: 'Anna', phone: '4242 4242 4242 4242' }),
        () => provider.vault(customer, CARD, { key }),
        () => provider.vault(customer, '4242-4242-4242-4242', { key }),
        () => provider.vault(CARD, tokens.approved, { key }),
        () => provider.charge({ ...sent, key, method: { token: CARD } }),
        () => provider.charge({ ...sent, key, method: { vaulted: CARD } }),
        () => provider.charge({ ...sent, key, description: `Card ${CARD}` }),
        () => provider.authorize({ ...sent, key, customer: CARD }),
        () => provider.readPayment(CARD),
        () => provider.removeMethod(CARD),
      ];
      for (const [at, attempt] of attempts.entries())
        await assert.rejects(
          attempt,
          ({ code, message }: { code: string; message: string }) =>
            code === 'BAD_PARAMETER' && !/\d{4}.?\d{4}/.test(message),
          String(at),
        );
    },
  },
  {
    title: 'refuses invalid requests, naming the field, and unknown IDs',
    async check(peer) {
      const { provider, tokens } = peer;
      const sent = await request(peer, tokens.approved);
      const other = await newCustomer(peer);
      const invalid: readonly (readonly [field: string, change: Partial<PaymentRequest>])[] = [
        ['Amount', { money: usd('0') }],
        ['Amount', { money: usd('-1') }],
        ['Amount', { money: usd('1.234') }],
        ['Amount', { money: usd('1e3') }],
        ['Amount', { money: usd('') }],
        ['Currency', { money: { amount: '1', currency: 'usd' } }],
        ['Key', { key: 'a key with spaces' }],
        ['Key', { key: '' }],
        ['Description', { description: '' }],
        ['Description', { description: 'two\nlines' }],
        ['Method', { customer: other }],
      ];
      for (const [field, change] of invalid)
        await assert.rejects(
          provider.charge({ ...sent, key: randomUUID(), ...change }),
          { code: 'BAD_PARAMETER', field },
          JSON.stringify(change),
        );
      await assert.rejects(provider.readPayment('pi_unknown'), { code: 'NOT_FOUND' });
      await assert.rejects(provider.readRefund('re_unknown'), { code: 'NOT_FOUND' });
      await assert.rejects(provider.readDispute('du_unknown'), { code: 'NOT_FOUND' });
      await assert.rejects(provider.readMethod('pm_unknown'), { code: 'NOT_FOUND' });
      await assert.rejects(provider.readSubscription('sub_unknown'), { code: 'NOT_FOUND' });
      await assert.rejects(provider.refund('pi_unknown', { key: randomUUID() }), { code: 'NOT_FOUND' });
      assert.deepEqual(await paymentsOf(peer, sent.customer ?? ''), []);
      await provider.removeMethod('pm_unknown');
    },
  },
  {
    title: 'reports whether it can charge',
    check: ({ provider }) => provider.check(),
  },
];

/** Requirements of every provider of the contract. */
export const paymentProviderConformance: readonly PaymentDemand[] = [
  ...customers,
  ...pages,
  ...charges,
  ...reservations,
  ...lists,
  ...webhooks,
  ...refusals,
];
