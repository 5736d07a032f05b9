import { currencyDigits, majorAmount } from '../../../contracts/payment-money.ts';
import type {
  CustomerDetails,
  Decline,
  GatewayDispute,
  GatewayPayment,
  GatewayRefund,
  GatewaySubscription,
  PaymentStatus,
  SubscriptionRequest,
  VaultedMethod,
  VaultingRequest,
} from '../../../contracts/payment-provider.ts';

/** What a test gateway stores, by kind. Amounts are in minor units. */
export interface TestStates {
  readonly customer: CustomerDetails;
  readonly method: { readonly token: string };
  readonly vaulting: VaultingState;
  readonly payment: PaymentState;
  readonly refund: Amount & Settling<GatewayRefund['status']>;
  readonly subscription: SubscriptionState;
  readonly dispute: Amount & Settling<GatewayDispute['status']> & { readonly reason: string };
}

export type TestKind = keyof TestStates;

interface Amount {
  readonly units: number;
  readonly currency: string;
}

/** A status, and the one that it has from a later time on. */
interface Settling<S extends string> {
  readonly status: S;
  readonly settles?: { readonly at: string; readonly status: S };
}

export interface PaymentState extends Amount, Settling<PaymentStatus> {
  readonly token: string;
  readonly captured: number;
  readonly refunded: number;
  readonly decline?: Decline;
  readonly subscription?: string;
}

/** A page for storing a method. */
export interface VaultingState extends Pick<VaultingRequest, 'returnUrl' | 'cancelUrl' | 'expires'> {
  readonly isCanceled?: true;
}

export interface SubscriptionState extends Amount, Pick<SubscriptionRequest, 'method' | 'every'> {
  readonly status: GatewaySubscription['status'];
  readonly next: string;
  /** When it began, and how many times it has charged. */
  readonly began: string;
  readonly charges: number;
}

/** An object as stored. */
export interface TestObject<K extends TestKind = TestKind> {
  readonly id: string;
  readonly kind: K;
  readonly parent: string | null;
  readonly key: string | null;
  readonly created: string;
  readonly state: TestStates[K];
}

/** Returns a payment as it is at a time. */
export function paymentAt({ id, key, parent, created, state }: TestObject<'payment'>, now: string): GatewayPayment {
  const { currency, units, refunded, subscription, decline } = state;
  const status = statusAt(state, now);
  const captured = status === 'captured' && state.status === 'pending' ? units : state.captured;
  return {
    id,
    ...(key === null ? {} : { key }),
    status,
    money: { amount: amountOf(units, currency), currency },
    captured: amountOf(captured, currency),
    refunded: amountOf(refunded, currency),
    ...(parent === null ? {} : { customer: parent }),
    ...(subscription === undefined ? {} : { subscription }),
    ...(status === 'declined' && decline ? { decline } : {}),
    created,
  };
}

/** Returns how a payment is stored once its status is final at a time. */
export function settledPayment(state: PaymentState, now: string): PaymentState {
  const { settles, ...rest } = state;
  const status = statusAt(state, now);
  if (status === state.status) return state;
  return { ...rest, status, captured: status === 'captured' ? state.units : 0 };
}

/** Returns a refund as it is at a time. */
export function refundAt({ id, key, parent, created, state }: TestObject<'refund'>, now: string): GatewayRefund {
  return {
    id,
    ...(key === null ? {} : { key }),
    payment: parent ?? '',
    status: statusAt(state, now),
    money: { amount: amountOf(state.units, state.currency), currency: state.currency },
    created,
  };
}

/** Returns a dispute as it is at a time. */
export function disputeAt({ id, parent, created, state }: TestObject<'dispute'>, now: string): GatewayDispute {
  const { units, currency, reason, settles } = state;
  return {
    id,
    payment: parent ?? '',
    status: statusAt(state, now),
    money: { amount: amountOf(units, currency), currency },
    reason,
    ...(settles ? { respondBy: settles.at } : {}),
    created,
  };
}

/** Returns a subscription as the contract has it. */
export function subscriptionOf({ id, key, state }: TestObject<'subscription'>): GatewaySubscription {
  const { status, next } = state;
  return { id, ...(key === null ? {} : { key }), status, ...(status === 'canceled' ? {} : { nextCharge: next }) };
}

/** Returns a stored method. */
export function methodOf(
  { id, parent }: TestObject<'method'>,
  method: Pick<VaultedMethod, 'kind' | 'brand' | 'lastFour' | 'expires'>,
): VaultedMethod {
  return { id, ...method, ...(parent === null ? {} : { customer: parent }) };
}

/** Returns when a subscription charges next: whole months keep the day on which it began, or the month's last one. */
export function nextCharge({ began, every }: Pick<SubscriptionState, 'began' | 'every'>, charges: number): string {
  const date = new Date(began);
  if (every === 'week') date.setUTCDate(date.getUTCDate() + 7 * charges);
  else {
    const day = date.getUTCDate();
    date.setUTCDate(1);
    date.setUTCMonth(date.getUTCMonth() + charges * (every === 'year' ? 12 : 1));
    const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
    date.setUTCDate(Math.min(day, last));
  }
  return date.toISOString();
}

function statusAt<S extends string>({ status, settles }: Settling<S>, now: string): S {
  return settles && settles.at <= now ? settles.status : status;
}

function amountOf(units: number, currency: string): string {
  return majorAmount(units, currencyDigits(currency));
}
