import type { OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RenderedAnswer } from '../../kernel/door/idempotency.ts';
import { holdsNumber } from '../../kernel/security/mask.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import { securityHeaders } from './security-headers.ts';
import { renderError } from '../../kernel/render/output.ts';

/** Returns the headers of every response to a call, besides those of every answer. */
export function callHeaders(correlationId: string): Record<string, string> {
  return {
    'x-correlation-id': correlationId,
    'cache-control': 'no-store',
  };
}

/**
 * Sends the rendered response to a call, including headers already set on the reply. Headers and body are complete, so
 * they go to Node in one piece, bypassing the framework's streams, hooks and serializers.
 */
export function sendRendered(
  reply: FastifyReply,
  correlationId: string,
  { status, headers, body }: RenderedAnswer,
): void {
  const all: OutgoingHttpHeaders = { ...callHeaders(correlationId), ...(reply.getHeaders() as OutgoingHttpHeaders) };
  for (const name in headers) all[name.toLowerCase()] = headers[name];
  if (body !== '') all['content-length'] = String(Buffer.byteLength(body));
  else if (status !== 204 && reply.request.method !== 'HEAD') all['content-length'] = '0';
  reply.hijack();
  reply.raw.writeHead(status, all).end(body);
}

/**
 * Answers a call without sign-in: an automated caller (no User-Agent, or any SOAPAction) gets the Basic challenge; a
 * browser that requests a page is redirected to the sign-in page. Returns true if the reply is complete.
 */
export function refuseUnsigned(request: FastifyRequest, reply: FastifyReply): boolean {
  const { headers } = request;
  const automated = headers['user-agent'] === undefined || (headers['soapaction'] ?? '') !== '';
  const carriesCredentials = headers.authorization !== undefined || headers['x-apikey'] !== undefined;
  if (automated) void reply.header('WWW-Authenticate', 'Basic realm="Casewright", charset="UTF-8"');
  else if (request.method === 'GET' && !carriesCredentials && prefersHtml(headers.accept)) {
    const { url = '/' } = request.raw;
    // Proxies and browsers keep addresses; a number that was searched for must not end up in another one.
    const back = holdsNumber(decodeURIComponentSafely(url)) ? (url.split('?')[0] ?? '/') : url;
    void reply.redirect(`/signin?returnTo=${encodeURIComponent(back)}`, 302);
    return true;
  }
  return false;
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether HTML is preferred over every other type that the platform serves. */
function prefersHtml(accept: string | undefined): boolean {
  const first = (accept ?? '').split(',')[0]?.split(';')[0]?.trim().toLowerCase();
  return first === 'text/html' || first === 'application/xhtml+xml';
}

/** Most bytes of an unread body that are drained before the connection is closed. */
const DROPPED_BYTES_MAX = 64 * 1024 * 1024;
/** How long draining an unread body may take, in milliseconds. */
const DROPPED_TIME_MAX = 10_000;

/**
 * Drains what a refused caller still sends, within limits, so that the caller gets its response rather than a broken
 * connection.
 */
export function dropUnreadBody(request: FastifyRequest): void {
  const { raw } = request;
  if (raw.complete || raw.destroyed) return;
  let left = DROPPED_BYTES_MAX;
  const timer = setTimeout(() => raw.destroy(), DROPPED_TIME_MAX).unref();
  raw.on('data', (part: Uint8Array) => {
    left -= part.length;
    if (left < 0) raw.destroy();
  });
  raw.on('close', () => clearTimeout(timer));
  raw.on('error', () => undefined);
  raw.resume();
}

/** Sends the response to a request that failed before it reached an operation, in the common shape of errors. */
export function sendUnread(
  reply: FastifyReply,
  error: PlatformError,
  correlationId: string,
  isSecure = reply.request.protocol === 'https',
): void {
  const { mime, body } = renderError(error, correlationId, 'Xml', 'callback');
  // Requests that the framework refuses have not passed its hooks, and it does not know yet whether they are secure.
  void reply
    .code(error.status)
    .headers({ ...securityHeaders(isSecure), 'X-Correlation-ID': correlationId })
    .type(mime)
    .send(body);
}

/** The errors of bytes that are no request, by Node's code, with the status lines of their responses. */
const unreadable: ReadonlyMap<string, { readonly error: PlatformError; readonly line: string }> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    {
      error: new PlatformError('TOO_LARGE', { message: 'The address and headers are larger than the limit.' }),
      line: '431 Request Header Fields Too Large',
    },
  ],
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    {
      error: new PlatformError('TOO_SLOW', { message: 'The request did not arrive in time.' }),
      line: '408 Request Timeout',
    },
  ],
]);
const invalid = {
  error: new PlatformError('BAD_PARAMETER', { message: 'The request is not valid HTTP.' }),
  line: '400 Bad Request',
};

/** Sends the same for bytes that are not an HTTP request, and closes the connection. */
export function refuseBytes(socket: Socket, code: string | undefined, correlationId: string): void {
  if (!socket.writable) return void socket.destroy();
  const { error, line } = unreadable.get(code ?? '') ?? invalid;
  const { mime, body } = renderError(error, correlationId, 'Xml', 'callback');
  const headerLines = Object.entries(securityHeaders(false))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  socket.end(
    `HTTP/1.1 ${line}\r\nContent-Type: ${mime}\r\n${headerLines}` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
