import type { SendingOutcome, SendOptions } from '../../../contracts/sending.ts';
import { assertText, type OutboundText, type TextOutbound } from '../../../contracts/text-outbound.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { outboundUrl, type OutboundRules } from '../../../kernel/security/outbound.ts';
import {
  sendOutboundRequest,
  type OutboundRequest,
  type OutboundResponse,
} from '../../../lib/http/outbound-request.ts';
import { replyDetail } from '../../../lib/sending/reply-detail.ts';
import { failureText, outcomeOfAnswer, outcomeOfFailure, type Attempt } from '../../../lib/sending/request-outcome.ts';
import { Transmission } from '../../../lib/sending/transmission.ts';
import { NO_IDEMPOTENCY, type HttpTextOptions } from './text-options.ts';

/** Default timeout in seconds. */
const TIMEOUT_SECONDS = 60;
/** Largest answer of a service. */
const ANSWER_BYTES_MAX = 64 * 1024;

/** Sends text messages by posting them to a service as JSON: `{"from", "to", "text", "id"}`. */
export class HttpTextOutbound implements TextOutbound {
  readonly messagesPerMinute?: number;
  private readonly options: HttpTextOptions;
  private readonly rules: () => OutboundRules;

  constructor(options: HttpTextOptions, rules: () => OutboundRules) {
    this.options = options;
    this.rules = rules;
    if (options.MessagesPerMinute !== undefined) this.messagesPerMinute = options.MessagesPerMinute;
  }

  async send(message: OutboundText, { beforeData, signal }: SendOptions = {}): Promise<SendingOutcome> {
    assertText(message);
    const transmission = new Transmission(beforeData ?? (() => Promise.resolve()));
    const { ApiKey: key, IdempotencyHeader: header } = this.options;
    const isRepeatable = header.toLowerCase() !== NO_IDEMPOTENCY;
    const attempt = (): Attempt => ({ isWhole: transmission.isWhole, isRepeatable, key });
    const { key: id, to, text } = message;
    const body = Buffer.from(JSON.stringify({ from: this.options.Sender, to, text, id }));
    try {
      const answer = await this.request({
        method: 'POST',
        headers: {
          ...this.headers(),
          'Content-Type': 'application/json',
          'Content-Length': String(body.length),
          ...(isRepeatable ? { [header]: id } : {}),
        },
        body: transmission.watch(() => once(body)),
        ...(signal ? { signal } : {}),
      });
      return outcomeOfAnswer(answer, attempt());
    } catch (error) {
      if (transmission.failure) throw transmission.failure.error;
      return outcomeOfFailure(error, attempt());
    }
  }

  /** Requests the endpoint with the key. That a service only accepts POST is enough of an answer. */
  async check(): Promise<void> {
    const unavailable = (why: string, cause?: unknown): PlatformError =>
      new PlatformError('UNAVAILABLE', { message: `The text service cannot be used: ${replyDetail(why)}`, cause });
    const { status } = await this.request({ method: 'GET', headers: this.headers() }).catch((error: unknown) => {
      throw unavailable(failureText(error), error);
    });
    if (status === 401 || status === 403) throw unavailable(`it rejected ApiKey with status ${status}.`);
    if ((status >= 300 && status < 400) || status === 429 || status >= 500)
      throw unavailable(`it responded with status ${status}.`);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private headers(): Readonly<Record<string, string>> {
    return {
      Authorization: `Bearer ${this.options.ApiKey}`,
      Accept: 'application/json',
      'User-Agent': 'Casewright-Text/1',
    };
  }

  /** Sends a request under the current settings; what they refuse is a failure like any other. */
  private async request(
    question: Pick<OutboundRequest, 'method' | 'headers' | 'body' | 'signal'>,
  ): Promise<OutboundResponse> {
    const rules = this.rules();
    return sendOutboundRequest(outboundUrl(rules, this.options.Endpoint, 'Endpoint'), {
      ...question,
      rules,
      milliseconds: (this.options.TimeoutSeconds ?? TIMEOUT_SECONDS) * 1_000,
      answerBytesMax: ANSWER_BYTES_MAX,
    });
  }
}

/** The last byte is a piece of its own, so that whoever has not read to the end has no complete document. */
async function* once(body: Buffer): AsyncGenerator<Uint8Array> {
  yield body.subarray(0, -1);
  yield body.subarray(-1);
}
