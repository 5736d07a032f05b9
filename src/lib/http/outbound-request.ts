import {
  Agent as PlainAgent,
  request as plainRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent, request } from 'node:https';
import { guardedLookup, type OutboundRules } from '../../kernel/security/outbound.ts';

/** The most bytes of an answer's headers. */
const HEADER_BYTES_MAX = 16_384;

/** What is asked of a service outside, and how long and how large its answer may be. */
export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly rules: OutboundRules;
  /** From the first step of connecting to the last byte of the answer. */
  readonly milliseconds: number;
  readonly answerBytesMax: number;
}

/** What a service answered, whatever its status. */
export interface OutboundResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** That an answer came too late, or was longer than it may be. */
class OutboundError extends Error {
  readonly code: 'TIMED_OUT' | 'TOO_LARGE';

  constructor(code: OutboundError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Asks a service outside for an answer that is read whole. The connection is made to an address that was looked at and
 * is used for nothing else, past any proxy of the environment; redirects are not followed. @throws OutboundFault, or
 * the error of the connection
 */
export function sendOutboundRequest(url: URL, question: OutboundRequest): Promise<OutboundResponse> {
  const { method, headers, body, rules, milliseconds, answerBytesMax } = question;
  const isPlain = url.protocol === 'http:';
  const signal = AbortSignal.timeout(milliseconds);
  const options: RequestOptions = {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }) },
    lookup: guardedLookup(rules, url),
    agent: isPlain ? new PlainAgent({ keepAlive: false }) : new Agent({ keepAlive: false, rejectUnauthorized: true }),
    maxHeaderSize: HEADER_BYTES_MAX,
    signal,
  };
  return new Promise((answered, failed) => {
    const fail = (error: unknown): void => {
      if (signal.aborted) failed(new OutboundError('TIMED_OUT', 'the answer did not come in time'));
      else failed(error instanceof Error ? error : new Error('the connection failed'));
    };
    const asking = (isPlain ? plainRequest : request)(url, options, (answer) => {
      bodyOf(answer, answerBytesMax)
        .then((text) => answered({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }), fail)
        .finally(() => asking.destroy());
    });
    asking.on('error', fail);
    asking.end(body);
  });
}

async function bodyOf(answer: IncomingMessage, bytesMax: number): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > bytesMax) throw new OutboundError('TOO_LARGE', 'the answer is too large');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
