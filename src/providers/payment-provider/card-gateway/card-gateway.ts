import type Stripe from 'stripe';
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
} from '../../../contracts/payment-validation.ts';
import type { SignedRequest } from '../../../contracts/signed-request.ts';
import { PlatformError, unlessMissing } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import type { OutboundRules } from '../../../kernel/security/outbound.ts';
import type { CardGatewayOptions } from './card-gateway-options.ts';
import { GatewayClient, idempotent, outcomeOf, unknown } from './gateway-client.ts';
import { parseGatewayEvent } from './gateway-event.ts';
import { GatewayLists } from './gateway-lists.ts';
import {
  addressParams,
  changedCustomerParams,
  customerParams,
  disputeOf,
  gatewayUnits,
  idOf,
  isPageUrl,
  KEY,
  methodOf,
  refundOf,
  storedMethod,
  subscriptionOf,
  vaultingOf,
} from './gateway-objects.ts';

/** Kinds of methods that are taken: cards and bank accounts. */
const METHOD_TYPES: Stripe.PaymentIntentCreateParams.AllowedPaymentMethodType[] = ['card', 'us_bank_account'];
/** Most stored methods of a customer that are listed. */
const METHODS_MAX = 100;

/** Charges cards and bank accounts by a gateway elsewhere. Payments carry our key, by which they are found again. */
export class CardGateway implements PaymentProvider {
  private readonly options: CardGatewayOptions;
  private readonly client: GatewayClient;
  private readonly lists: GatewayLists;

  constructor(options: CardGatewayOptions, rules: () => OutboundRules) {
    this.options = options;
    this.client = new GatewayClient(options, rules);
    this.lists = new GatewayLists(this.client);
  }

  async createCustomer(details: CustomerDetails, once: Once): Promise<Outcome<string>> {
    assertOnce(once);
    assertCustomer(details);
    const params = { ...customerParams(details), metadata: { [KEY]: once.key } };
    return this.client.outcome(async (gateway) => (await gateway.customers.create(params, idempotent(once))).id, {
      field: 'Customer',
      signal: once.signal,
    });
  }

  async updateCustomer(id: string, details: CustomerDetails): Promise<void> {
    assertGatewayId('Customer', id);
    assertCustomer(details);
    await this.client.call((gateway) => gateway.customers.update(id, changedCustomerParams(details)), {
      field: 'Customer',
    });
  }

  async deleteCustomer(id: string): Promise<void> {
    assertGatewayId('Customer', id);
    await this.client.call((gateway) => gateway.customers.del(id), { field: 'Customer' }).catch(unlessMissing);
  }

  async vault(
    customer: string,
    token: string,
    once: Once & { readonly address?: BillingAddress },
  ): Promise<Outcome<VaultedMethod | Declined>> {
    assertOnce(once);
    assertGatewayId('Customer', customer);
    assertGatewayId('Token', token);
    const { key, address, signal } = once;
    if (address) assertBillingAddress(address);
    const made = await this.methodOfToken(token, { ...once, customer });
    if ('declined' in made) return { status: 'done', result: made };
    const options = { field: 'Token', signal };
    const attempted = await this.client.attempt(async (gateway) => {
      const params: Stripe.SetupIntentCreateParams = {
        customer,
        payment_method: made.method,
        confirm: true,
        usage: 'off_session',
        allowed_payment_method_types: [...METHOD_TYPES],
        metadata: { [KEY]: key },
        expand: ['payment_method'],
        // The customer accepted the mandate on the page that made the token.
        ...(made.isBank ? { mandate_data: { customer_acceptance: { type: 'offline' } } } : {}),
      };
      return storedMethod(await gateway.setupIntents.create(params, idempotent(once)));
    }, options);
    if (attempted.kind === 'declined') return { status: 'done', result: { declined: attempted.decline } };
    const outcome = outcomeOf(attempted, options);
    if (!address || made.method !== token || outcome.status !== 'done' || !('id' in outcome.result)) return outcome;
    return this.billTo(outcome.result, address);
  }

  async startVaulting(
    customer: string,
    page: VaultingRequest,
  ): Promise<{ readonly reference: string; readonly url: string }> {
    assertOnce(page);
    assertGatewayId('Customer', customer);
    const metadata = { [KEY]: page.key };
    const session = await this.client.call(
      (gateway) =>
        gateway.checkout.sessions.create(
          {
            mode: 'setup',
            customer,
            allowed_payment_method_types: [...METHOD_TYPES],
            success_url: pageUrl('ReturnURL', page.returnUrl),
            cancel_url: pageUrl('CancelURL', page.cancelUrl),
            expires_at: Math.floor(Date.parse(page.expires) / 1_000),
            metadata,
            setup_intent_data: { metadata },
          },
          idempotent(page),
        ),
      { field: 'Customer', signal: page.signal },
    );
    return { reference: session.id, url: pageUrl('URL', session.url ?? '') };
  }

  async readVaulting(reference: string): Promise<GatewayVaulting> {
    assertGatewayId('Reference', reference);
    const session = await this.client.call(
      (gateway) => gateway.checkout.sessions.retrieve(reference, { expand: ['setup_intent.payment_method'] }),
      { field: 'Reference' },
    );
    return vaultingOf(session);
  }

  async cancelVaulting(reference: string): Promise<GatewayVaulting> {
    assertGatewayId('Reference', reference);
    try {
      await this.client.call((gateway) => gateway.checkout.sessions.expire(reference), { field: 'Reference' });
    } catch (error) {
      // The gateway refuses to end a page that has ended or was completed.
      if (!(error instanceof PlatformError) || error.code === 'UNAVAILABLE') throw error;
    }
    return this.readVaulting(reference);
  }

  findMethod(by: { readonly key: string; readonly customer: string }): Promise<VaultedMethod | undefined> {
    return this.lists.findMethod(by);
  }

  async methods(customer: string): Promise<readonly VaultedMethod[]> {
    assertGatewayId('Customer', customer);
    const { data } = await this.client.call(
      (gateway) => gateway.customers.listPaymentMethods(customer, { limit: METHODS_MAX }),
      { field: 'Customer' },
    );
    return data.flatMap((method) => methodOf(method) ?? []);
  }

  async readMethod(id: string): Promise<VaultedMethod> {
    assertGatewayId('Method', id);
    const field = 'Method';
    const method = methodOf(await this.client.call((gateway) => gateway.paymentMethods.retrieve(id), { field }));
    if (method) return method;
    throw new PlatformError('NOT_FOUND', {
      field,
      message: 'The payment method is neither a card nor a bank account.',
    });
  }

  async removeMethod(id: string): Promise<void> {
    assertGatewayId('Method', id);
    const field = 'Method';
    try {
      await this.client.call((gateway) => gateway.paymentMethods.detach(id), { field });
    } catch (error) {
      // The gateway refuses to remove a method that is removed already.
      if (!(error instanceof PlatformError) || error.code === 'UNAVAILABLE') throw error;
      const method = await this.readMethod(id).catch(unlessMissing);
      if (method?.customer !== undefined) throw error;
    }
  }

  authorize(request: PaymentRequest): Promise<Outcome<GatewayPayment>> {
    return this.pay(request, 'manual');
  }

  charge(request: PaymentRequest): Promise<Outcome<GatewayPayment>> {
    return this.pay(request, 'automatic');
  }

  async capture(id: string, once: Once & { readonly amount?: string }): Promise<Outcome<GatewayPayment>> {
    assertOnce(once);
    assertGatewayId('Payment', id);
    const { amount, signal } = once;
    const units = amount === undefined ? undefined : await this.unitsFor(id, amount);
    return this.client.outcome(
      async (gateway) =>
        this.lists.paymentOf(
          await gateway.paymentIntents.capture(
            id,
            { ...(units === undefined ? {} : { amount_to_capture: units }), expand: ['latest_charge'] },
            idempotent(once),
          ),
        ),
      { field: 'Payment', signal },
    );
  }

  async void(id: string, once: Once): Promise<Outcome<GatewayPayment>> {
    assertOnce(once);
    assertGatewayId('Payment', id);
    try {
      return await this.client.outcome(
        async (gateway) =>
          this.lists.paymentOf(
            await gateway.paymentIntents.cancel(id, { expand: ['latest_charge'] }, idempotent(once)),
          ),
        { field: 'Payment', signal: once.signal },
      );
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code !== 'STATE_REFUSES') throw error;
      const payment = await this.readPayment(id);
      if (payment.status !== 'voided') throw error;
      return { status: 'done', result: payment };
    }
  }

  async refund(id: string, once: Once & { readonly amount?: string }): Promise<Outcome<GatewayRefund>> {
    assertOnce(once);
    assertGatewayId('Payment', id);
    const { key, amount, signal } = once;
    const units = amount === undefined ? undefined : await this.unitsFor(id, amount);
    try {
      return await this.client.outcome(
        async (gateway) =>
          refundOf(
            await gateway.refunds.create(
              { payment_intent: id, ...(units === undefined ? {} : { amount: units }), metadata: { [KEY]: key } },
              idempotent(once),
            ),
          ),
        { field: 'Payment', signal },
      );
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'BAD_PARAMETER' && error.field !== 'Amount')
        await this.assertRefundable(id);
      throw error;
    }
  }

  async readPayment(id: string): Promise<GatewayPayment> {
    assertGatewayId('Payment', id);
    return this.lists.readPayment(id);
  }

  async readRefund(id: string): Promise<GatewayRefund> {
    assertGatewayId('Refund', id);
    return refundOf(await this.client.call((gateway) => gateway.refunds.retrieve(id), { field: 'Refund' }));
  }

  async readDispute(id: string): Promise<GatewayDispute> {
    assertGatewayId('Dispute', id);
    return disputeOf(await this.client.call((gateway) => gateway.disputes.retrieve(id), { field: 'Dispute' }));
  }

  findPayment(by: PaymentLookup): Promise<GatewayPayment | undefined> {
    return this.lists.findPayment(by);
  }

  findRefund(by: { readonly key: string; readonly payment: string }): Promise<GatewayRefund | undefined> {
    return this.lists.findRefund(by);
  }

  payments(period: Period, after?: string): Promise<Page<GatewayPayment>> {
    return this.lists.payments(period, after);
  }

  refunds(period: Period, after?: string): Promise<Page<GatewayRefund>> {
    return this.lists.refunds(period, after);
  }

  disputes(period: Period, after?: string): Promise<Page<GatewayDispute>> {
    return this.lists.disputes(period, after);
  }

  async createSubscription(request: SubscriptionRequest): Promise<Outcome<GatewaySubscription | Declined>> {
    assertSubscription(request);
    const { key, customer, method, money, every, description, signal } = request;
    const units = gatewayUnits(money);
    const options = { field: 'Subscription', signal };
    // What is charged has a name at the gateway. To create it twice would do no harm.
    const product = await this.client.call(
      (gateway) => gateway.products.create({ name: description }, idempotent({ key: `${key}-product` })),
      { field: 'Description', signal },
    );
    const attempted = await this.client.attempt(async (gateway) => {
      const params: Stripe.SubscriptionCreateParams = {
        customer,
        default_payment_method: method,
        items: [
          {
            price_data: {
              currency: money.currency.toLowerCase(),
              product: product.id,
              recurring: { interval: every },
              unit_amount: units,
            },
          },
        ],
        payment_behavior: 'error_if_incomplete',
        off_session: true,
        description,
        metadata: { [KEY]: key },
      };
      return subscriptionOf(await gateway.subscriptions.create(params, idempotent(request)));
    }, options);
    if (attempted.kind === 'declined') return { status: 'done', result: { declined: attempted.decline } };
    return outcomeOf(attempted, options);
  }

  async readSubscription(id: string): Promise<GatewaySubscription> {
    assertGatewayId('Subscription', id);
    const field = 'Subscription';
    return subscriptionOf(await this.client.call((gateway) => gateway.subscriptions.retrieve(id), { field }));
  }

  async cancelSubscription(id: string): Promise<GatewaySubscription> {
    assertGatewayId('Subscription', id);
    const field = 'Subscription';
    try {
      return subscriptionOf(await this.client.call((gateway) => gateway.subscriptions.cancel(id), { field }));
    } catch (error) {
      // The gateway does not cancel one that has ended already.
      if (!(error instanceof PlatformError) || error.code === 'UNAVAILABLE') throw error;
      const subscription = await this.readSubscription(id);
      if (subscription.status !== 'canceled') throw error;
      return subscription;
    }
  }

  findSubscription(by: { readonly key: string; readonly customer: string }): Promise<GatewaySubscription | undefined> {
    return this.lists.findSubscription(by);
  }

  async parseEvent(request: SignedRequest): Promise<PaymentEvent | undefined> {
    return parseGatewayEvent(await this.client.library(), this.options.WebhookSecret, request);
  }

  async check(): Promise<void> {
    await this.client.call((gateway) => gateway.paymentIntents.list({ limit: 1 }), { field: 'ApiKey' });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async pay(request: PaymentRequest, capture: 'automatic' | 'manual'): Promise<Outcome<GatewayPayment>> {
    assertPayment(request);
    const { key, customer, method, money, description, signal } = request;
    const units = gatewayUnits(money);
    const made = 'vaulted' in method ? { method: method.vaulted } : await this.methodOfToken(method.token, request);
    if ('declined' in made) throw bad('Token', `a token of a valid card: ${made.declined.message}`);
    const options = { field: 'Method', signal };
    const attempted = await this.client.attempt(async (gateway) => {
      const params: Stripe.PaymentIntentCreateParams = {
        amount: units,
        currency: money.currency.toLowerCase(),
        ...(customer === undefined ? {} : { customer }),
        payment_method: made.method,
        allowed_payment_method_types: [...METHOD_TYPES],
        capture_method: capture,
        confirm: true,
        // A bank that requires the customer's confirmation declines.
        ...('vaulted' in method ? { off_session: true } : { error_on_requires_action: true }),
        description,
        metadata: { [KEY]: key },
        expand: ['latest_charge'],
      };
      return this.lists.paymentOf(await gateway.paymentIntents.create(params, idempotent(request)));
    }, options);
    if (attempted.kind !== 'declined') return outcomeOf(attempted, options);
    const { payment, decline } = attempted;
    // Without its ID the payment is looked up like one whose answer was lost.
    if (payment === undefined) return unknown(decline.message);
    const read = await this.client.attempt((gateway) => this.lists.retrieve(gateway, payment), options);
    return read.kind === 'done' ? { status: 'done', result: { ...read.result, decline } } : unknown(decline.message);
  }

  /**
   * Returns the method of a token: some tokens are methods already. Creating one twice moves no money.
   */
  private async methodOfToken(
    token: string,
    { key, signal, address, customer: own }: Once & { readonly address?: BillingAddress; readonly customer?: string },
  ): Promise<{ readonly method: string; readonly isBank: boolean } | Declined> {
    const options = { field: 'Token', signal };
    const attempted = await this.client.attempt(async (gateway) => {
      if (!token.startsWith('tok_')) return gateway.paymentMethods.retrieve(token);
      const billing = address ? { billing_details: { address: addressParams(address) } } : {};
      const params: Stripe.PaymentMethodCreateParams = { type: 'card', card: { token }, ...billing };
      return gateway.paymentMethods.create(params, idempotent({ key: `${key}-method` }));
    }, options);
    if (attempted.kind === 'declined') return { declined: attempted.decline };
    if (attempted.kind === 'unknown') throw new PlatformError('UNAVAILABLE', { message: attempted.detail });
    if (attempted.kind === 'error') throw attempted.error;
    const { id, type, customer } = attempted.result;
    // The ID of a stored method is no token: whoever knows it must not charge it for another record.
    if (customer && idOf(customer) !== own) throw bad('Token', 'a token that was not used before');
    return { method: id, isBank: type === 'us_bank_account' };
  }

  /** Adds the address of a method that the gateway's form created without one. */
  private async billTo(stored: VaultedMethod, address: BillingAddress): Promise<Outcome<VaultedMethod>> {
    const params = { billing_details: { address: addressParams(address) } };
    const options = { field: 'Address' };
    const attempted = await this.client.attempt((gateway) => gateway.paymentMethods.update(stored.id, params), options);
    // The method is stored; a repeated request adds the address.
    if (attempted.kind !== 'done')
      return unknown('The card or bank account is stored, but its billing address is not yet.');
    return { status: 'done', result: stored };
  }

  /** Returns a part of a payment in the gateway's unit, which is that of its currency. */
  private async unitsFor(id: string, amount: string): Promise<number> {
    const { money } = await this.lists.readPayment(id);
    return gatewayUnits({ amount, currency: money.currency });
  }

  /** Throws why a payment cannot be refunded: the gateway's texts differ. */
  private async assertRefundable(id: string): Promise<void> {
    const { status, captured, refunded } = await this.lists.readPayment(id);
    if (status !== 'captured' || captured === refunded)
      throw new PlatformError('STATE_REFUSES', {
        field: 'Payment',
        message: `The gateway refuses: the payment is ${status === 'captured' ? 'already fully refunded' : status}.`,
      });
  }
}

function pageUrl(field: string, text: string): string {
  if (!isPageUrl(text)) throw bad(field, 'the URL of a page');
  return text;
}
