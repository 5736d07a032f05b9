import { Agent as PlainAgent, request as plainRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent, request } from 'node:https';
import { maskNumbers } from '../../../../kernel/security/mask.ts';
import {
  ADDRESS_REFUSED,
  guardedLookup,
  outboundUrl,
  type OutboundRules,
  type Resolve,
} from '../../../../kernel/security/outbound.ts';

/** Bytes read of a response, and characters stored of it; the status is what counts. */
const ANSWER_BYTES_MAX = 4_096;
const ANSWER_CHARACTERS_KEPT = 500;
/** Most bytes of response headers. */
const HEADER_BYTES_MAX = 16_384;

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
 * this address. Each attempt has its own connection, past any proxy of the environment, to a checked address.
 */
export async function send(message: WebhookRequest): Promise<SendResult> {
  const began = performance.now();
  const took = (): number => Math.round(performance.now() - began);
  try {
    const answer = await exchange(message);
    return {
      ...answer,
      error: answer.status >= 200 && answer.status < 300 ? null : `HTTP ${answer.status}`,
      milliseconds: took(),
    };
  } catch (error) {
    return { status: null, error: errorCodeOf(error), start: null, retryAfterSeconds: 0, milliseconds: took() };
  }
}

type WebhookResponse = Pick<SendResult, 'start' | 'retryAfterSeconds'> & { readonly status: number };

function exchange({
  url: text,
  headers,
  body,
  milliseconds,
  rules,
  resolve,
}: WebhookRequest): Promise<WebhookResponse> {
  const url = outboundUrl(rules, text, 'URL');
  const isPlain = url.protocol === 'http:';
  const signal = AbortSignal.timeout(milliseconds);
  const options: RequestOptions = {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'User-Agent': 'Casewright-Webhook/1',
      ...headers,
    },
    lookup: guardedLookup(rules, url, resolve),
    agent: isPlain ? new PlainAgent({ keepAlive: false }) : new Agent({ keepAlive: false, rejectUnauthorized: true }),
    maxHeaderSize: HEADER_BYTES_MAX,
    signal,
  };
  return new Promise((answered, failed) => {
    const sending = (isPlain ? plainRequest : request)(url, options, (answer) => {
      void readStart(answer).then((start) => {
        sending.destroy();
        answered({
          status: answer.statusCode ?? 0,
          start,
          retryAfterSeconds: retryAfterOf(answer.headers['retry-after']),
        });
      });
    });
    sending.on('error', (error) => failed(signal.aborted ? new Error('timed out', { cause: error }) : error));
    sending.end(body);
  });
}

/**
 * Returns the start of a response as text, without control characters and with protected numbers masked. An interrupted
 * response counts as far as it came.
 */
function readStart(answer: IncomingMessage): Promise<string | null> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (): void => {
      const text = Buffer.concat(chunks)
        .subarray(0, ANSWER_BYTES_MAX)
        .toString()
        .replace(/[\p{Cc}\p{Cs}]+/gu, ' ')
        .trim();
      resolve(text === '' ? null : Array.from(maskNumbers(text)).slice(0, ANSWER_CHARACTERS_KEPT).join(''));
    };
    answer.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= ANSWER_BYTES_MAX) end();
    });
    answer.on('end', end);
    answer.on('error', end);
    answer.on('close', end);
  });
}

function retryAfterOf(header: string | undefined): number {
  return header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : 0;
}

/** Returns the code of a failure; its message may contain the address. */
function errorCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'FAILED';
  if (error.message === 'timed out') return 'TIMED_OUT';
  const { code } = error as Error & { code?: unknown };
  if (code === 'BAD_PARAMETER') return ADDRESS_REFUSED;
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'FAILED';
}
