import type Stripe from 'stripe';
import type {
  GatewayDispute,
  GatewayPayment,
  GatewayRefund,
  GatewaySubscription,
  Page,
  PaymentLookup,
  Period,
} from '../../../contracts/payment-provider.ts';
import { assertGatewayId, assertOnce, periodLimits } from '../../../contracts/payment-validation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { unavailableError } from './gateway-errors.ts';
import type { GatewayClient } from './gateway-client.ts';
import {
  disputeOf,
  idOf,
  isAttempted,
  KEY,
  paymentOf,
  refundOf,
  storedMethod,
  subscriptionOf,
} from './gateway-objects.ts';

/** Objects on one page of a list. */
const PAGE_OBJECTS = 100;
/** Most pages that a lookup reads: 100,000 payments of a day. */
const LOOKUP_PAGES_MAX = 1_000;
/** How far the clocks may differ, and how long after a request was sent it may be carried out, in seconds. */
const SKEW_SECONDS = 3_600;
const DELAY_SECONDS = 86_400;
/** Subscriptions that are looked up at the same time. */
const LOOKUPS_AT_ONCE = 8;

type Range = { readonly created: { readonly gte: number; readonly lt: number } };

/**
 * Reads and lists what the gateway has. Lists are consistent: unlike its search, they have what was created just now.
 */
export class GatewayLists {
  private readonly client: GatewayClient;

  constructor(client: GatewayClient) {
    this.client = client;
  }

  /** Returns a payment that a request has returned, with its charge. */
  paymentOf(intent: Stripe.PaymentIntent, subscription?: string): GatewayPayment {
    return paymentOf(intent, this.client.key, subscription);
  }

  readPayment(id: string): Promise<GatewayPayment> {
    return this.client.call((gateway) => this.retrieve(gateway, id), { field: 'Payment' });
  }

  /** Reads a payment within a request of the client. */
  async retrieve(gateway: Stripe, id: string): Promise<GatewayPayment> {
    const intent = await gateway.paymentIntents.retrieve(id, { expand: ['latest_charge'] });
    return this.withSubscription(gateway, intent);
  }

  async findPayment({ key, customer, from }: PaymentLookup): Promise<GatewayPayment | undefined> {
    assertOnce({ key });
    if (customer !== undefined) assertGatewayId('Customer', customer);
    const sent = Math.floor(Date.parse(from) / 1_000);
    if (Number.isNaN(sent)) throw bad('From', 'a date and time, ISO 8601');
    const range: Range = { created: { gte: sent - SKEW_SECONDS, lt: sent + DELAY_SECONDS } };
    const of = customer === undefined ? range : { customer, created: { gte: sent - SKEW_SECONDS } };
    const found = await this.find((gateway, page) => gateway.paymentIntents.list({ ...of, ...page }), key);
    // Read by its ID: a list may be of a moment before.
    return found && this.readPayment(found.id);
  }

  async findRefund({ key, payment }: { readonly key: string; readonly payment: string }) {
    assertOnce({ key });
    assertGatewayId('Payment', payment);
    const of = { payment_intent: payment };
    const found = await this.find((gateway, page) => gateway.refunds.list({ ...of, ...page }), key);
    return found && refundOf(found);
  }

  async findSubscription({ key, customer }: { readonly key: string; readonly customer: string }) {
    assertOnce({ key });
    assertGatewayId('Customer', customer);
    const of = { customer, status: 'all' } as const;
    const found = await this.find((gateway, page) => gateway.subscriptions.list({ ...of, ...page }), key);
    return found && (subscriptionOf(found) satisfies GatewaySubscription);
  }

  async findMethod({ key, customer }: { readonly key: string; readonly customer: string }) {
    assertOnce({ key });
    assertGatewayId('Customer', customer);
    const of = { customer, expand: ['data.payment_method'] };
    const found = await this.find((gateway, page) => gateway.setupIntents.list({ ...of, ...page }), key);
    const stored = found && storedMethod(found);
    return stored && 'id' in stored && stored.customer === customer ? stored : undefined;
  }

  payments(period: Period, after?: string): Promise<Page<GatewayPayment>> {
    return this.page(period, after, async (gateway, params) => {
      const page = await gateway.paymentIntents.list({ ...params, expand: ['data.latest_charge'] });
      const items: GatewayPayment[] = [];
      const attempted = page.data.filter(isAttempted);
      for (let at = 0; at < attempted.length; at += LOOKUPS_AT_ONCE) {
        const some = attempted.slice(at, at + LOOKUPS_AT_ONCE);
        items.push(...(await Promise.all(some.map((intent) => this.withSubscription(gateway, intent)))));
      }
      return { page, items };
    });
  }

  refunds(period: Period, after?: string): Promise<Page<GatewayRefund>> {
    return this.page(period, after, async (gateway, params) => {
      const page = await gateway.refunds.list(params);
      return { page, items: page.data.map(refundOf) };
    });
  }

  disputes(period: Period, after?: string): Promise<Page<GatewayDispute>> {
    return this.page(period, after, async (gateway, params) => {
      const page = await gateway.disputes.list(params);
      return { page, items: page.data.map(disputeOf) };
    });
  }

  /** Returns a payment with the subscription that it pays: the gateway creates such payments without our key. */
  private async withSubscription(gateway: Stripe, intent: Stripe.PaymentIntent): Promise<GatewayPayment> {
    if (intent.metadata[KEY] !== undefined || intent.customer === null) return this.paymentOf(intent);
    const { data } = await gateway.invoicePayments.list({
      payment: { type: 'payment_intent', payment_intent: intent.id },
      limit: 1,
      expand: ['data.invoice'],
    });
    const invoice = data[0]?.invoice;
    const parent = typeof invoice === 'object' && 'parent' in invoice ? invoice.parent : null;
    return this.paymentOf(intent, idOf(parent?.subscription_details?.subscription));
  }

  private async page<T, O extends { readonly id: string }>(
    period: Period,
    after: string | undefined,
    list: (
      gateway: Stripe,
      params: Range & { readonly limit: number; readonly starting_after?: string },
    ) => Promise<{ readonly page: Stripe.ApiList<O>; readonly items: readonly T[] }>,
  ): Promise<Page<T>> {
    const { from, to } = periodLimits(period);
    if (after !== undefined) assertGatewayId('After', after);
    const params = {
      // The gateway's times are whole seconds.
      created: { gte: Math.floor(from / 1_000), lt: Math.ceil(to / 1_000) },
      limit: PAGE_OBJECTS,
      ...(after === undefined ? {} : { starting_after: after }),
    };
    const { page, items } = await this.client.call((gateway) => list(gateway, params), { field: 'After' });
    const last = page.has_more ? page.data.at(-1) : undefined;
    return { items, ...(last ? { next: last.id } : {}) };
  }

  /**
   * Returns the object of a list that carries a key. Throws instead of giving up: “not found” must be certain.
   * @throws UNAVAILABLE
   */
  private async find<O extends { readonly id: string; readonly metadata: Stripe.Metadata | null }>(
    list: (
      gateway: Stripe,
      page: { readonly limit: number; readonly starting_after?: string },
    ) => Promise<Stripe.ApiList<O>>,
    key: string,
  ): Promise<O | undefined> {
    let after: string | undefined;
    for (let pages = 0; pages < LOOKUP_PAGES_MAX; pages++) {
      const page = { limit: PAGE_OBJECTS, ...(after === undefined ? {} : { starting_after: after }) };
      const { data, has_more: hasMore } = await this.client.call((gateway) => list(gateway, page), { field: 'Key' });
      const found = data.find(({ metadata }) => metadata?.[KEY] === key);
      after = data.at(-1)?.id;
      if (found || !hasMore || after === undefined) return found;
    }
    throw unavailableError(`it has more than ${LOOKUP_PAGES_MAX * PAGE_OBJECTS} objects to search.`);
  }
}
