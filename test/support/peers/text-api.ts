import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { atEnd } from '../at-end.ts';
import type { CleanUp } from '../database.ts';

/** A text message as it was posted. */
export interface PostedText {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly id: string;
}

/** A service on this machine that takes text messages as JSON over HTTP. It knows no number that ends with 99. */
export interface TextApi {
  readonly url: string;
  readonly key: string;
  /** The messages that it has taken over, each idempotency key once. */
  readonly texts: PostedText[];
}

/** Starts a service on a free loopback port. */
export async function startTextApi(cleanUp: CleanUp): Promise<TextApi> {
  const [key, texts, taken] = ['key-of-the-text-service', [] as PostedText[], new Set<unknown>()];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, body } = await answerTo(request);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
  const answerTo = async (request: IncomingMessage): Promise<{ status: number; body: object }> => {
    if (request.headers.authorization !== `Bearer ${key}`) return { status: 401, body: { message: 'no such key' } };
    if (request.method !== 'POST') return { status: 405, body: { message: 'post messages here' } };
    const posted = (await json(request)) as PostedText;
    if (posted.to.endsWith('99')) return { status: 422, body: { message: 'no such number' } };
    const id = request.headers['idempotency-key'];
    if (!taken.has(id)) texts.push(posted);
    taken.add(id);
    return { status: 202, body: { id: `text-${texts.length}` } };
  };
  const server = createServer((request, response) => {
    // A request that breaks off has no complete document.
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(cleanUp, async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/texts`, key, texts };
}
