import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  createServer as createPlainServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from '../at-end.ts';
import type { CleanUp } from '../database.ts';
import { eventually } from '../eventually.ts';

/** A request that the receiver got. */
export interface Received {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  json(): { id: string; type: string; timestamp: string; sequence: number; data: Record<string, unknown> };
}

/** A program that receives events over HTTP on this machine. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** How it answers from now on; 204 by default. */
  answer: (received: Received, response: ServerResponse, request: IncomingMessage) => void;
  /** Waits until this many requests have arrived. */
  until(count: number): Promise<readonly Received[]>;
  /** The received events of a type, each ID once, in order of arrival. */
  events(type?: string): Received[];
}

/** Starts a receiver on a free loopback port. */
export async function startReceiver(cleanUp: CleanUp): Promise<Receiver> {
  const received: Received[] = [];
  const server = createPlainServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => void (body += part));
    request.on('end', () => {
      const one: Received = {
        path: request.url ?? '',
        method: request.method ?? '',
        headers: request.headers,
        body,
        json: () => JSON.parse(body) as never,
      };
      received.push(one);
      receiver.answer(one, response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(cleanUp, async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: (_received, response) => void response.writeHead(204).end(),
    until: (count) => eventually(`${count} requests have come`, () => received.length >= count && received),
    events: (type) => [
      ...new Map(
        received.filter((r) => type === undefined || r.json().type === type).map((r) => [r.json().id, r]),
      ).values(),
    ],
  };
  return receiver;
}

/** The largest difference between an attempt's time and now that a receiver should accept, in seconds. */
const TOLERANCE_SECONDS = 300;

/**
 * Returns whether a request was signed with a secret. Independent of the signing code: written from the Standard
 * Webhooks convention, as a receiver would. `now` is in seconds.
 */
export function isSigned(secret: string, { headers, body }: Pick<Received, 'headers' | 'body'>, now: number): boolean {
  const id = String(headers['webhook-id']);
  const timestamp = String(headers['webhook-timestamp']);
  if (!/^\d+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const key = Uint8Array.from(atob(secret.slice('whsec_'.length)), (c) => c.charCodeAt(0));
  const expected = createHmac('sha256', key).update(`${id}.`).update(`${timestamp}.`).update(body).digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .some((signature) => {
      const [version, value = ''] = signature.split(',');
      const given = Buffer.from(value, 'base64');
      return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
    });
}
