import {
  Agent as PlainAgent,
  request as plainRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent, request } from 'node:https';
import type { Readable } from 'node:stream';
import { guardedLookup, type OutboundRules, type Resolve } from '../../kernel/security/outbound.ts';

/** The most bytes of an answer's headers. */
const HEADER_BYTES_MAX = 16_384;

/** What is asked of a service outside, and how long and how large its answer may be. */
export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is read only once the connection is established, and only as fast as the connection takes it. */
  readonly body?: string | Readable;
  readonly rules: OutboundRules;
  /**
   * From the first step of connecting to the last byte of the answer. With a stream it starts anew whenever the
   * connection has taken a piece, since a large body over a slow line is not late.
   */
  readonly milliseconds: number;
  readonly answerBytesMax: number;
  /** Returns the start of a longer answer, and as much as came of one that broke off, instead of throwing. */
  readonly isAnswerCut?: boolean;
  /** Looks up the address of a host instead of the system. */
  readonly resolve?: Resolve;
  /** Cancels the request. */
  readonly signal?: AbortSignal;
}

/** What a service answered, whatever its status. */
export interface OutboundResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The response timed out or was too long, or the caller canceled the request. */
class OutboundError extends Error {
  readonly code: 'TIMED_OUT' | 'TOO_LARGE' | 'ABORTED';

  constructor(code: OutboundError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Asks a service outside for an answer that is read whole. The connection is made to an address that was looked at and
 * is used for nothing else, past any proxy of the environment; redirects are not followed. @throws OutboundError, or
 * the error of the connection
 */
export function sendOutboundRequest(url: URL, question: OutboundRequest): Promise<OutboundResponse> {
  const { body, milliseconds, signal } = question;
  const options = requestOptions(url, question);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), milliseconds).unref();
  return new Promise((answered, failed) => {
    const fail = (error: unknown): void => {
      if (late.signal.aborted) failed(new OutboundError('TIMED_OUT', 'the answer did not come in time'));
      else if (signal?.aborted) failed(new OutboundError('ABORTED', 'the request was ended before an answer came'));
      else failed(error instanceof Error ? error : new Error('the connection failed'));
    };
    const asking = (url.protocol === 'http:' ? plainRequest : request)(
      url,
      { ...options, signal: signal ? AbortSignal.any([late.signal, signal]) : late.signal },
      (answer) => {
        const status = answer.statusCode ?? 0;
        // Whoever refuses a body need not read the rest: sending it would break the connection too early.
        if (typeof body === 'object' && status >= 300) body.unpipe(asking);
        bodyOf(answer, question)
          .then((text) => answered({ status, headers: answer.headers, body: text }), fail)
          .finally(() => asking.destroy());
      },
    );
    asking.on('error', fail);
    asking.on('close', () => clearTimeout(timer));
    if (typeof body === 'object') pour(body, asking, timer);
    else asking.end(body);
  });
}

/** Returns the options of a request: its connection is made to a checked address, and used for nothing else. */
export function requestOptions(
  url: URL,
  { method, headers, body, rules, resolve }: Pick<OutboundRequest, 'method' | 'headers' | 'body' | 'rules' | 'resolve'>,
): RequestOptions {
  return {
    method,
    headers: { ...headers, ...(typeof body === 'string' ? { 'Content-Length': Buffer.byteLength(body) } : {}) },
    lookup: guardedLookup(rules, url, resolve),
    agent:
      url.protocol === 'http:'
        ? new PlainAgent({ keepAlive: false })
        : new Agent({ keepAlive: false, rejectUnauthorized: true }),
    maxHeaderSize: HEADER_BYTES_MAX,
  };
}

/** Sends a stream once the connection is established. Each piece that the connection takes restarts the timer. */
function pour(body: Readable, asking: ClientRequest, timer: NodeJS.Timeout): void {
  body.once('error', (error) => asking.destroy(error));
  asking.once('socket', (socket) => {
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
      timer.refresh();
      body.pipe(asking);
    });
  });
  for (const event of ['drain', 'finish']) asking.on(event, () => timer.refresh());
  asking.once('close', () => body.destroy());
}

async function bodyOf(
  answer: IncomingMessage,
  { answerBytesMax, isAnswerCut = false }: OutboundRequest,
): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      bytes += piece.length;
      pieces.push(piece);
      if (bytes > answerBytesMax) throw new OutboundError('TOO_LARGE', 'the answer is too large');
    }
  } catch (error) {
    if (!isAnswerCut) throw error;
  }
  return Buffer.concat(pieces).subarray(0, answerBytesMax).toString();
}
