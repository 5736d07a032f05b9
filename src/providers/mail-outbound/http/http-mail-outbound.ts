import { assertMail, recipientsOf } from '../../../contracts/mail-validation.ts';
import type {
  MailAddress,
  MailOutbound,
  MailReport,
  OutboundMail,
  RecipientOutcome,
} from '../../../contracts/mail-outbound.ts';
import type { SignedRequest } from '../../../contracts/signed-request.ts';
import type { SendingOutcome, SendOptions } from '../../../contracts/sending.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { outboundUrl, type OutboundRules } from '../../../kernel/security/outbound.ts';
import {
  sendOutboundRequest,
  type OutboundRequest,
  type OutboundResponse,
} from '../../../lib/http/outbound-request.ts';
import { verifiedId } from '../../../lib/http/signed-webhook.ts';
import { replyDetail } from '../../../lib/sending/reply-detail.ts';
import { failureText, outcomeOfAnswer, outcomeOfFailure, type Attempt } from '../../../lib/sending/request-outcome.ts';
import { Transmission } from '../../../lib/sending/transmission.ts';
import { NO_IDEMPOTENCY, type HttpMailOptions } from './http-options.ts';
import { parseMailReports } from './parse-reports.ts';
import { idempotencyKey, mailJson, mailJsonBytes } from './mail-json.ts';

/** Default timeout in seconds. */
const TIMEOUT_SECONDS = 60;
/** How far the time of a report may be from now. */
const TOLERANCE_SECONDS = 300;
/** Largest answer of a service. */
const ANSWER_BYTES_MAX = 64 * 1024;

/**
 * Sends mail by posting it to a service as JSON, each over its own connection to a checked address. Redirects are not
 * followed: they would send the key elsewhere.
 */
export class HttpMailOutbound implements MailOutbound {
  readonly from: MailAddress;
  readonly messagesPerMinute?: number;
  private readonly options: HttpMailOptions;
  private readonly rules: () => OutboundRules;

  constructor(options: HttpMailOptions, rules: () => OutboundRules) {
    this.options = options;
    this.rules = rules;
    if (options.MessagesPerMinute !== undefined) this.messagesPerMinute = options.MessagesPerMinute;
    this.from = {
      address: options.FromAddress,
      ...(options.FromName === undefined ? {} : { name: options.FromName }),
    };
  }

  async send(mail: OutboundMail, { beforeData, signal }: SendOptions = {}): Promise<readonly RecipientOutcome[]> {
    assertMail(mail);
    const transmission = new Transmission(beforeData ?? (() => Promise.resolve()));
    const attempt = (): Attempt => ({
      isWhole: transmission.isWhole,
      isRepeatable: this.idempotencyHeader !== undefined,
      key: this.options.ApiKey,
    });
    let outcome: SendingOutcome;
    try {
      outcome = outcomeOfAnswer(await this.post(mail, transmission, signal), attempt());
    } catch (error) {
      if (transmission.failure) throw transmission.failure.error;
      outcome = outcomeOfFailure(error, attempt());
    }
    return recipientsOf(mail).map((address) => ({ address, ...outcome }));
  }

  /** Requests the endpoint with the key. That a service only accepts POST is enough of an answer. */
  async check(): Promise<void> {
    const unavailable = (why: string, cause?: unknown): PlatformError =>
      new PlatformError('UNAVAILABLE', {
        message: `The mail service cannot be used: ${replyDetail(why)}`,
        cause,
      });
    const { status } = await this.request({ method: 'GET', headers: this.headers() }).catch((error: unknown) => {
      throw unavailable(failureText(error), error);
    });
    if (status === 401 || status === 403) throw unavailable(`it rejected ApiKey with status ${status}.`);
    if (status >= 300 && status < 400)
      throw unavailable(
        `Endpoint redirects (${status}); redirects are not followed. Set Endpoint to the target address.`,
      );
    if (status === 429 || status >= 500) throw unavailable(`it responded with status ${status}.`);
  }

  parseReports({ headers, bytes, now }: SignedRequest): readonly MailReport[] {
    const { WebhookSecret: secret } = this.options;
    if (secret === undefined)
      throw new PlatformError('NO_PERMISSION', {
        message: 'The mail service has no webhook secret, so its reports cannot be verified.',
      });
    verifiedId(secret, TOLERANCE_SECONDS, { headers, bytes, now });
    return parseMailReports(Buffer.from(bytes).toString());
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private post(
    mail: OutboundMail,
    transmission: Transmission,
    signal: AbortSignal | undefined,
  ): Promise<OutboundResponse> {
    const header = this.idempotencyHeader;
    const bytes = mailJsonBytes(mail);
    return this.request({
      method: 'POST',
      headers: {
        ...this.headers(),
        'Content-Type': 'application/json',
        ...(bytes === undefined ? {} : { 'Content-Length': String(bytes) }),
        ...(header === undefined ? {} : { [header]: idempotencyKey(mail) }),
      },
      body: transmission.watch(() => mailJson(mail)),
      ...(signal ? { signal } : {}),
    });
  }

  private headers(): Readonly<Record<string, string>> {
    return {
      Authorization: `Bearer ${this.options.ApiKey}`,
      Accept: 'application/json',
      'User-Agent': 'Casewright-Mail/1',
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

  /** The header of the key that is the same in each attempt; undefined if the service knows none. */
  private get idempotencyHeader(): string | undefined {
    const { IdempotencyHeader: header } = this.options;
    return header.toLowerCase() === NO_IDEMPOTENCY ? undefined : header;
  }
}
