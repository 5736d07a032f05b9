import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PlatformError } from '../../kernel/door/errors.ts';
import { isAllowed, networkList } from '../../kernel/security/networks.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import { renderError } from '../../kernel/render/output.ts';
import { sendUnread } from './response.ts';
import { securityHeaders } from './security-headers.ts';

/** Largest address and headers together, in bytes: enough for a query with a few thousand IDs. */
const HEADER_BYTES_MAX = 64 * 1024;
/** Most open connections of a process. A silent one takes about 20 kB; each needs a file descriptor. */
const CONNECTIONS_MAX = 10_000;
/** How long a client may take to send the address and headers of a request. */
const HEADERS_MILLISECONDS_MAX = 20_000;
/** How often that is checked. */
const CHECK_MILLISECONDS = 5_000;
/** How long further connections beyond the limit are not logged. */
const LOGGED_MILLISECONDS = 60_000;

/** Options of Node's server. Hosts are counted here: see {@link refuseEarly}. */
export const nodeServerOptions = {
  maxHeaderSize: HEADER_BYTES_MAX,
  headersTimeout: HEADERS_MILLISECONDS_MAX,
  connectionsCheckingInterval: CHECK_MILLISECONDS,
  requireHostHeader: false,
} as const;

/**
 * Refuses requests before any page or operation sees them: without exactly one host, with an unsupported `Expect`
 * header, or while the server shuts down. Refuses connections beyond the limit too. Responses have the usual security
 * headers.
 */
export function refuseEarly(app: FastifyInstance, { log }: Platform): void {
  let isClosing = false;
  app.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (isClosing)
      refuse(
        reply,
        new PlatformError('UNAVAILABLE', { message: 'The server is shutting down; ' + 'send the request again.' }),
      );
    else if (!hasOneHost(request)) refuse(reply, ambiguousHost());
    else done();
  });
  app.server.on('checkExpectation', refuseExpectation);
  app.server.maxConnections = CONNECTIONS_MAX;
  let loggedAt = Number.NEGATIVE_INFINITY;
  app.server.on('drop', () => {
    if (performance.now() - loggedAt < LOGGED_MILLISECONDS) return;
    loggedAt = performance.now();
    log.warn('connections are refused: as many as a process takes are open', { connections: CONNECTIONS_MAX });
  });
}

function refuse(reply: FastifyReply, error: PlatformError): void {
  void reply.header('Connection', 'close');
  sendUnread(reply, error, randomUUID());
}

function ambiguousHost(): PlatformError {
  return new PlatformError('BAD_PARAMETER', { field: 'Host', message: 'Host: expected exactly one such header.' });
}

/** Whether a request names one host (RFC 9112, 3.2): of two, a proxy could have checked the other one. */
function hasOneHost({ raw }: FastifyRequest): boolean {
  const { rawHeaders, httpVersion } = raw;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const error = new PlatformError('BAD_PARAMETER', { field: 'Expect', message: 'Expect: expected 100-continue.' });
  const { mime, body } = renderError(error, randomUUID(), 'Xml', 'callback');
  response.writeHead(417, { ...securityHeaders(false), 'content-type': mime, connection: 'close' }).end(body);
}

/**
 * Returns whether a client sent a request over HTTPS, which a trusted proxy reports. For requests that the framework
 * refuses before it knows its proxies; for all others it says so itself.
 */
export function secureRequestCheck(trustedProxies: readonly string[]): (request: IncomingMessage) => boolean {
  const trusted = networkList(trustedProxies.join(','));
  return ({ headers, socket }) => {
    const protocols = String(headers['x-forwarded-proto'] ?? '').split(',');
    return (
      (socket as Socket & { encrypted?: boolean }).encrypted === true ||
      (trusted !== undefined &&
        isAllowed(trusted, socket.remoteAddress ?? '') &&
        protocols.at(-1)?.trim().toLowerCase() === 'https')
    );
  };
}
