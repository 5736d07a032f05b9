import type { SendingOutcome, SendingStatus } from '../../contracts/sending.ts';
import type { OutboundResponse } from '../http/outbound-request.ts';
import { retryAfterSeconds } from '../http/retry-after.ts';
import { replyDetail } from './reply-detail.ts';

/** Longest ID from a service that is stored, in characters. */
const REFERENCE_LENGTH_MAX = 200;
/** Names under which services return the ID of what was sent. */
const ID_NAMES = ['id', 'message_id', 'messageId', 'MessageID', 'messageID', 'MessageId'] as const;

/** What the meaning of a response depends on. */
export interface Attempt {
  /** Everything was transferred, so the service may have accepted it. */
  readonly isWhole: boolean;
  /** The service recognizes a repeated request, so that another attempt delivers nothing twice. */
  readonly isRepeatable: boolean;
  /** The service's key, which is removed from its replies: some services repeat a key they reject. */
  readonly key: string;
}

/**
 * Statuses below 500 that concern the account or the moment and not what is sent: a key that was replaced, a request
 * that came too slowly or too early, and too many of them.
 */
const temporaryStatuses = new Set([401, 408, 425, 429]);
/** The service's own gateway got no answer: the sending may have been accepted. */
const gatewayStatuses = new Set([502, 504]);

/** Returns the outcome of an attempt that the service answered. */
export function outcomeOfAnswer(answer: OutboundResponse, attempt: Attempt): SendingOutcome {
  const { status, headers, body } = answer;
  const recipientStatus = statusOf(status, attempt);
  const fields = jsonObject(body);
  const { key } = attempt;
  if (recipientStatus === 'accepted') {
    const reference = referenceOf(fields ?? {}, key);
    return { status: recipientStatus, detail: null, ...(reference === undefined ? {} : { reference }) };
  }
  const seconds = recipientStatus === 'later' ? retryAfterSeconds(headers) : undefined;
  return {
    status: recipientStatus,
    detail: detailWithout(key, `${status} ${wordsOf(fields, body)}`),
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
  };
}

/** Returns the outcome of an attempt that got no answer. */
export function outcomeOfFailure(error: unknown, { isWhole, isRepeatable, key }: Attempt): SendingOutcome {
  return {
    status: isWhole && !isRepeatable ? 'unknown' : 'later',
    detail: detailWithout(key, failureText(error)),
  };
}

/** Returns what went wrong with a connection. Failures to connect to several addresses have a code only. */
export function failureText(error: unknown): string {
  const { message = '', code = 'failed' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return message === '' ? code : message;
}

/** Returns a reply for people, without the key. The key is removed before the reply is cut, which could cut the key. */
function detailWithout(key: string, text: string): string {
  return replyDetail(text.replaceAll(key, '…'));
}

function statusOf(status: number, { isWhole, isRepeatable }: Attempt): SendingStatus {
  // An acceptance cannot be relied on if not everything was transferred.
  if (status >= 200 && status < 300) return isWhole ? 'accepted' : 'unknown';
  if (gatewayStatuses.has(status) && isWhole && !isRepeatable) return 'unknown';
  // The first attempt is still in progress.
  if (status === 409 && isRepeatable) return 'later';
  return status >= 400 && status < 500 && !temporaryStatuses.has(status) ? 'refused' : 'later';
}

function referenceOf(fields: Readonly<Record<string, unknown>>, key: string): string | undefined {
  for (const name of ID_NAMES) {
    const id = fields[name];
    if (typeof id !== 'string' && typeof id !== 'number') continue;
    const text = detailWithout(key, String(id)).slice(0, REFERENCE_LENGTH_MAX).toWellFormed();
    if (text !== '') return text;
  }
  return undefined;
}

/** Returns what a service says about a refusal: what it says in a usual place, or all of its document. */
function wordsOf(fields: Readonly<Record<string, unknown>> | undefined, body: string): string {
  if (!fields) return body;
  const { message, error, detail } = fields;
  const nested = typeof error === 'object' && error !== null ? (error as Record<string, unknown>)['message'] : error;
  const words = [message, nested, detail].find((value) => typeof value === 'string' && value !== '');
  // Serialized again, so that the service's escapes cannot hide its key.
  return typeof words === 'string' ? words : JSON.stringify(fields);
}

function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
