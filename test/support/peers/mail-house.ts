import { createHash, createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { LetterReport } from '../../../src/contracts/delivery.ts';
import { atEnd } from '../at-end.ts';
import type { CleanUp } from '../database.ts';

/** A letter as it was posted. */
export interface PostedLetter {
  readonly key: string;
  readonly submission: string;
  readonly to: { readonly name: string; readonly street: string; readonly postal_code: string };
  readonly mail_class: string;
  readonly pages: number;
  readonly sha256: string;
  readonly content: string;
}

/** A letter that the mail house prints. */
export interface PrintedLetter extends PostedLetter {
  readonly id: string;
  /** SHA-256 of the content that came. */
  readonly hash: string;
  state: string;
}

/** What the mail house does instead of answering as usual. Returns whether it has dealt with the request. */
export interface MailHouseHooks {
  /** Called with a complete letter before it is printed. */
  letter?: (letter: PostedLetter, response: ServerResponse, request: IncomingMessage) => boolean;
  /** Called after a letter was printed, before the answer. */
  printed?: (letter: PrintedLetter, response: ServerResponse, request: IncomingMessage) => boolean;
  /** Called with the key of a requested letter. */
  inquiry?: (key: string, response: ServerResponse) => boolean;
}

/** A mail house on this machine that takes letters over HTTP. */
export interface MailHouseServer {
  readonly url: string;
  readonly key: string;
  readonly secret: string;
  /** Every letter that would be mailed; a key appears twice if a letter would be mailed twice. */
  readonly printed: PrintedLetter[];
  readonly requests: { readonly method: string; readonly url: string; readonly headers: IncomingHttpHeaders }[];
  readonly hooks: MailHouseHooks;
  /** Returns the headers and body of a webhook with reports. */
  readonly webhook: (reports: readonly LetterReport[], options?: WebhookOptions) => SignedWebhook;
}

/** Options of a webhook. */
export interface WebhookOptions {
  readonly id?: string;
  readonly seconds?: number;
  readonly secret?: string;
}

/** A signed webhook. */
export interface SignedWebhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Starts a mail house on a free loopback port. With `isForgetful` it does not recognize a repeated letter, so that a
 * letter that is posted twice is mailed twice.
 */
export async function startMailHouse(cleanUp: CleanUp, { isForgetful = false } = {}): Promise<MailHouseServer> {
  const house = {
    key: 'key/of+the.house-1',
    secret: `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`,
    printed: [],
    requests: [],
    hooks: {},
  } as Omit<MailHouseServer, 'url' | 'webhook'>;
  const reply = (response: ServerResponse, status: number, body: object): ServerResponse =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

  const take = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const letter = (await json(request)) as PostedLetter;
    if (house.hooks.letter?.(letter, response, request)) return undefined;
    const known = isForgetful ? undefined : house.printed.find(({ key }) => key === letter.key);
    const hash = createHash('sha256').update(Buffer.from(letter.content, 'base64')).digest('hex');
    const printed = known ?? { ...letter, id: `L-${house.printed.length + 1}`, hash, state: 'Submitted' };
    if (!known) house.printed.push(printed);
    if (house.hooks.printed?.(printed, response, request)) return undefined;
    return reply(response, 202, { id: printed.id });
  };
  const answer = (key: string, response: ServerResponse): unknown => {
    if (house.hooks.inquiry?.(key, response)) return undefined;
    const letter = house.printed.find((one) => one.key === key);
    if (!letter) return reply(response, 404, { error: 'unknown_letter' });
    return reply(response, 200, { key, id: letter.id, state: letter.state, date: '2026-03-03T15:00:00.000Z' });
  };
  const cancel = (key: string, response: ServerResponse): unknown => {
    const letter = house.printed.find((one) => one.key === key);
    if (!letter) return reply(response, 404, { error: 'unknown_letter' });
    if (!['Submitted', 'Canceled'].includes(letter.state)) return reply(response, 409, { error: 'too_late' });
    letter.state = 'Canceled';
    return reply(response, 200, { id: letter.id });
  };
  const serve = (request: IncomingMessage, response: ServerResponse): unknown => {
    const { method = '', url = '', headers } = request;
    house.requests.push({ method, url, headers });
    if (headers.authorization !== `Bearer ${house.key}`) return reply(response, 401, { message: 'no such key' });
    const [, key = '', action] = /^\/v1\/letters\/([^/]+)(\/cancel)?$/.exec(url) ?? [];
    if (method === 'POST' && url === '/v1/letters') return take(request, response).catch(() => response.destroy());
    if (method === 'POST' && action !== undefined) return cancel(key, response);
    if (method === 'GET' && key !== '') return answer(key, response);
    return url === '/v1/letters' ? reply(response, 405, { message: 'post letters here' }) : reply(response, 404, {});
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(cleanUp, async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  return {
    ...house,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    webhook: (reports, options = {}) => signWebhook(house.secret, { reports: reports.map(sentReport) }, options),
  };
}

/** Returns a report as the mail house sends it. */
function sentReport({ trackingNumber: tracking_number, costCents: cost_cents, ...report }: LetterReport): object {
  return { ...report, tracking_number, cost_cents };
}

/** Signs a document with a webhook secret, according to Standard Webhooks. */
export function signWebhook(
  ownSecret: string,
  document: object,
  { id = `msg_${randomUUID()}`, seconds = Math.floor(Date.now() / 1_000), secret = ownSecret }: WebhookOptions = {},
): SignedWebhook {
  const body = JSON.stringify(document);
  const signature = createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(`${id}.${seconds}.${body}`)
    .digest('base64');
  return {
    headers: { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` },
    body,
  };
}
