import { currencyDigits } from '../../../contracts/payment-money.ts';
import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge, type Tone } from '../design/badge.ts';
import { noValue } from '../display-values.ts';
import { groupDigits, withCents } from '../shared/amounts.ts';

/** A payment. */
export type PaymentRow = RowNamed<'Payment'>;

/** What people read for the status of a payment, refund, subscription or dispute, and what it means. */
interface StateWords {
  readonly word: string;
  readonly tone: Tone;
  /** One sentence. */
  readonly meaning: string;
}

const UNKNOWN_MEANING =
  'The gateway did not answer. Casewright checks with it until the outcome is known. Do not repeat it.';

const payments: Readonly<Record<string, StateWords>> = {
  Requested: { word: 'Sending', tone: 'accent', meaning: 'The payment is being sent to the gateway.' },
  Authorized: {
    word: 'Authorized',
    tone: 'accent',
    meaning: 'The amount is held on the card. Capture it to collect the money, or void it to release the hold.',
  },
  Captured: { word: 'Paid', tone: 'ok', meaning: 'The amount was collected.' },
  Pending: { word: 'Processing', tone: 'accent', meaning: 'Waiting for the bank. The status updates by itself.' },
  Declined: { word: 'Declined', tone: 'danger', meaning: 'The bank declined it. No money moved.' },
  Voided: { word: 'Voided', tone: 'neutral', meaning: 'The hold was released. No money moved.' },
  Unknown: { word: 'Outcome unknown', tone: 'warn', meaning: UNKNOWN_MEANING },
  NotCarriedOut: {
    word: 'Not charged',
    tone: 'neutral',
    meaning: 'The gateway has no record of it. No money moved, and you can charge again.',
  },
};

const refunds: Readonly<Record<string, StateWords>> = {
  Requested: { word: 'Sending', tone: 'accent', meaning: 'The refund is being sent to the gateway.' },
  Succeeded: { word: 'Refunded', tone: 'ok', meaning: 'The amount was refunded.' },
  Pending: { word: 'Processing', tone: 'accent', meaning: 'The gateway has accepted it and will pay it later.' },
  Failed: { word: 'Failed', tone: 'danger', meaning: 'Nothing was refunded.' },
  Unknown: { word: 'Outcome unknown', tone: 'warn', meaning: UNKNOWN_MEANING },
  NotCarriedOut: { word: 'Not refunded', tone: 'neutral', meaning: 'Nothing was refunded.' },
};

const subscriptions: Readonly<Record<string, StateWords>> = {
  Requested: { word: 'Sending', tone: 'accent', meaning: 'The subscription is being sent to the gateway.' },
  Active: { word: 'Active', tone: 'ok', meaning: 'The gateway charges it at each interval.' },
  Late: { word: 'Past due', tone: 'danger', meaning: 'A payment failed. The gateway will try again.' },
  Canceled: { word: 'Canceled', tone: 'neutral', meaning: 'It is no longer charged.' },
  Unknown: { word: 'Outcome unknown', tone: 'warn', meaning: UNKNOWN_MEANING },
};

const disputes: Readonly<Record<string, StateWords>> = {
  Open: { word: 'Needs a response', tone: 'warn', meaning: 'Send evidence to the gateway before the date.' },
  Won: { word: 'Won', tone: 'ok', meaning: 'You keep the payment.' },
  Lost: { word: 'Lost', tone: 'danger', meaning: 'The amount was returned to the customer.' },
};

const kinds = { payment: payments, refund: refunds, subscription: subscriptions, dispute: disputes } as const;

/** Returns what people read for a status. */
export function stateWords(kind: keyof typeof kinds, status: string | null): StateWords {
  return kinds[kind][status ?? ''] ?? { word: status ?? 'None', tone: 'neutral', meaning: '' };
}

/** Renders a status in plain words. */
export function stateBadge(kind: keyof typeof kinds, status: string | null): Markup {
  const { word, tone } = stateWords(kind, status);
  return badge(word, tone);
}

/** A payment's disputes, as its status needs them. */
type Disputes = readonly Pick<RowNamed<'PaymentDispute'>, 'Status'>[];

/** Renders the status of a payment: what became of it later, a dispute or a refund, replaces that it was paid. */
export function paymentBadge(row: PaymentRow, disputes: Disputes): Markup {
  if (row.Status !== 'Captured') return stateBadge('payment', row.Status);
  if (disputes.some(({ Status }) => Status === 'Open')) return badge('Disputed', 'warn');
  if (disputes.some(({ Status }) => Status === 'Lost')) return badge('Dispute lost', 'danger');
  const refunded = Number(row.RefundedAmount ?? 0);
  if (refunded <= 0) return stateBadge('payment', row.Status);
  return badge(refunded < Number(row.CapturedAmount ?? 0) ? 'Partly refunded' : 'Refunded');
}

/** Returns the reason of a decline or dispute as a sentence: "Insufficient funds" for `insufficient_funds`. */
export function reasonWords(code: string): string {
  const words = code.replaceAll('_', ' ').replace(/\bcvc\b/, 'CVC');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** Returns an amount with the digits of its currency, without the currency, for fields: "1250.00", "1250" of yen. */
export function moneyInput(amount: string | number | null, currency: string | null): string {
  return withCents(String(amount ?? '0'), currencyDigits(currency ?? 'USD'));
}

/** Returns an amount with its currency, such as "$1,250.00", "12.50 EUR" or "1,250 JPY". */
export function moneyWords(amount: string | number | null, currency: string | null): string {
  const text = groupDigits(moneyInput(amount, currency));
  return currency === null || currency === 'USD' ? `$${text}` : `${text} ${currency}`;
}

/** Renders an amount with its currency; a dash without one. */
export function moneyMark(amount: string | number | null, currency: string | null): Markup {
  return amount === null ? noValue : html`<span class="number nowrap">${moneyWords(amount, currency)}</span>`;
}

/** Returns the amount to show for a payment: what was captured, otherwise what was requested. */
export function shownAmount({ Status, Amount, CapturedAmount }: PaymentRow): string | null {
  return Status === 'Captured' ? CapturedAmount : Amount;
}

/** What a payment was requested for, in words. */
const purposes: Readonly<Record<string, string>> = {
  AuthorizeAndCapture: 'Ledger balance',
  Authorize: 'Authorization',
  Charge: 'One-time payment',
  Subscription: 'Subscription',
};

/** Returns what a payment was requested for. */
export function purposeWords({ Purpose }: Pick<PaymentRow, 'Purpose'>): string {
  return purposes[Purpose ?? ''] ?? 'Payment';
}

/** Returns the address of a payment's page. */
export function paymentPath(id: number): string {
  return `/payments/${id}`;
}

/** A stored card or bank account. */
export type MethodRow = RowNamed<'PaymentMethod'>;

/** Returns a card or account as people name it: "Visa ending in 4242, expires 08/2029". */
export function methodWords({ Brand, LastFour, ExpiryMonth, ExpiryYear, Kind }: MethodRow): string {
  if (LastFour === null) return 'Card or bank account';
  const name = `${Brand ?? (Kind === 'Bank' ? 'Bank account' : 'Card')} ending in ${LastFour}`;
  if (ExpiryMonth === null || ExpiryYear === null) return name;
  return `${name}, expires ${String(ExpiryMonth).padStart(2, '0')}/${ExpiryYear}`;
}
