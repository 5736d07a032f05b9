import { setTimeout as delay } from 'node:timers/promises';
import { currencyDigits, majorAmount, minorUnits } from '../../../contracts/payment-money.ts';
import type {
  BillingAddress,
  CustomerDetails,
  Declined,
  GatewayDispute,
  GatewayPayment,
  GatewayRefund,
  GatewaySubscription,
  GatewayVaulting,
  Once,
  Outcome,
  Page,
  PaymentEvent,
  PaymentLookup,
  PaymentProvider,
  PaymentRequest,
  Period,
  SubscriptionRequest,
  TestToken,
  UnknownOutcome,
  VaultedMethod,
  VaultingRequest,
} from '../../../contracts/payment-provider.ts';
import {
  assertBillingAddress,
  assertCustomer,
  assertGatewayId,
  assertOnce,
  assertPayment,
  assertSubscription,
  periodLimits,
} from '../../../contracts/payment-validation.ts';
import type { SignedRequest } from '../../../contracts/signed-request.ts';
import type { Db } from '../../../kernel/database/store.ts';
import { PlatformError, unlessMissing } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { verifiedId } from '../../../lib/http/signed-webhook.ts';
import { parseTestEvent } from './test-event.ts';
import {
  disputeAt,
  methodOf,
  paymentAt,
  refundAt,
  settledPayment,
  subscriptionOf,
  type PaymentState,
  type TestObject,
} from './test-objects.ts';
import type { TestGatewayOptions } from './test-options.ts';
import type { TestGatewayStore } from './test-store.ts';
import { chargeDueSubscriptions, startSubscription } from './test-subscriptions.ts';
import { cancelPage, completePage, findMethod, readPage, startPage } from './test-pages.ts';
import { behaviorOf, testTokens, type TestBehavior } from './test-tokens.ts';

const SETTLE_SECONDS = 60;
const SLOW_MILLISECONDS = 3_000;
const TOLERANCE_SECONDS = 300;

const NO_ANSWER: UnknownOutcome = { status: 'unknown', detail: 'The test gateway did not answer in time.' };

/**
 * Imitates a payment gateway, for trials and tests: no network, and no money moves. The token of a card decides what
 * becomes of its payments. What it stores is in the database, in transactions of its own.
 */
export class TestPaymentProvider implements PaymentProvider {
  private readonly store: TestGatewayStore;
  private readonly options: TestGatewayOptions;

  constructor(store: TestGatewayStore, options: TestGatewayOptions) {
    this.store = store;
    this.options = options;
  }

  async createCustomer(details: CustomerDetails, once: Once): Promise<Outcome<string>> {
    assertOnce(once);
    assertCustomer(details);
    const { answer } = await this.store.once(once.key, ['customer', details], (db) =>
      this.store.add(db, { kind: 'customer', key: once.key, state: details }),
    );
    return done(answer.id);
  }

  async updateCustomer(id: string, details: CustomerDetails): Promise<void> {
    assertGatewayId('Customer', id);
    assertCustomer(details);
    await this.store.transaction(async (db) => {
      const customer = await this.store.lock(db, 'customer', id);
      await this.store.update(db, customer, details);
    });
  }

  async deleteCustomer(id: string): Promise<void> {
    assertGatewayId('Customer', id);
    await this.store.transaction(async (db) => {
      for (const method of await this.store.children(db, 'method', id)) await this.detach(db, method);
      for (const subscription of await this.store.children(db, 'subscription', id))
        await this.store.update(db, subscription, { ...subscription.state, status: 'canceled' });
      await this.store.remove(db, 'customer', id);
    });
  }

  async vault(
    customer: string,
    token: string,
    once: Once & { readonly address?: BillingAddress },
  ): Promise<Outcome<VaultedMethod | Declined>> {
    assertOnce(once);
    assertGatewayId('Customer', customer);
    assertGatewayId('Token', token);
    if (once.address) assertBillingAddress(once.address);
    const { method, vaultDecline, lost } = behaviorOf(token);
    const request = ['vault', customer, token, once.address];
    const { answer, isNew } = await this.store.once<VaultedMethod | Declined>(once.key, request, async (db) => {
      await this.store.lock(db, 'customer', customer);
      if (vaultDecline) return { declined: vaultDecline };
      const made = await this.store.add(db, { kind: 'method', parent: customer, key: once.key, state: { token } });
      return methodOf(made, method);
    });
    return isNew && lost === 'answer of storing' ? NO_ANSWER : done(answer);
  }

  async startVaulting(
    customer: string,
    page: VaultingRequest,
  ): Promise<{ readonly reference: string; readonly url: string }> {
    assertOnce(page);
    assertGatewayId('Customer', customer);
    return startPage(this.store, customer, page);
  }

  async readVaulting(reference: string): Promise<GatewayVaulting> {
    assertGatewayId('Reference', reference);
    return readPage(this.store, reference);
  }

  async cancelVaulting(reference: string): Promise<GatewayVaulting> {
    assertGatewayId('Reference', reference);
    return cancelPage(this.store, reference);
  }

  async completeVaulting(reference: string, token: string | undefined): Promise<{ readonly url: string } | Declined> {
    assertGatewayId('Reference', reference);
    if (token !== undefined) assertGatewayId('Token', token);
    return completePage(this.store, reference, token);
  }

  async findMethod(by: { readonly key: string; readonly customer: string }): Promise<VaultedMethod | undefined> {
    assertOnce(by);
    assertGatewayId('Customer', by.customer);
    return findMethod(this.store, by);
  }

  async methods(customer: string): Promise<readonly VaultedMethod[]> {
    assertGatewayId('Customer', customer);
    await this.store.read(this.store.db, 'customer', customer);
    return (await this.store.children(this.store.db, 'method', customer)).map(vaultedMethod);
  }

  async readMethod(id: string): Promise<VaultedMethod> {
    assertGatewayId('Method', id);
    return vaultedMethod(await this.store.read(this.store.db, 'method', id));
  }

  async removeMethod(id: string): Promise<void> {
    assertGatewayId('Method', id);
    await this.store.transaction(async (db) => {
      const method = await this.store.lock(db, 'method', id).catch(unlessMissing);
      if (method) await this.detach(db, method);
    });
  }

  authorize(request: PaymentRequest): Promise<Outcome<GatewayPayment>> {
    return this.pay(request, 'authorized');
  }

  charge(request: PaymentRequest): Promise<Outcome<GatewayPayment>> {
    return this.pay(request, 'captured');
  }

  async capture(id: string, once: Once & { readonly amount?: string }): Promise<Outcome<GatewayPayment>> {
    return this.change(id, once, ['capture', id, once.amount], (state) => {
      const { status, units, currency } = state;
      if (status !== 'authorized') throw refusedState(`a payment that is ${status} cannot be captured`);
      const captured = once.amount === undefined ? units : minorUnits({ amount: once.amount, currency });
      if (captured > units) throw bad('Amount', `at most the authorized amount, ${amountText(state, units)}`);
      return { ...state, status: 'captured', captured };
    });
  }

  async void(id: string, once: Once): Promise<Outcome<GatewayPayment>> {
    return this.change(id, once, ['void', id], (state) => {
      if (state.status === 'voided') return state;
      if (state.status !== 'authorized') throw refusedState(`a payment that is ${state.status} cannot be voided`);
      return { ...state, status: 'voided' };
    });
  }

  async refund(id: string, once: Once & { readonly amount?: string }): Promise<Outcome<GatewayRefund>> {
    assertOnce(once);
    assertGatewayId('Payment', id);
    const { key, amount } = once;
    const { answer, isNew } = await this.store.once(key, ['refund', id, amount], async (db) => {
      const payment = await this.settled(db, id);
      const { state } = payment;
      const { status, captured, refunded, currency } = state;
      if (status !== 'captured') throw refusedState(`a payment that is ${status} cannot be refunded`);
      const rest = captured - refunded;
      if (rest === 0) throw refusedState('the payment is already fully refunded');
      const units = amount === undefined ? rest : minorUnits({ amount, currency });
      if (units > rest) throw bad('Amount', `at most ${amountText(state, rest)}, the amount not refunded yet`);
      const { refund: outcome } = behaviorOf(state.token);
      if (outcome !== 'failed') await this.store.update(db, payment, { ...state, refunded: refunded + units });
      const made = await this.store.add(db, {
        kind: 'refund',
        parent: id,
        key,
        state: {
          units,
          currency,
          status: outcome ?? 'succeeded',
          ...(outcome === 'pending' ? { settles: { at: this.later(), status: 'succeeded' as const } } : {}),
        },
      });
      return { made, isLost: behaviorOf(state.token).lost === 'answer of a refund' };
    });
    return isNew && answer.isLost ? NO_ANSWER : done(refundAt(answer.made, this.now()));
  }

  async readPayment(id: string): Promise<GatewayPayment> {
    assertGatewayId('Payment', id);
    return paymentAt(await this.store.read(this.store.db, 'payment', id), this.now());
  }

  async readRefund(id: string): Promise<GatewayRefund> {
    assertGatewayId('Refund', id);
    return refundAt(await this.store.read(this.store.db, 'refund', id), this.now());
  }

  async readDispute(id: string): Promise<GatewayDispute> {
    assertGatewayId('Dispute', id);
    return disputeAt(await this.store.read(this.store.db, 'dispute', id), this.now());
  }

  async findPayment({ key }: PaymentLookup): Promise<GatewayPayment | undefined> {
    assertOnce({ key });
    const found = await this.store.findByKey('payment', key);
    return found && paymentAt(found, this.now());
  }

  async findRefund({ key, payment }: { readonly key: string; readonly payment: string }) {
    assertOnce({ key });
    assertGatewayId('Payment', payment);
    const found = await this.store.findByKey('refund', key);
    return found?.parent === payment ? refundAt(found, this.now()) : undefined;
  }

  async payments(period: Period, after?: string): Promise<Page<GatewayPayment>> {
    await chargeDueSubscriptions(this.store);
    const { items, ...page } = await this.store.page('payment', periodLimits(period), after);
    return { ...page, items: items.map((one) => paymentAt(one, this.now())) };
  }

  async refunds(period: Period, after?: string): Promise<Page<GatewayRefund>> {
    const { items, ...page } = await this.store.page('refund', periodLimits(period), after);
    return { ...page, items: items.map((one) => refundAt(one, this.now())) };
  }

  async disputes(period: Period, after?: string): Promise<Page<GatewayDispute>> {
    const { items, ...page } = await this.store.page('dispute', periodLimits(period), after);
    return { ...page, items: items.map((one) => disputeAt(one, this.now())) };
  }

  async createSubscription(request: SubscriptionRequest): Promise<Outcome<GatewaySubscription | Declined>> {
    assertSubscription(request);
    return done(await startSubscription(this.store, request));
  }

  async readSubscription(id: string): Promise<GatewaySubscription> {
    assertGatewayId('Subscription', id);
    await chargeDueSubscriptions(this.store);
    return subscriptionOf(await this.store.read(this.store.db, 'subscription', id));
  }

  async cancelSubscription(id: string): Promise<GatewaySubscription> {
    assertGatewayId('Subscription', id);
    await chargeDueSubscriptions(this.store);
    return this.store.transaction(async (db) => {
      const subscription = await this.store.lock(db, 'subscription', id);
      const state = { ...subscription.state, status: 'canceled' as const };
      await this.store.update(db, subscription, state);
      return subscriptionOf({ ...subscription, state });
    });
  }

  async findSubscription({ key, customer }: { readonly key: string; readonly customer: string }) {
    assertOnce({ key });
    assertGatewayId('Customer', customer);
    const found = await this.store.findByKey('subscription', key);
    return found?.parent === customer ? this.readSubscription(found.id) : undefined;
  }

  async parseEvent(request: SignedRequest): Promise<PaymentEvent | undefined> {
    const { WebhookSecret: secret } = this.options;
    if (secret === undefined)
      throw new PlatformError('NO_PERMISSION', {
        message: 'The gateway has no webhook secret, so its webhooks cannot be verified.',
      });
    const id = verifiedId(secret, TOLERANCE_SECONDS, request);
    return Promise.resolve(parseTestEvent(id, request));
  }

  testTokens(): readonly TestToken[] {
    return testTokens;
  }

  async check(): Promise<void> {
    await this.store.db.query('select 1');
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private now(): string {
    return this.store.clock.now();
  }

  /** Returns when what is pending now is decided. */
  private later(): string {
    const { SettleSeconds: seconds = SETTLE_SECONDS } = this.options;
    return new Date(this.store.clock.milliseconds() + seconds * 1_000).toISOString();
  }

  private async pay(request: PaymentRequest, to: 'authorized' | 'captured'): Promise<Outcome<GatewayPayment>> {
    const units = assertPayment(request);
    const { key, customer, method, money, signal, description } = request;
    if (signal?.aborted)
      throw new PlatformError('UNAVAILABLE', { message: 'The request was stopped before it was sent.' });
    const behavior = await this.behaviorFor(method, customer);
    if (behavior.kind === 'bank' && to === 'authorized')
      throw bad('Method', 'a card: bank accounts cannot be authorized without being charged');
    if (behavior.lost === 'request') return NO_ANSWER;
    const content = [to, customer, method, money, description];
    const { answer, isNew } = await this.store.once(key, content, async (db) => {
      if (customer !== undefined) await this.store.read(db, 'customer', customer);
      const state = this.newPayment(behavior, { units, currency: money.currency }, to);
      const made = await this.store.add(db, { kind: 'payment', parent: customer, key, state });
      if (behavior.dispute) await this.dispute(db, made, behavior.dispute);
      return made;
    });
    if (isNew && behavior.lost === 'answer') return NO_ANSWER;
    if (isNew && behavior.isSlow && !(await isAnswered(signal))) return NO_ANSWER;
    return done(paymentAt(answer, this.now()));
  }

  private newPayment(
    { token, decline, pending }: TestBehavior,
    amount: { readonly units: number; readonly currency: string },
    to: 'authorized' | 'captured',
  ): PaymentState {
    const state = { ...amount, token, captured: 0, refunded: 0 };
    const later = { code: 'card_declined', message: 'The bank declined the payment.' };
    if (decline) return { ...state, status: 'declined', decline };
    if (pending === 'approved') return { ...state, status: 'pending', settles: { at: this.later(), status: to } };
    if (pending === 'declined')
      return { ...state, status: 'pending', settles: { at: this.later(), status: 'declined' }, decline: later };
    return { ...state, status: to, captured: to === 'captured' ? amount.units : 0 };
  }

  private async dispute(db: Db, payment: TestObject<'payment'>, ends: 'won' | 'lost'): Promise<void> {
    const { units, currency } = payment.state;
    await this.store.add(db, {
      kind: 'dispute',
      parent: payment.id,
      state: { units, currency, reason: 'fraudulent', status: 'open', settles: { at: this.later(), status: ends } },
    });
  }

  private async behaviorFor(method: PaymentRequest['method'], customer: string | undefined): Promise<TestBehavior> {
    if ('token' in method) return behaviorOf(method.token);
    const { parent, state } = await this.store.read(this.store.db, 'method', method.vaulted);
    if (parent === null || parent !== customer) throw bad('Method', 'a stored card or bank account of the customer');
    return behaviorOf(state.token);
  }

  /** Changes a payment once. */
  private async change(
    id: string,
    once: Once,
    request: unknown,
    apply: (state: PaymentState) => PaymentState,
  ): Promise<Outcome<GatewayPayment>> {
    assertOnce(once);
    assertGatewayId('Payment', id);
    const { answer } = await this.store.once(once.key, request, async (db) => {
      const payment = await this.settled(db, id);
      const state = apply(payment.state);
      await this.store.update(db, payment, state);
      return { ...payment, state };
    });
    return done(paymentAt(answer, this.now()));
  }

  /** Locks a payment and returns it as it is now. */
  private async settled(db: Db, id: string): Promise<TestObject<'payment'>> {
    const payment = await this.store.lock(db, 'payment', id);
    return { ...payment, state: settledPayment(payment.state, this.now()) };
  }

  private detach(db: Db, method: TestObject<'method'>): Promise<void> {
    return this.store.update(db, { ...method, parent: null }, method.state);
  }
}

function vaultedMethod(method: TestObject<'method'>): VaultedMethod {
  return methodOf(method, behaviorOf(method.state.token).method);
}

function done<T>(result: T): Outcome<T> {
  return { status: 'done', result };
}

function refusedState(why: string): PlatformError {
  return new PlatformError('STATE_REFUSES', { field: 'Payment', message: `The gateway refuses: ${why}.` });
}

function amountText({ currency }: PaymentState, units: number): string {
  return `${majorAmount(units, currencyDigits(currency))} ${currency}`;
}

/** Waits for a slow answer; returns false if the caller does not wait for it. */
function isAnswered(signal: AbortSignal | undefined): Promise<boolean> {
  return delay(SLOW_MILLISECONDS, undefined, signal ? { signal } : {}).then(
    () => true,
    () => false,
  );
}
