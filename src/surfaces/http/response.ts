import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RenderedAnswer } from '../../kernel/door/idempotency.ts';
import { holdsNumber } from '../../kernel/security/mask.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import { renderError } from '../../kernel/render/output.ts';

/** Sends a rendered answer. */
export function sendRendered(reply: FastifyReply, rendered: RenderedAnswer): void {
  void reply
    .code(rendered.status)
    .headers(rendered.headers)
    .send(rendered.body === '' ? undefined : rendered.body);
}

/**
 * How a missing sign-in is told: an automated caller (no User-Agent, or any SOAPAction) gets the Basic challenge; a browser
 * that asks for a page goes to the sign-in page. Answers true where the reply is complete.
 */
export function refuseUnsigned(request: FastifyRequest, reply: FastifyReply): boolean {
  const { headers } = request;
  const automated = headers['user-agent'] === undefined || (headers['soapaction'] ?? '') !== '';
  const carriesCredentials = headers.authorization !== undefined || headers['x-apikey'] !== undefined;
  if (automated) void reply.header('WWW-Authenticate', 'Basic realm="Casewright", charset="UTF-8"');
  else if (request.method === 'GET' && !carriesCredentials && prefersHtml(headers.accept)) {
    const { url = '/' } = request.raw;
    // Addresses are kept by proxies and browsers; a number that was searched for must not go into another one.
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

/** Whether HTML stands before every other type that the platform answers. */
function prefersHtml(accept: string | undefined): boolean {
  const first = (accept ?? '').split(',')[0]?.split(';')[0]?.trim().toLowerCase();
  return first === 'text/html' || first === 'application/xhtml+xml';
}

/** How much of a body that nobody reads is taken off the wire, and for how long, before the connection is cut. */
const DROPPED_BYTES_MAX = 64 * 1024 * 1024;
/** How long the rest of an unread body may take, in milliseconds. */
const DROPPED_TIME_MAX = 10_000;

/** What a refused caller still sends is dropped, so that it gets its answer rather than a broken connection; but not for ever. */
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

/** The answer to a request that failed before it came to an operation, in the one shape of errors. */
export function sendUnread(reply: FastifyReply, error: PlatformError, correlationId: string): void {
  const { mime, body } = renderError(error, correlationId, 'Xml', 'callback');
  void reply.code(error.status).header('X-Correlation-ID', correlationId).type(mime).send(body);
}

/** The same for bytes that are no HTTP request at all; the connection ends with it. */
export function refuseBytes(socket: Socket, code: string | undefined, correlationId: string): void {
  if (!socket.writable) return void socket.destroy();
  const error =
    code === 'HPE_HEADER_OVERFLOW'
      ? new PlatformError('TOO_LARGE', { message: 'The address and headers are larger than the limit.' })
      : new PlatformError('BAD_PARAMETER', { message: 'The request is not valid HTTP.' });
  const { mime, body } = renderError(error, correlationId, 'Xml', 'callback');
  const words = error.code === 'TOO_LARGE' ? 'Request Header Fields Too Large' : 'Bad Request';
  socket.end(
    `HTTP/1.1 ${error.code === 'TOO_LARGE' ? 431 : 400} ${words}\r\nContent-Type: ${mime}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
