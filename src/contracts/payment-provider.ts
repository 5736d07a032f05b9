import type { ParameterFields } from '../kernel/declare/field-types.ts';
import { contract } from '../kernel/ports/providers.ts';
import type { ProviderType } from './provider-options.ts';
import type { SignedRequest } from './signed-request.ts';

/** An amount of money, exact. */
export interface Money {
  /** In decimal notation with at most the digits that the currency has, such as `12.50`. More than 0. */
  readonly amount: string;
  /** The code of ISO 4217 in capitals, such as USD. */
  readonly currency: string;
}

/** A postal address. */
export interface BillingAddress {
  readonly line1: string;
  readonly line2?: string;
  readonly city: string;
  readonly state?: string;
  readonly postalCode: string;
  /** The code of ISO 3166 with two letters, such as US. */
  readonly country: string;
}

/** A customer as a gateway stores it. */
export interface CustomerDetails {
  readonly name: string;
  readonly email?: string;
  readonly phone?: string;
  readonly address?: BillingAddress;
}

/** A card or bank account that a gateway stores. Its number stays with the gateway. */
export interface VaultedMethod {
  /** The gateway's ID. */
  readonly id: string;
  readonly kind: 'card' | 'bank';
  /** The brand of the card or the name of the bank, such as Visa. */
  readonly brand: string;
  readonly lastFour: string;
  /** The month and year until which a card is valid; absent for bank accounts. */
  readonly expires?: { readonly month: number; readonly year: number };
  /** The gateway's ID of the customer; absent once it was removed. */
  readonly customer?: string;
}

/** A token that a test gateway accepts in place of one that a gateway's form creates. */
export interface TestToken {
  readonly token: string;
  readonly kind: 'card' | 'bank';
  /** What it does, in a few words, such as `Card with insufficient funds`. */
  readonly label: string;
}

/** Identifies one request that may move money or create something. */
export interface Once {
  /**
   * The idempotency key: 1 to 200 letters, digits and hyphens; a UUID. A request with a key that the gateway already
   * has does nothing new and returns the first one's result. Gateways may forget keys after a day: a request whose
   * outcome is unknown is looked up, not repeated.
   */
  readonly key: string;
  readonly signal?: AbortSignal;
}

/**
 * Status of a payment at the gateway. `authorized`: the amount is reserved. `captured`: it was taken. `pending`: the
 * gateway has it and will decide later, as for bank accounts. `declined`: it never moves money. `voided`: the
 * reservation was released.
 */
export type PaymentStatus = 'authorized' | 'captured' | 'pending' | 'declined' | 'voided';

/** Why a bank or the gateway refused a card or an account. */
export interface Decline {
  /** The gateway's code, such as insufficient_funds. */
  readonly code: string;
  /** One line of at most 300 characters. */
  readonly message: string;
}

/** What was requested was declined, and nothing was created. */
export interface Declined {
  readonly declined: Decline;
}

/** A payment as a gateway reports it. */
export interface GatewayPayment {
  /** The gateway's ID: the transaction number. */
  readonly id: string;
  /** The key of the request that created it; absent for payments that were made elsewhere. */
  readonly key?: string;
  readonly status: PaymentStatus;
  /** The amount that was authorized. */
  readonly money: Money;
  /** The amount that was taken, `0` before it was. */
  readonly captured: string;
  /** The part of it that was paid back or is being paid back, `0` for none. */
  readonly refunded: string;
  /** The gateway's ID of the customer. */
  readonly customer?: string;
  /** The gateway's ID of the subscription that it pays. */
  readonly subscription?: string;
  /** Why it was declined. */
  readonly decline?: Decline;
  /** ISO 8601. */
  readonly created: string;
}

/** A refund as a gateway reports it. A failed one has paid nothing back. */
export interface GatewayRefund {
  readonly id: string;
  /** The key of the request that created it; absent for refunds that were made elsewhere. */
  readonly key?: string;
  /** The gateway's ID of the payment. */
  readonly payment: string;
  readonly status: 'succeeded' | 'pending' | 'failed';
  readonly money: Money;
  readonly created: string;
}

/** A subscription as a gateway reports it. `late`: a charge failed, and the gateway tries again. */
export interface GatewaySubscription {
  readonly id: string;
  /** The key of the request that created it; absent for subscriptions that were made elsewhere. */
  readonly key?: string;
  readonly status: 'active' | 'late' | 'canceled';
  /** When it is charged next, ISO 8601; absent after it was canceled. */
  readonly nextCharge?: string;
}

/** A customer's objection to a payment at its bank. */
export interface GatewayDispute {
  readonly id: string;
  /** The gateway's ID of the payment. */
  readonly payment: string;
  readonly status: 'open' | 'won' | 'lost';
  readonly money: Money;
  /** The gateway's code, such as fraudulent. */
  readonly reason: string;
  /** Until when evidence can be sent, ISO 8601. */
  readonly respondBy?: string;
  readonly created: string;
}

/**
 * The outcome of a request. `unknown`: it may have been carried out, because no answer came. The caller then asks with
 * {@link PaymentProvider.findPayment}, and never sends it under another key.
 */
export type Outcome<T> = { readonly status: 'done'; readonly result: T } | UnknownOutcome;

/** No answer came, or none that says what happened. */
export interface UnknownOutcome {
  readonly status: 'unknown';
  /** What prevented the answer: one line of at most 300 characters. */
  readonly detail: string;
}

/** How a gateway's own page for storing a method is started. */
export interface VaultingRequest extends Once {
  /** Where the customer's browser goes once the method is stored, and where if the customer cancels. */
  readonly returnUrl: string;
  readonly cancelUrl: string;
  /** When the page ends, ISO 8601: 30 minutes to 24 hours from now. */
  readonly expires: string;
}

/**
 * What became of a gateway's own page. `open`: the customer can still use it, at `url`; without `url`, the customer has
 * completed it and the gateway is still verifying the account. `ended`: it expired or was canceled, and stores nothing.
 */
export type GatewayVaulting =
  | { readonly status: 'open'; readonly url?: string }
  | { readonly status: 'stored'; readonly method: VaultedMethod }
  | { readonly status: 'ended' };

/** What a payment is made with and for. */
export interface PaymentRequest extends Once {
  readonly money: Money;
  /** The gateway's ID of the customer; absent for a one-time payment by somebody who is not stored. */
  readonly customer?: string;
  /** The gateway's ID of a stored method, or a token for a method that is used once and not stored. */
  readonly method: { readonly vaulted: string } | { readonly token: string };
  /** What the customer reads: at most 200 characters. */
  readonly description: string;
}

/** What a subscription charges, and how often. */
export interface SubscriptionRequest extends Once {
  readonly money: Money;
  readonly customer: string;
  /** The gateway's ID of a stored method of the customer. */
  readonly method: string;
  readonly every: 'week' | 'month' | 'year';
  /** What the customer reads: at most 200 characters. */
  readonly description: string;
}

/** Finds the payment that a request created. */
export interface PaymentLookup {
  readonly key: string;
  /** The customer of the request; absent if it had none. */
  readonly customer?: string;
  /** When the request was first sent, ISO 8601. */
  readonly from: string;
}

/** One page of a list, in an order that the gateway chooses. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Continues the list; absent on its last page. */
  readonly next?: string;
}

/** A period: from its beginning (included) to its end (not included), ISO 8601. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/**
 * One event that a gateway reports by webhook. Events may be repeated and may arrive in any order, so an event only
 * names what changed: whoever processes it reads the present state from the gateway.
 */
export interface PaymentEvent {
  /** Identifies the event. It is the same in each delivery. */
  readonly id: string;
  /** The gateway's name of the kind of event, at most 100 characters. */
  readonly type: string;
  /** ISO 8601. */
  readonly created: string;
  /** The gateway's ID of a payment that was created or changed, or whose refund or dispute changed. */
  readonly payment?: string;
  readonly refund?: string;
  readonly subscription?: string;
  readonly dispute?: string;
  /** The reference of a page for storing a method that was completed or has expired. */
  readonly vaulting?: string;
  /** A stored method that was added, that the gateway changed (a renewed card), or that was removed. */
  readonly method?: string;
}

/**
 * A payment gateway: the specification's IPaymentProvider. Providers are named in configuration; the first one is the
 * default. The gateway stores the details of cards and bank accounts; we keep its IDs, the brand and the last four
 * digits.
 *
 * A provider never repeats a request under another key and never guesses an unknown outcome. A decline is a result, not
 * an error. All methods throw:
 * - BAD_PARAMETER for a request that is invalid, or that the gateway refuses as such, naming the field. What looks like
 *   a card number is invalid everywhere, and is not repeated in the message.
 * - IDEMPOTENCY_MISMATCH for a key that the gateway has of a different request.
 * - NOT_FOUND for an ID that it does not have.
 * - STATE_REFUSES where the state does not allow it, as a capture of a voided payment.
 * - UNAVAILABLE if nothing was sent, or it was certainly not carried out. Methods without an outcome can be repeated:
 *   they throw it also if no answer came.
 *
 * @example
 * const money = { amount: '12.50', currency: 'USD' };
 * const outcome = await provider.charge({ key, money, customer, method: { vaulted }, description });
 * if (outcome.status === 'unknown') ask later with provider.findPayment({ key, customer, from })
 */
export interface PaymentProvider {
  /** Creates a customer. Returns the gateway's ID. */
  createCustomer(details: CustomerDetails, once: Once): Promise<Outcome<string>>;
  /** Replaces the details of a customer. */
  updateCustomer(id: string, details: CustomerDetails): Promise<void>;
  /** Deletes a customer with its stored methods. One that does not exist is deleted already. */
  deleteCustomer(id: string): Promise<void>;

  /**
   * Stores the card or bank account of a token from the gateway's own form, with its billing address, so that numbers
   * never reach us. A refused card is `declined`.
   */
  vault(
    customer: string,
    token: string,
    once: Once & { readonly address?: BillingAddress },
  ): Promise<Outcome<VaultedMethod | Declined>>;
  /**
   * Starts the gateway's own page for storing a method. The customer's browser goes to `url` and comes back to
   * `returnUrl`. Undefined if the gateway has no such page.
   */
  startVaulting?(
    customer: string,
    page: VaultingRequest,
  ): Promise<{ readonly reference: string; readonly url: string }>;
  /** Returns what became of that page. */
  readVaulting?(reference: string): Promise<GatewayVaulting>;
  /** Ends that page. Returns what became of it: the customer may have stored a method before. */
  cancelVaulting?(reference: string): Promise<GatewayVaulting>;
  /**
   * Returns the method that a request with this key, or the page that it started, has stored; undefined if there is
   * none. The answer is consistent.
   */
  findMethod(by: { readonly key: string; readonly customer: string }): Promise<VaultedMethod | undefined>;
  /** Lists the stored methods of a customer. */
  methods(customer: string): Promise<readonly VaultedMethod[]>;
  /** Returns a method as it is now. */
  readMethod(id: string): Promise<VaultedMethod>;
  /** Removes a stored method. One that does not exist is removed already. */
  removeMethod(id: string): Promise<void>;

  /** Reserves an amount, to be captured or voided later. */
  authorize(request: PaymentRequest): Promise<Outcome<GatewayPayment>>;
  /** Takes an authorized amount, or a part of it; the rest is released. */
  capture(id: string, once: Once & { readonly amount?: string }): Promise<Outcome<GatewayPayment>>;
  /** Releases an authorized amount. One that is voided already stays so. */
  void(id: string, once: Once): Promise<Outcome<GatewayPayment>>;
  /** Authorizes and captures at once. */
  charge(request: PaymentRequest): Promise<Outcome<GatewayPayment>>;
  /** Pays back a captured payment, or a part of it. */
  refund(id: string, once: Once & { readonly amount?: string }): Promise<Outcome<GatewayRefund>>;

  /** Returns a payment as it is now. */
  readPayment(id: string): Promise<GatewayPayment>;
  /** Returns a refund as it is now. */
  readRefund(id: string): Promise<GatewayRefund>;
  /** Returns a dispute as it is now. */
  readDispute(id: string): Promise<GatewayDispute>;
  /**
   * Returns the payment that a request with this key created, undefined if there is none. The answer is consistent: a
   * payment that the gateway has carried out is found.
   */
  findPayment(by: PaymentLookup): Promise<GatewayPayment | undefined>;
  /** Returns the refund of a payment that a request with this key created. */
  findRefund(by: { readonly key: string; readonly payment: string }): Promise<GatewayRefund | undefined>;
  /** Lists payments that were created in a period. */
  payments(period: Period, after?: string): Promise<Page<GatewayPayment>>;
  /** Lists refunds that were created in a period. */
  refunds(period: Period, after?: string): Promise<Page<GatewayRefund>>;
  /** Lists disputes that were created in a period. */
  disputes(period: Period, after?: string): Promise<Page<GatewayDispute>>;

  /** Starts a subscription: the gateway charges the method now and then at each interval. */
  createSubscription(request: SubscriptionRequest): Promise<Outcome<GatewaySubscription | Declined>>;
  /** Returns a subscription as it is now. */
  readSubscription(id: string): Promise<GatewaySubscription>;
  /** Ends a subscription at once. One that has ended stays so. */
  cancelSubscription(id: string): Promise<GatewaySubscription>;
  /** Returns the subscription that a request with this key created. */
  findSubscription(by: { readonly key: string; readonly customer: string }): Promise<GatewaySubscription | undefined>;

  /**
   * Parses a webhook. Undefined for an event that says nothing about the objects above.
   * @throws NO_PERMISSION unless it is signed, within the clock tolerance; BAD_PARAMETER
   */
  parseEvent(request: SignedRequest): Promise<PaymentEvent | undefined>;
  /** Tokens that make the gateway behave in a certain way. Only test gateways have them. */
  testTokens?(): readonly TestToken[];
  /**
   * Completes a page for storing a method as its customer would: with a token, or by canceling it. Returns where the
   * customer's browser goes next. Only test gateways have it.
   */
  completeVaulting?(reference: string, token: string | undefined): Promise<{ readonly url: string } | Declined>;
  /**
   * Checks that the gateway accepts the credentials now; changes nothing.
   * @throws UNAVAILABLE with the reason
   */
  check(): Promise<void>;
  /** Closes connections once pending work has ended. */
  close(): Promise<void>;
}

/** A type of saved payment gateway. */
export type PaymentProviderType<O extends ParameterFields = ParameterFields> = ProviderType<PaymentProvider, O>;

/** Saved payment gateways by name; the first is the default. */
export const PAYMENT_PROVIDER = contract<PaymentProvider>('payment-provider');

/** Types of saved payment gateways. */
export const PAYMENT_PROVIDER_TYPE = contract<PaymentProviderType>('payment-provider-type');
