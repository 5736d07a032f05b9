import { setTimeout as delay } from 'node:timers/promises';
import { outboundUrl, type OutboundRules } from '../../../kernel/security/outbound.ts';
import { sendOutboundRequest, type OutboundResponse } from '../../../lib/http/outbound-request.ts';
import { failureText } from '../../../lib/sending/request-outcome.ts';
import { Transmission } from '../../../lib/sending/transmission.ts';
import type { CardGatewayOptions } from './card-gateway-options.ts';

const PUBLIC_URL = 'https://api.stripe.com';
const TIMEOUT_SECONDS = 60;
/** Largest answer: a page of payments with their charges has about a megabyte. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** How long to wait before a request is repeated whose key is in use by one that is in progress. */
const IN_PROGRESS_MILLISECONDS = [100, 200, 400, 800, 1_600, 3_200];
/** Longest wait, in seconds, that the gateway may demand with 429 and Retry-After, and how often it is kept. */
const RETRY_AFTER_SECONDS_MAX = 5;
const RETRIES_AFTER_MAX = 2;

/** Headers of the library that are sent; the others describe this machine. */
const sentHeaders = new Set(['accept', 'authorization', 'content-type', 'idempotency-key', 'stripe-version']);

/** How far a request has come, which decides what a failure means. */
export interface Attempt {
  /** Everything was transferred, so the gateway may have carried it out. */
  isWhole: boolean;
  /** The status of the gateway's answer; undefined while there is none. */
  status: number | undefined;
  /** What prevented an answer. */
  failure: string | undefined;
  /** Another request with its key was in progress. */
  isInProgress: boolean;
}

type Send = Pick<Parameters<typeof sendOutboundRequest>[1], 'method' | 'headers'> & { readonly content: string };

/**
 * Sends the requests of the library: like every connection of the platform, to checked addresses alone, without
 * redirects. One connection makes the requests of one call.
 */
export class GatewayConnection {
  readonly attempt: Attempt = { isWhole: false, status: undefined, failure: undefined, isInProgress: false };
  private readonly options: CardGatewayOptions;
  private readonly rules: () => OutboundRules;
  private readonly signal: AbortSignal | undefined;

  constructor(options: CardGatewayOptions, rules: () => OutboundRules, signal?: AbortSignal) {
    this.options = options;
    this.rules = rules;
    this.signal = signal;
  }

  /** Returns the connection in the form that the library wants. */
  httpClient() {
    return {
      getClientName: () => 'casewright',
      // The library fixes the parameters; host and port are those of BaseURL.
      makeRequest: async (...sent: readonly [unknown, unknown, string, string, object, string, ...unknown[]]) => {
        const [, , path, method, headers, content] = sent;
        const answer = await this.request(path, {
          method: method as Send['method'],
          headers: plainHeaders(headers),
          content,
        });
        return {
          getStatusCode: () => answer.status,
          // Others would be printed as warnings, or call for another attempt.
          getHeaders: () => ({ 'request-id': String(answer.headers['request-id'] ?? '') }),
          getRawResponse: () => ({}),
          toStream: () => answer.body,
          toJSON: () => Promise.resolve(JSON.parse(answer.body) as unknown),
        };
      },
    };
  }

  private async request(path: string, send: Send): Promise<OutboundResponse> {
    for (const milliseconds of [...IN_PROGRESS_MILLISECONDS, undefined]) {
      const answer = await this.requestAdmitted(path, send);
      // The gateway carries out the first request with this key; this one gets its answer.
      this.attempt.isInProgress ||= answer.status === 409;
      if (milliseconds === undefined || answer.status !== 409) return answer;
      await delay(milliseconds, undefined, this.signal ? { signal: this.signal } : {}).catch(() => undefined);
      if (this.signal?.aborted) return answer;
    }
    throw new Error('no attempt is left');
  }

  /** Repeats a request that the gateway did not look at, if it soon will. */
  private async requestAdmitted(path: string, send: Send): Promise<OutboundResponse> {
    for (let retries = 0; ; retries++) {
      const answer = await this.requestOnce(path, send);
      const seconds = retryAfterSeconds(answer);
      if (retries === RETRIES_AFTER_MAX || seconds === undefined || this.signal?.aborted) return answer;
      await delay(seconds * 1_000, undefined, this.signal ? { signal: this.signal } : {}).catch(() => undefined);
      if (this.signal?.aborted) return answer;
    }
  }

  private async requestOnce(path: string, { method, headers, content }: Send): Promise<OutboundResponse> {
    const { attempt, signal } = this;
    const rules = this.rules();
    const { BaseURL = PUBLIC_URL, TimeoutSeconds = TIMEOUT_SECONDS } = this.options;
    const transmission = new Transmission(() => Promise.resolve());
    const body = Buffer.from(content);
    Object.assign(attempt, { isWhole: false, status: undefined, failure: undefined });
    try {
      const answer = await sendOutboundRequest(outboundUrl(rules, `${new URL(BaseURL).origin}${path}`, 'BaseURL'), {
        method,
        headers: {
          ...headers,
          'User-Agent': 'Casewright-Payments/1',
          ...(method === 'POST' ? { 'Content-Length': String(body.length) } : {}),
        },
        ...(method === 'POST' ? { body: transmission.watch(() => lastByteApart(body)) } : {}),
        rules,
        milliseconds: TimeoutSeconds * 1_000,
        answerBytesMax: ANSWER_BYTES_MAX,
        ...(signal ? { signal } : {}),
      });
      attempt.status = answer.status;
      return answer;
    } catch (error) {
      attempt.isWhole = transmission.isWhole;
      attempt.failure = failureText(error);
      // Without its code: the library repeats requests whose connection was closed.
      throw new Error(attempt.failure, { cause: error });
    }
  }
}

/** Returns the seconds after which a request is admitted; undefined if it was, or if that is too long to wait. */
function retryAfterSeconds({ status, headers }: OutboundResponse): number | undefined {
  const text = headers['retry-after'] ?? '';
  if (status !== 429 || !/^\d{1,9}$/.test(text)) return undefined;
  return Number(text) <= RETRY_AFTER_SECONDS_MAX ? Number(text) : undefined;
}

function plainHeaders(headers: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => sentHeaders.has(name.toLowerCase()))
      .map(([name, value]) => [name, String(value)]),
  );
}

/** The last byte is a piece by itself, so that a reader that has not come to the end has no complete request. */
async function* lastByteApart(body: Buffer): AsyncGenerator<Uint8Array> {
  if (body.length > 1) yield body.subarray(0, -1);
  if (body.length > 0) yield body.subarray(-1);
}
