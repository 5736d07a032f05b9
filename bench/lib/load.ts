import { connect, type Socket } from 'node:net';
import { answerParent } from './child.ts';

/** A slice of load: each caller sends its next request as soon as the last one is answered. */
export interface Load {
  readonly port: number;
  readonly callers: number;
  readonly milliseconds: number;
  /** Complete HTTP/1.1 requests, sent in turn. */
  readonly requests: readonly string[];
}

/** Result of a slice. */
export interface LoadResult {
  readonly calls: number;
  readonly seconds: number;
  readonly bytes: number;
}

/** The requests that the load process handles. */
export type LoadHandlers = typeof handlers;

const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * Sends requests over persistent connections. Responses must have a length and status 200; anything else ends the
 * benchmark, because fast errors would look like speed. Uses raw sockets, since an HTTP client costs as much CPU as the
 * server.
 */
async function load({ port, callers, milliseconds, requests }: Load): Promise<LoadResult> {
  const encoded = requests.map((text) => Buffer.from(text));
  const began = performance.now();
  const shared = { next: 0, calls: 0, bytes: 0, until: began + milliseconds };
  await Promise.all(Array.from({ length: callers }, () => callUntil(port, encoded, shared)));
  return { calls: shared.calls, seconds: (performance.now() - began) / 1000, bytes: shared.bytes };
}

function callUntil(
  port: number,
  requests: readonly Buffer[],
  shared: { next: number; calls: number; bytes: number; until: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let pending: Buffer | undefined;
    const send = (): void => void socket.write(requests[shared.next++ % requests.length] ?? '');
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => resolve());
    socket.on('data', (chunk: Buffer) => {
      pending = pending ? Buffer.concat([pending, chunk]) : chunk;
      const length = lengthOfAnswer(pending);
      if (length === undefined || pending.length < length) return;
      if (!pending.subarray(0, 12).equals(OK)) {
        reject(new Error(`the server answered ${pending.subarray(0, 600).toString()}`));
        socket.destroy();
        return;
      }
      pending = undefined;
      shared.calls++;
      shared.bytes += length;
      if (performance.now() < shared.until) send();
      else socket.end();
    });
  });
}

const OK = Buffer.from('HTTP/1.1 200');

function lengthOfAnswer(answer: Buffer): number | undefined {
  const end = answer.indexOf(END_OF_HEAD);
  if (end < 0) return undefined;
  const lengthHeader = /\r\ncontent-length: (\d+)/i.exec(answer.toString('latin1', 0, end));
  if (!lengthHeader) throw new Error('an answer without Content-Length');
  return end + END_OF_HEAD.length + Number(lengthHeader[1]);
}

const handlers = { load };

answerParent(handlers);
