import type { IncomingMessage } from 'node:http';
import type { OutboundRules } from '../../../kernel/security/outbound.ts';
import { openOutboundDownload } from '../../../lib/http/outbound-stream.ts';
import { sendOutboundRequest } from '../../../lib/http/outbound-request.ts';
import type { HostedToken } from '../client-credentials.ts';
import { mailGone, reasonOf, signInRefused, unavailable } from '../mailbox-errors.ts';

/** Largest JSON answer. A page of heads has at most 100 header blocks of 64 KB. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/** How a service is reached. */
export interface HostedApiConnection {
  /** The address of the mailbox, without a slash at its end. */
  readonly base: string;
  readonly token: HostedToken;
  readonly rules: () => OutboundRules;
  readonly milliseconds: number;
}

/** One request below the address of the mailbox. */
export interface ApiRequest {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** A document to post. */
  readonly document?: object;
  readonly signal?: AbortSignal | undefined;
}

/** Sends requests of one mailbox. Renews a refused token once. */
export class HostedApiClient {
  private readonly connection: HostedApiConnection;

  constructor(connection: HostedApiConnection) {
    this.connection = connection;
  }

  /** Returns the JSON object of an answer; undefined for 404. @throws UNAVAILABLE, STATE_REFUSES */
  async json(request: ApiRequest): Promise<Readonly<Record<string, unknown>> | undefined> {
    const { rules, milliseconds } = this.connection;
    const { document, signal } = request;
    const { status, body } = await this.authorized((headers) =>
      sendOutboundRequest(this.urlOf(request), {
        method: document === undefined ? 'GET' : 'POST',
        headers: { ...headers, ...(document === undefined ? {} : { 'Content-Type': 'application/json' }) },
        ...(document === undefined ? {} : { body: JSON.stringify(document) }),
        rules: rules(),
        milliseconds,
        answerBytesMax: ANSWER_BYTES_MAX,
        ...(signal ? { signal } : {}),
      }),
    );
    if (status === 404) return undefined;
    if (status === 204) return {};
    if (status !== 200) throw unavailable(`the service responded with ${status}`);
    return objectOf(body);
  }

  /** Opens a download. @throws NOT_FOUND for 404, UNAVAILABLE, STATE_REFUSES */
  async download(request: ApiRequest): Promise<IncomingMessage> {
    const { rules, milliseconds } = this.connection;
    const { signal } = request;
    const answer = await this.authorized(async (headers) => {
      const response = await openOutboundDownload(this.urlOf(request), {
        headers: { ...headers, Accept: 'message/rfc822' },
        rules: rules(),
        milliseconds,
        ...(signal ? { signal } : {}),
      });
      if (response.statusCode !== 200) response.destroy();
      return Object.assign(response, { status: response.statusCode ?? 0 });
    });
    if (answer.status === 404) throw mailGone();
    if (answer.status !== 200) throw unavailable(`the service responded with ${answer.status}`);
    return answer;
  }

  private async authorized<T extends { readonly status: number }>(
    send: (headers: Readonly<Record<string, string>>) => Promise<T>,
  ): Promise<T> {
    const { token } = this.connection;
    const attempt = async (isRefused: boolean): Promise<T> => {
      const bearer = await token.get(isRefused);
      try {
        return await send({ Authorization: `Bearer ${bearer}`, Accept: 'application/json' });
      } catch (error) {
        throw unavailable(reasonOf(error), error);
      }
    };
    const first = await attempt(false);
    const answer = first.status === 401 ? await attempt(true) : first;
    if (answer.status === 401 || answer.status === 403)
      throw signInRefused(`the service responded with ${answer.status}`);
    return answer;
  }

  private urlOf({ path, query = {} }: ApiRequest): URL {
    const url = new URL(`${this.connection.base}/${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  }
}

function objectOf(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Reported below, as any other answer that is no object.
  }
  throw unavailable('the service did not respond with a JSON object');
}
