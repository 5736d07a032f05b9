import type { Decline, TestToken, VaultedMethod } from '../../../contracts/payment-provider.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';

/** What a test gateway does with a card or an account. */
export interface TestBehavior extends TestToken {
  /** Charges and authorizations are declined. */
  readonly decline?: Decline;
  /** It cannot be stored. */
  readonly vaultDecline?: Decline;
  /** The payment is decided later, in this way. */
  readonly pending?: 'approved' | 'declined';
  /** No answer comes, because the request or the answer is lost: nothing was charged, or it was. */
  readonly lost?: 'request' | 'answer' | 'answer of a refund' | 'answer of storing';
  /** The answer takes a few seconds. */
  readonly isSlow?: boolean;
  /** The customer disputes the payment, and the dispute ends like this. */
  readonly dispute?: 'won' | 'lost';
  readonly refund?: 'pending' | 'failed';
  readonly method: Pick<VaultedMethod, 'kind' | 'brand' | 'lastFour' | 'expires'>;
}

const visa = { kind: 'card', brand: 'Visa', lastFour: '4242', expires: { month: 12, year: 2040 } } as const;
const mastercard = { ...visa, brand: 'Mastercard', lastFour: '4444' } as const;
const expired = { ...visa, lastFour: '0069', expires: { month: 1, year: 2020 } } as const;
const bank = { kind: 'bank', brand: 'Test Bank', lastFour: '6789' } as const;

/** Codes with which banks decline most often, each with what the customer reads. */
const declines: readonly Decline[] = [
  { code: 'card_declined', message: 'The card was declined.' },
  { code: 'insufficient_funds', message: 'The card has insufficient funds.' },
  { code: 'do_not_honor', message: 'The bank declined the card without giving a reason.' },
  { code: 'lost_card', message: 'The card was declined.' },
  { code: 'stolen_card', message: 'The card was declined.' },
  { code: 'fraudulent', message: 'The card was declined.' },
  { code: 'incorrect_cvc', message: "The card's security code is incorrect." },
  { code: 'processing_error', message: 'The bank could not process the card. Try again later.' },
  { code: 'authentication_required', message: 'The bank requires the customer to confirm the payment.' },
];
const expiredCard: Decline = { code: 'expired_card', message: 'The card has expired.' };

type TokenRow = readonly [token: string, label: string, more?: Partial<TestBehavior>];

const rows: readonly TokenRow[] = [
  ['test_visa', 'Visa, approved'],
  ['test_mastercard', 'Mastercard, approved', { method: mastercard }],
  ['test_bank', 'Bank account, approved after a minute', { method: bank, pending: 'approved' }],
  ...declines.map((decline): TokenRow => [`test_${decline.code}`, `Declined: ${words(decline.code)}`, { decline }]),
  ['test_expired_card', 'Declined: expired card', { method: expired, decline: expiredCard }],
  [
    'test_not_stored',
    'Cannot be stored',
    { vaultDecline: { code: 'card_declined', message: 'The card was declined.' } },
  ],
  ['test_pending', 'Approved after a minute', { pending: 'approved' }],
  ['test_pending_declined', 'Declined after a minute', { pending: 'declined' }],
  ['test_bank_declined', 'Bank account, declined after a minute', { method: bank, pending: 'declined' }],
  ['test_lost_request', 'No answer, not charged', { lost: 'request' }],
  ['test_lost_answer', 'No answer, but charged', { lost: 'answer' }],
  ['test_lost_storing', 'Stored, but without an answer', { lost: 'answer of storing' }],
  ['test_slow', 'Approved after three seconds', { isSlow: true }],
  ['test_disputed', 'Approved, then disputed and won after a minute', { dispute: 'won' }],
  ['test_dispute_lost', 'Approved, then disputed and lost after a minute', { dispute: 'lost' }],
  ['test_refund_pending', 'Approved; refunds take a minute', { refund: 'pending' }],
  ['test_refund_failed', 'Approved; refunds fail', { refund: 'failed' }],
  ['test_refund_lost_answer', 'Approved; a refund gets no answer, but is made', { lost: 'answer of a refund' }],
];

const behaviors: ReadonlyMap<string, TestBehavior> = new Map(
  rows.map(([token, label, more]) => {
    const method = more?.method ?? visa;
    return [token, { ...more, token, label, kind: method.kind, method }];
  }),
);

/** The tokens that a test gateway accepts. */
export const testTokens: readonly TestToken[] = [...behaviors.values()].map(({ token, kind, label }) => ({
  token,
  kind,
  label,
}));

/** Returns what a test gateway does with a token. @throws BAD_PARAMETER for another token */
export function behaviorOf(token: string): TestBehavior {
  const behavior = behaviors.get(token);
  if (!behavior) throw bad('Token', 'a token of the test gateway, such as test_visa');
  return behavior;
}

function words(code: string): string {
  return code.replaceAll('_', ' ');
}
