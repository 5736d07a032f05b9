import type Stripe from 'stripe';
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
  Money,
  PaymentStatus,
  VaultedMethod,
} from '../../../contracts/payment-provider.ts';
import { defined } from '../../../kernel/parameters/defined.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { declineOf } from './gateway-errors.ts';

/** The name under which objects carry the key of the request that created them. */
export const KEY = 'casewright_key';

/** Currencies whose amounts the gateway takes in another unit than ISO 4217's minor one, with its digits. */
const gatewayDigits: ReadonlyMap<string, number> = new Map([
  ['ISK', 2],
  ['UGX', 2],
  ['MGA', 0],
]);

/** Longest address of a page, in characters. */
const PAGE_URL_CHARACTERS_MAX = 2_000;

const brands: ReadonlyMap<string, string> = new Map([
  ['visa', 'Visa'],
  ['mastercard', 'Mastercard'],
  ['amex', 'American Express'],
  ['discover', 'Discover'],
  ['diners', 'Diners Club'],
  ['jcb', 'JCB'],
  ['unionpay', 'UnionPay'],
]);

/** Returns an amount in the gateway's unit. @throws BAD_PARAMETER */
export function gatewayUnits(money: Money): number {
  minorUnits(money);
  const units = minorUnits(money, digitsOf(money.currency));
  // The gateway takes amounts with three digits rounded to ten.
  if (digitsOf(money.currency) === 3 && units % 10 !== 0)
    throw bad('Amount', `an amount in ${money.currency} whose third decimal is 0: the gateway accepts two decimals`);
  return units;
}

/** Returns the ID of an object that is perhaps expanded. */
export function idOf(value: string | { readonly id: string } | null | undefined): string | undefined {
  return (typeof value === 'string' ? value : value?.id) ?? undefined;
}

/** Returns a payment. Its charge must be expanded; `subscription` is the one that it pays. */
export function paymentOf(intent: Stripe.PaymentIntent, key: string, subscription?: string): GatewayPayment {
  const currency = intent.currency.toUpperCase();
  const status = paymentStatus(intent);
  const charge = typeof intent.latest_charge === 'object' ? intent.latest_charge : null;
  const { [KEY]: ownKey } = intent.metadata;
  const customer = idOf(intent.customer);
  const error = intent.last_payment_error;
  return {
    id: intent.id,
    ...(ownKey === undefined ? {} : { key: ownKey }),
    status,
    money: moneyOf(intent.amount, currency),
    captured: amountOf(status === 'captured' ? intent.amount_received : 0, currency),
    refunded: amountOf(charge?.amount_refunded ?? 0, currency),
    ...(customer === undefined ? {} : { customer }),
    ...(subscription === undefined ? {} : { subscription }),
    ...(status === 'declined' && error ? { decline: declineOf(error, key) } : {}),
    created: isoOf(intent.created),
  };
}

/** Whether a payment was attempted: pages of the gateway create some that nobody has completed. */
export function isAttempted({ status, last_payment_error: error }: Stripe.PaymentIntent): boolean {
  return status !== 'requires_confirmation' && !(status === 'requires_payment_method' && error === null);
}

/** Returns a refund. */
export function refundOf(refund: Stripe.Refund): GatewayRefund {
  const { [KEY]: key } = refund.metadata ?? {};
  return {
    id: refund.id,
    ...(key === undefined ? {} : { key }),
    payment: idOf(refund.payment_intent) ?? idOf(refund.charge) ?? '',
    status: refundStatus(refund.status),
    money: moneyOf(refund.amount, refund.currency.toUpperCase()),
    created: isoOf(refund.created),
  };
}

/** Returns a dispute. */
export function disputeOf(dispute: Stripe.Dispute): GatewayDispute {
  const { due_by: dueBy } = dispute.evidence_details;
  return {
    id: dispute.id,
    payment: idOf(dispute.payment_intent) ?? idOf(dispute.charge) ?? '',
    status: disputeStatus(dispute.status),
    money: moneyOf(dispute.amount, dispute.currency.toUpperCase()),
    reason: dispute.reason,
    ...(dueBy === null ? {} : { respondBy: isoOf(dueBy) }),
    created: isoOf(dispute.created),
  };
}

/** Returns a subscription. */
export function subscriptionOf({ id, metadata, status, items }: Stripe.Subscription): GatewaySubscription {
  const { [KEY]: key } = metadata;
  const known = subscriptionStatus(status);
  const next = items.data[0]?.current_period_end;
  return {
    id,
    ...(key === undefined ? {} : { key }),
    status: known,
    ...(known === 'canceled' || next === undefined ? {} : { nextCharge: isoOf(next) }),
  };
}

/** Returns a stored method; undefined if it is neither a card nor a bank account. */
export function methodOf(method: Stripe.PaymentMethod): VaultedMethod | undefined {
  const { id, card, us_bank_account: bank } = method;
  const customer = idOf(method.customer);
  const rest = customer === undefined ? {} : { customer };
  if (card)
    return {
      id,
      kind: 'card',
      brand: brands.get(card.brand) ?? capitalized(card.brand),
      lastFour: card.last4,
      expires: { month: card.exp_month, year: card.exp_year },
      ...rest,
    };
  return bank ? { id, kind: 'bank', brand: bank.bank_name ?? 'Bank', lastFour: bank.last4 ?? '', ...rest } : undefined;
}

/** Returns what became of a page. A completed one whose bank account is still being verified is open, without a URL. */
export function vaultingOf({ status, url, setup_intent: intent }: Stripe.Checkout.Session): GatewayVaulting {
  const made = typeof intent === 'object' ? intent : null;
  const stored = made && storedMethod(made);
  if (stored && 'id' in stored) return { status: 'stored', method: stored };
  if (status === 'expired' || made?.status === 'canceled') return { status: 'ended' };
  return { status: 'open', ...(isPageUrl(url) && { url }) };
}

/** Whether a text is an address to which a browser may be sent. */
export function isPageUrl(text: string | null | undefined): text is string {
  if (typeof text !== 'string' || text.length > PAGE_URL_CHARACTERS_MAX || !URL.canParse(text)) return false;
  return ['https:', 'http:'].includes(new URL(text).protocol);
}

/** Returns the method that was stored; one that the customer must confirm is declined. */
export function storedMethod({ status, payment_method: method }: Stripe.SetupIntent): VaultedMethod | Declined {
  const stored = typeof method === 'object' && method ? methodOf(method) : undefined;
  if (status === 'succeeded' && stored) return stored;
  return {
    declined: { code: 'authentication_required', message: "The customer must confirm it on the gateway's page." },
  };
}

/** Returns the details of a new customer as the gateway takes them. */
export function customerParams({ name, email, phone, address }: CustomerDetails) {
  return defined({ name, email, phone, address: address && addressParams(address) });
}

/** Returns the details of a customer that is changed. What is absent is sent empty, which removes it there. */
export function changedCustomerParams({ name, email = '', phone = '', address }: CustomerDetails) {
  const empty = { line2: '', state: '' };
  return { name, email, phone, address: address ? { ...empty, ...addressParams(address) } : ('' as const) };
}

/** Returns an address as the gateway takes it. */
export function addressParams({ line1, line2, city, state, postalCode, country }: BillingAddress) {
  return defined({ line1, line2, city, state, postal_code: postalCode, country });
}

/** Returns a time of the gateway, in seconds, as ISO 8601. */
export function isoOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

function paymentStatus({ status }: Stripe.PaymentIntent): PaymentStatus {
  switch (status) {
    case 'succeeded':
      return 'captured';
    case 'requires_capture':
      return 'authorized';
    case 'canceled':
      return 'voided';
    case 'requires_payment_method':
      return 'declined';
    default:
      return 'pending';
  }
}

function refundStatus(status: string | null): GatewayRefund['status'] {
  if (status === 'succeeded') return 'succeeded';
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending';
}

function disputeStatus(status: string): GatewayDispute['status'] {
  if (status === 'won' || status === 'warning_closed' || status === 'prevented') return 'won';
  return status === 'lost' ? 'lost' : 'open';
}

function subscriptionStatus(status: string): GatewaySubscription['status'] {
  if (status === 'active' || status === 'trialing') return 'active';
  return status === 'canceled' || status === 'incomplete_expired' ? 'canceled' : 'late';
}

function digitsOf(currency: string): number {
  return gatewayDigits.get(currency) ?? currencyDigits(currency);
}

function amountOf(units: number, currency: string): string {
  return majorAmount(units, digitsOf(currency));
}

function moneyOf(units: number, currency: string): Money {
  return { amount: amountOf(units, currency), currency };
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`.slice(0, 100);
}
