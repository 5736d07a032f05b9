import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer, json } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import { atEnd } from '../at-end.ts';
import type { CleanUp } from '../database.ts';
import { certificate } from './certificate.ts';
import { received, type ReceivedMail } from './mail-server.ts';

/** An address in a posted document. */
interface JsonAddress {
  readonly email: string;
  readonly name?: string;
}

/** A document that was posted. */
export interface PostedDocument {
  readonly from: JsonAddress;
  readonly return_path?: string;
  readonly reply_to?: readonly JsonAddress[];
  readonly to: readonly JsonAddress[];
  readonly cc: readonly JsonAddress[];
  readonly bcc: readonly JsonAddress[];
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly attachments?: readonly {
    readonly filename: string;
    readonly content_type: string;
    readonly content: string;
  }[];
}

/** What the service does instead of accepting a mail. It answers by itself, or cuts the connection. */
export interface MailApiHooks {
  /** Called with the request before any of its body is read. */
  request?: (request: IncomingMessage, response: ServerResponse) => void;
  /** Called with a complete document. Returns whether it has answered. */
  document?: (document: PostedDocument, response: ServerResponse, request: IncomingMessage) => boolean;
}

/** A service on this machine that takes mail as JSON over HTTP. */
export interface MailApi {
  readonly url: string;
  readonly key: string;
  /** The mails that it has taken over, each idempotency key once. */
  readonly mails: ReceivedMail[];
  readonly documents: PostedDocument[];
  /** The headers of each request, whatever came of it. */
  readonly requests: IncomingHttpHeaders[];
  readonly hooks: MailApiHooks;
}

const transport = createTransport({ streamTransport: true, newline: 'windows' });

/** Starts a service on a free loopback port; over https with the certificate of tests. */
export async function startMailApi(cleanUp: CleanUp, protocol: 'http' | 'https' = 'http'): Promise<MailApi> {
  const ids = new Map<string, string>();
  const api = { key: 'key/of+the.service-1', mails: [], documents: [], requests: [], hooks: {} } as Omit<
    MailApi,
    'url'
  >;
  const reply = (response: ServerResponse, status: number, body: object): ServerResponse =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    api.requests.push(request.headers);
    if (api.hooks.request) {
      api.hooks.request(request, response);
      return undefined;
    }
    if (request.headers.authorization !== `Bearer ${api.key}`) return reply(response, 401, { message: 'no such key' });
    if (request.method !== 'POST') return reply(response, 405, { message: 'post mails here' });
    if (request.headers['content-type'] !== 'application/json') return reply(response, 415, { message: 'not JSON' });
    const document = (await json(request)) as PostedDocument;
    if (api.hooks.document?.(document, response, request)) return undefined;
    const key = String(request.headers['idempotency-key'] ?? `none ${ids.size}`);
    if (!ids.has(key)) {
      ids.set(key, `taken-${ids.size + 1}`);
      api.documents.push(document);
      api.mails.push(await mailOf(document));
    }
    return reply(response, 202, { id: ids.get(key) });
  };
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    // A request that breaks off has no complete document.
    take(request, response).catch(() => response.destroy());
  };
  const server = protocol === 'http' ? createServer(serve) : createSecureServer({ ...certificate }, serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(cleanUp, async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  return { ...api, url: `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}/v1/mails` };
}

/** Writes the mail of a document as such a service does. Headers of the document precede its lists. */
async function mailOf(document: PostedDocument): Promise<ReceivedMail> {
  const {
    from,
    return_path: returnPath = from.email,
    reply_to: replyTo = [],
    to,
    cc,
    bcc,
    subject,
    text,
    html,
    headers,
    attachments = [],
  } = document;
  const { 'Message-ID': messageId, Date: date, To: shownTo, Cc: shownCc, ...others } = headers;
  const envelope = { from: returnPath, to: [...to, ...cc, ...bcc].map(({ email }) => email) };
  const { message } = await transport.sendMail({
    from: addressOf(from),
    replyTo: replyTo.map(addressOf),
    to: shownTo ?? to.map(addressOf),
    cc: shownCc ?? cc.map(addressOf),
    subject,
    ...(text === undefined ? {} : { text }),
    ...(html === undefined ? {} : { html }),
    ...(messageId === undefined ? {} : { messageId }),
    ...(date === undefined ? {} : { date }),
    headers: others,
    attachments: attachments.map(({ filename, content_type: contentType, content }) => ({
      filename,
      contentType,
      content: Buffer.from(content, 'base64'),
    })),
    envelope,
  });
  return received((await buffer(message as Readable)).toString('latin1'), envelope);
}

function addressOf({ email, name = '' }: JsonAddress): { readonly name: string; readonly address: string } {
  return { name, address: email };
}
