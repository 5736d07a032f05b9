import { sendOutboundRequest } from '../../../../lib/http/outbound-request.ts';
import { retryAfterSeconds } from '../../../../lib/http/retry-after.ts';
import { maskNumbers } from '../../../../kernel/security/mask.ts';
import {
  ADDRESS_REFUSED,
  outboundUrl,
  type OutboundRules,
  type Resolve,
} from '../../../../kernel/security/outbound.ts';

/** Bytes read of a response, and characters stored of it; the status is what counts. */
const ANSWER_BYTES_MAX = 4_096;
const ANSWER_CHARACTERS_KEPT = 500;

/** A request to send. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly milliseconds: number;
  readonly rules: OutboundRules;
  readonly resolve?: Resolve;
}

/** The outcome of an attempt: an HTTP status, or an error code if there was no response. */
export interface SendResult {
  readonly status: number | null;
  readonly error: string | null;
  readonly start: string | null;
  readonly retryAfterSeconds: number;
  readonly milliseconds: number;
}

/**
 * Sends a request once; never throws. Redirects are not followed: they may lead anywhere, and the event is meant for
 * this address.
 */
export async function send({ url, headers, body, milliseconds, rules, resolve }: WebhookRequest): Promise<SendResult> {
  const began = performance.now();
  const took = (): number => Math.round(performance.now() - began);
  try {
    const answer = await sendOutboundRequest(outboundUrl(rules, url, 'URL'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json; charset=utf-8', 'User-Agent': 'Casewright-Webhook/1', ...headers },
      body,
      milliseconds,
      rules,
      answerBytesMax: ANSWER_BYTES_MAX,
      isAnswerCut: true,
      ...(resolve ? { resolve } : {}),
    });
    return {
      status: answer.status,
      error: answer.status >= 200 && answer.status < 300 ? null : `HTTP ${answer.status}`,
      start: startOf(answer.body),
      retryAfterSeconds: retryAfterSeconds(answer.headers) ?? 0,
      milliseconds: took(),
    };
  } catch (error) {
    return { status: null, error: errorCodeOf(error), start: null, retryAfterSeconds: 0, milliseconds: took() };
  }
}

/** Returns the start of a response as text, without control characters and with protected numbers masked. */
function startOf(body: string): string | null {
  const text = body.replace(/[\p{Cc}\p{Cs}]+/gu, ' ').trim();
  return text === '' ? null : Array.from(maskNumbers(text)).slice(0, ANSWER_CHARACTERS_KEPT).join('');
}

/** Returns the code of a failure; its message may contain the address. */
function errorCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'FAILED';
  const { code } = error as Error & { code?: unknown };
  if (code === 'BAD_PARAMETER') return ADDRESS_REFUSED;
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'FAILED';
}
