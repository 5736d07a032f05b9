import { assertSubmission } from '../../../contracts/letter-validation.ts';
import type {
  LetterInquiry,
  LetterOutcome,
  LetterQuote,
  LetterSize,
  LetterSubmission,
  MailHouse,
  Notice,
  OutboundLetter,
  ParsedNotice,
  SubmittedLetter,
} from '../../../contracts/delivery.ts';
import type { SendOptions } from '../../../contracts/sending.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { outboundUrl, type OutboundRules } from '../../../kernel/security/outbound.ts';
import {
  sendOutboundRequest,
  type OutboundRequest,
  type OutboundResponse,
} from '../../../lib/http/outbound-request.ts';
import { replyDetail } from '../../../lib/sending/reply-detail.ts';
import { failureText, outcomeOfAnswer, outcomeOfFailure } from '../../../lib/sending/request-outcome.ts';
import { Transmission } from '../../../lib/sending/transmission.ts';
import { lowerNames, reportOf, reportsOfJson } from '../parse-reports.ts';
import { quoteLetter } from '../prices.ts';
import type { HttpMailHouseOptions } from './http-options.ts';
import { letterJson } from './letter-json.ts';
import { verifiedId } from '../../../lib/http/signed-webhook.ts';

const TIMEOUT_SECONDS = 60;
const TOLERANCE_SECONDS = 300;
/** Largest answer of a service. */
const ANSWER_BYTES_MAX = 64 * 1024;

/**
 * Submits letters by posting each to a service as JSON, under an idempotency key that is the same in each attempt. The
 * service is queried about a letter under the same key.
 */
export class HttpMailHouse implements MailHouse {
  /** One request, one letter: of an attempt that breaks off only one letter has an unknown outcome. */
  readonly lettersMax = 1;
  private readonly options: HttpMailHouseOptions;
  private readonly rules: () => OutboundRules;

  constructor(options: HttpMailHouseOptions, rules: () => OutboundRules) {
    this.options = options;
    this.rules = rules;
  }

  quote(letter: LetterSize): LetterQuote {
    return quoteLetter(this.options, letter);
  }

  async submit(submission: LetterSubmission, options: SendOptions = {}): Promise<readonly LetterOutcome[]> {
    assertSubmission(submission, this);
    const outcomes: LetterOutcome[] = [];
    for (const letter of submission.letters) outcomes.push(await this.post(submission, letter, options));
    return outcomes;
  }

  async inquire(letters: readonly SubmittedLetter[], now: string): Promise<readonly LetterInquiry[]> {
    const answers: LetterInquiry[] = [];
    for (const { key } of letters) answers.push(await this.ask(key, now));
    return answers;
  }

  async cancel(letters: readonly SubmittedLetter[]): Promise<readonly LetterOutcome[]> {
    const outcomes: LetterOutcome[] = [];
    for (const { key } of letters) {
      const { ApiKey } = this.options;
      const attempt = { isWhole: true, isRepeatable: true, key: ApiKey };
      const outcome = await this.request(`/letters/${key}/cancel`, { method: 'POST', body: '' }).then(
        // 409: it is too late. Elsewhere this status means that the first attempt is still in progress.
        (answer) =>
          answer.status === 409
            ? { status: 'refused' as const, detail: 'The mail house says that it is too late.' }
            : outcomeOfAnswer(answer, attempt),
        (error: unknown) => outcomeOfFailure(error, attempt),
      );
      outcomes.push({ key, ...outcome });
    }
    return outcomes;
  }

  parseNotice({ source, headers, bytes, now }: Notice): Promise<ParsedNotice> {
    const { WebhookSecret: secret, ToleranceSeconds: tolerance = TOLERANCE_SECONDS } = this.options;
    if (source !== 'webhook' || secret === undefined)
      throw new PlatformError('NO_PERMISSION', {
        message: 'The mail house has no webhook secret, so its notices cannot be verified.',
      });
    const id = verifiedId(secret, tolerance, { headers, bytes, now });
    return Promise.resolve({ id, reports: reportsOfJson(Buffer.from(bytes).toString(), now) });
  }

  /** Requests the service with the key. That it only accepts POST is enough of an answer. */
  async check(): Promise<void> {
    const { status } = await this.request('/letters', { method: 'GET' }).catch((error: unknown) => {
      throw this.unavailable(failureText(error), error);
    });
    if (status === 401 || status === 403) throw this.unavailable(`it rejected ApiKey with status ${status}.`);
    if (status >= 300 && status < 400)
      throw this.unavailable(`Endpoint redirects (${status}). Set Endpoint to the target address.`);
    if (status === 404 || status === 429 || status >= 500)
      throw this.unavailable(`it responded with status ${status}.`);
  }

  private async post(
    submission: LetterSubmission,
    letter: OutboundLetter,
    { beforeData, signal }: SendOptions,
  ): Promise<LetterOutcome> {
    const { key } = letter;
    const transmission = new Transmission(beforeData ?? (() => Promise.resolve()));
    // Although the service recognizes a repeated letter, an outcome that nobody knows is inquired: the service may
    // have forgotten the key by the next attempt.
    const attempt = () => ({ isWhole: transmission.isWhole, isRepeatable: false, key: this.options.ApiKey });
    try {
      const answer = await this.request('/letters', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
        body: transmission.watch(() => letterJson(submission, letter)),
        ...(signal ? { signal } : {}),
      });
      return { key, ...outcomeOfAnswer(answer, attempt()) };
    } catch (error) {
      if (transmission.failure) throw transmission.failure.error;
      return { key, ...outcomeOfFailure(error, attempt()) };
    }
  }

  private async ask(key: string, now: string): Promise<LetterInquiry> {
    const { status, body } = await this.request(`/letters/${key}`, { method: 'GET' }).catch((error: unknown) => {
      throw this.unavailable(failureText(error), error);
    });
    const fields = jsonFields(body);
    if (status === 200 && fields) {
      try {
        const report = reportOf({ ...lowerNames(fields), key }, 'answer', now);
        return { key, status: 'found', report };
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error;
        return { key, status: 'unknown', detail: replyDetail(error.message) };
      }
    }
    // Any server answers 404; only the mail house says that it does not know the letter.
    if (status === 404 && fields?.['error'] === 'unknown_letter')
      return { key, status: 'absent', detail: 'The mail house never received the letter.' };
    return { key, status: 'unknown', detail: replyDetail(`The mail house responded with status ${status}.`) };
  }

  private unavailable(why: string, cause?: unknown): PlatformError {
    const words = replyDetail(why.replaceAll(this.options.ApiKey, '…'));
    return new PlatformError('UNAVAILABLE', { message: `The mail house cannot be used: ${words}`, cause });
  }

  /** Sends a request under the current settings. Redirects are not followed: they would send the key elsewhere. */
  private async request(
    path: string,
    question: Pick<OutboundRequest, 'method' | 'body' | 'signal'> & Partial<Pick<OutboundRequest, 'headers'>>,
  ): Promise<OutboundResponse> {
    const rules = this.rules();
    const { Endpoint, ApiKey, TimeoutSeconds = TIMEOUT_SECONDS } = this.options;
    return sendOutboundRequest(outboundUrl(rules, `${Endpoint.replace(/\/+$/, '')}${path}`, 'Endpoint'), {
      ...question,
      headers: {
        Authorization: `Bearer ${ApiKey}`,
        Accept: 'application/json',
        'User-Agent': 'Casewright-Letters/1',
        ...question.headers,
      },
      rules,
      milliseconds: TimeoutSeconds * 1_000,
      answerBytesMax: ANSWER_BYTES_MAX,
    });
  }
}

function jsonFields(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
