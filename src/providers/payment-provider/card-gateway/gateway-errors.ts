import type { Decline } from '../../../contracts/payment-provider.ts';
import { withoutCardNumbers } from '../../../contracts/payment-validation.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { replyDetail } from '../../../lib/sending/reply-detail.ts';
import type { Attempt } from './gateway-connection.ts';

/** An error that the gateway answered, as the library throws it. */
export interface GatewayError {
  readonly statusCode?: number;
  readonly rawType?: string;
  readonly code?: string;
  readonly decline_code?: string;
  readonly param?: string;
  readonly message: string;
  /** Of a declined payment, the payment. */
  readonly payment_intent?: { readonly id: string };
}

/** What is known after a request that failed. */
export type Failure =
  | { readonly kind: 'error'; readonly error: PlatformError }
  | { readonly kind: 'declined'; readonly decline: Decline; readonly payment: string | undefined }
  /** It may have been carried out. */
  | { readonly kind: 'unknown'; readonly detail: string };

/** Codes of the gateway for a state that does not allow a request. */
const stateCodes = new Set([
  'charge_already_captured',
  'charge_already_refunded',
  'charge_disputed',
  'charge_expired_for_capture',
  'charge_not_refundable',
  'payment_intent_unexpected_state',
  'setup_intent_unexpected_state',
]);

/** Names of the gateway's parameters, by the beginning, and those of ours. */
const fields: readonly (readonly [start: string, field: string])[] = [
  ['amount', 'Amount'],
  ['currency', 'Currency'],
  ['customer', 'Customer'],
  ['card[token]', 'Token'],
  ['payment_method', 'Method'],
  ['default_payment_method', 'Method'],
  ['items[0][price_data][unit_amount', 'Amount'],
  ['items[0][price_data][currency', 'Currency'],
  ['description', 'Description'],
  ['email', 'Email'],
  ['phone', 'Telephone'],
  ['name', 'Name'],
  ['billing_details', 'Address'],
  ['address', 'Address'],
  ['success_url', 'ReturnURL'],
  ['cancel_url', 'CancelURL'],
  ['subscription', 'Subscription'],
  ['dispute', 'Dispute'],
  ['refund', 'Refund'],
  ['payment_intent', 'Payment'],
  ['intent', 'Payment'],
];

/**
 * Returns what a failed request means. `key` is removed from the gateway's texts; `field` is that of the object which
 * the request is about.
 */
export function failureOf(thrown: unknown, attempt: Attempt, { key, field }: { key: string; field: string }): Failure {
  if (thrown instanceof PlatformError) return { kind: 'error', error: thrown };
  const { status, failure, isWhole, isInProgress } = attempt;
  if (status === undefined) {
    if (failure === undefined) throw thrown;
    return isWhole || isInProgress
      ? { kind: 'unknown', detail: gatewayText(`No answer came: ${failure}.`, key) }
      : unavailable(gatewayText(`${failure}.`, key), thrown);
  }
  const error = thrown as GatewayError;
  if (status === 402) return { kind: 'declined', decline: declineOf(error, key), payment: error.payment_intent?.id };
  // What refuses this request says nothing about another one with its key that was in progress.
  if (isInProgress || isUndecided(status, error))
    return {
      kind: 'unknown',
      detail: gatewayText(`The gateway answered with status ${status}: ${error.message}`, key),
    };
  const why = refusedAttempt(status);
  if (why !== undefined) return unavailable(why, thrown);
  return { kind: 'error', error: refusal(error, field, gatewayText(error.message, key)) };
}

/** Whether an answer does not say what became of the request: the server failed, or it is not the gateway's answer. */
function isUndecided(status: number, { statusCode }: GatewayError): boolean {
  return status >= 500 || status === 409 || (statusCode === undefined && (status < 300 || status >= 400));
}

/** Returns why the gateway did not look at a request; undefined if it did. */
function refusedAttempt(status: number): string | undefined {
  if (status === 401 || status === 403) return `it rejected ApiKey with status ${status}.`;
  if (status === 429) return `it received too many requests (status ${status}); try again later.`;
  return status < 400 ? `BaseURL redirects (${status}). Set it to the target address.` : undefined;
}

/** Returns the error for a request that could not be sent, or was certainly not carried out. */
export function unavailableError(why: string, cause?: unknown): PlatformError {
  return new PlatformError('UNAVAILABLE', { message: `The payment gateway cannot be used: ${why}`, cause });
}

/** Returns a decline with the most exact code that the bank gives. */
export function declineOf(
  { code, decline_code: exact, message }: Partial<Pick<GatewayError, 'code' | 'decline_code' | 'message'>>,
  key: string,
): Decline {
  const known = exact === undefined || exact === 'generic_decline' ? code : exact;
  return {
    code: /^[a-z0-9_]{1,100}$/.test(known ?? '') ? (known ?? '') : 'card_declined',
    message: gatewayText(message ?? '', key) || 'The card was declined.',
  };
}

/** Returns a text of the gateway on one line, without our key and without what looks like a card number. */
function gatewayText(text: string, key: string): string {
  return replyDetail(withoutCardNumbers(text.replaceAll(key, '…')));
}

function unavailable(why: string, cause: unknown): Failure {
  return { kind: 'error', error: unavailableError(why, cause) };
}

function refusal(
  { statusCode, rawType, code = '', param = '' }: GatewayError,
  own: string,
  text: string,
): PlatformError {
  const known = fields.find(([start]) => param.startsWith(start))?.[1];
  const field = known ?? own;
  if (rawType === 'idempotency_error')
    return new PlatformError('IDEMPOTENCY_MISMATCH', {
      field: 'Key',
      message: 'The gateway already has a different request with this key.',
    });
  if (stateCodes.has(code)) return new PlatformError('STATE_REFUSES', { field: own, message: text });
  if ((statusCode === 404 || code === 'resource_missing') && field !== 'Token')
    return new PlatformError('NOT_FOUND', { field, message: `${field}: ${text}` });
  return new PlatformError('BAD_PARAMETER', { field, message: `${field}: the gateway refuses it: ${text}` });
}
