import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ANONYMOUS_BYTES_MAX, bodyParameters, PARAMETER_BYTES_MAX } from '../../kernel/parameters/body-parameters.ts';
import { errorTable, PlatformError, type ErrorCode } from '../../kernel/door/errors.ts';
import type { Call, CallOutcome } from '../../kernel/door/call.ts';
import type { Body } from '../../kernel/door/context.ts';
import { invoke } from '../../kernel/door/invoke.ts';
import type { Operation } from '../../kernel/declare/operation.ts';
import { watchClosing } from '../shared/closing.ts';
import { isCrossSite } from '../shared/csrf.ts';
import { listRequired } from '../../kernel/render/csv.ts';
import { sandboxScope, type Principal } from '../../kernel/security/identity.ts';
import { IDEMPOTENCY_KEY_MAX, type RenderedAnswer } from '../../kernel/door/idempotency.ts';
import { assertSameRecord } from '../../kernel/parameters/identification.ts';
import { holdsNumber } from '../../kernel/security/mask.ts';
import { HashedBody } from '../../kernel/parameters/hashed-body.ts';
import {
  mergeParameters,
  parameter,
  parametersFromQuery,
  type Parameters,
} from '../../kernel/parameters/parameters.ts';
import { assertNoSecretInQuery } from '../../kernel/parameters/secret-parameters.ts';
import type { Platform, Stylesheet } from '../../kernel/ports/platform.ts';
import { TRANSFORM_POLICY } from '../../kernel/render/html.ts';
import {
  isPage,
  pageTypes,
  parseCallback,
  parseOutput,
  render,
  renderPieces,
  renderError,
  type Output,
} from '../../kernel/render/output.ts';
import { toXml } from '../../kernel/render/xml.ts';
import { parseRoute, unknownOperation, type Route } from '../../kernel/door/route.ts';
import { credentialOf, mimeOf, segmentsOf, splitFormChoice, takeTransform, type FormChoice } from './request.ts';
import { checkCsrf } from './csrf-check.ts';
import { closeWaitingConnections } from './close-connections.ts';
import { sendContent } from './content.ts';
import { nodeServerOptions, refuseEarly, secureRequestCheck } from './early-refusals.ts';
import { parametersFromHeaders } from './headers.ts';
import { meteredBody } from './metered-body.ts';
import { securityHeaders } from './security-headers.ts';
import { plainHttpWatch } from './plain-http.ts';
import { undeclaredProxyWatch } from './undeclared-proxy.ts';
import type { BodyMeter } from '../../kernel/ports/usage.ts';
import { callHeaders, dropUnreadBody, refuseBytes, refuseUnsigned, sendRendered, sendUnread } from './response.ts';

/** Requests other than operations: each has its own path. */
export type Page = (platform: Platform, request: FastifyRequest, reply: FastifyReply) => Promise<void> | void;

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The web server: every operation under `/api/`, and the given pages. Reads bodies only after authentication. */
export function createServer(
  platform: Platform,
  pages: Readonly<Record<string, Page>>,
  trustedProxies: readonly string[] = [],
): FastifyInstance {
  const isSecure = secureRequestCheck(trustedProxies);
  const app = Fastify({
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    logger: false,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    exposeHeadRoutes: false,
    requestTimeout: 300_000,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    http: nodeServerOptions,
    frameworkErrors: (error, request, reply) =>
      sendUnread(reply as unknown as FastifyReply, fromFrameworkError(error), randomUUID(), isSecure(request.raw)),
    clientErrorHandler: (error, socket) => refuseBytes(socket, error.code, randomUUID()),
  });
  watchClosing(app);
  closeWaitingConnections(app);
  const watchProxies = undeclaredProxyWatch(platform, trustedProxies);
  const refuseOverPlainHttp = plainHttpWatch(platform);
  app.addHook('onRequest', (request, reply, done) => {
    watchProxies(request);
    void reply.headers(securityHeaders(request.protocol === 'https'));
    const checking = refuseOverPlainHttp(request);
    if (!checking) return done();
    checking.then((refused) => (refused ? sendUnread(reply, refused, randomUUID()) : done()), done);
  });
  refuseEarly(app, platform);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  for (const [address, page] of Object.entries(pages)) {
    const [path = '', method] = address.split(' ').reverse();
    app.route({
      method: method === undefined ? ['GET', 'HEAD'] : [method as 'POST'],
      url: path,
      handler: (request, reply) => page(platform, request, reply),
    });
  }
  // Returning the reply itself marks it as in progress: a stream has sent nothing yet, and the framework would end it
  // empty.
  app.route({
    method: methods,
    url: '/api/*',
    handler: (request, reply) => handleCall(platform, request, reply).then(() => reply),
  });
  app.setNotFoundHandler((_request, reply) =>
    reply
      .code(404)
      .type('text/plain; charset=utf-8')
      .send('Nothing found at this address. Operations are under /api/.\n'),
  );
  app.setErrorHandler((error, _request, reply) => {
    const refusal = fromFrameworkError(error);
    const correlationId = randomUUID();
    platform.log.warn('request refused', { code: refusal.code, correlationId });
    sendUnread(reply, refusal, correlationId);
  });
  return app;
}

/** Error messages for requests that could not be read, by the status that the framework assigns. */
function fromFrameworkError(error: unknown): PlatformError {
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  const codes: Readonly<Record<number, ErrorCode>> = { 413: 'TOO_LARGE', 414: 'TOO_LARGE', 415: 'UNREADABLE_TYPE' };
  return new PlatformError(
    codes[status] ?? (status >= 400 && status < 500 ? 'BAD_PARAMETER' : 'INTERNAL'),
    status === 400 ? { message: 'The request could not be read: its address or headers are malformed.' } : {},
  );
}

/** What is known of a request while it is being answered. */
interface Exchange {
  readonly platform: Platform;
  readonly request: FastifyRequest;
  readonly correlationId: string;
  choice: FormChoice;
  /** The stylesheet that renders the page, and the user whom it renders for. */
  transform?: { readonly stylesheet: Stylesheet; readonly scope: string };
  /** Who calls, once it is known. */
  personId?: number;
  /** Whether the call is authenticated by a browser session. */
  session?: boolean;
  operation?: Operation | undefined;
  /** The raw body of a call with an Idempotency-Key. */
  hashed?: HashedBody;
  /** Counts the body; there is one once the first bytes of it are read. */
  meter?: BodyMeter;
}

async function handleCall(platform: Platform, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const began = performance.now();
  const exchange: Exchange = { platform, request, correlationId: correlationOf(request), choice: {} };
  try {
    const outcome = await invoke(platform, toCall(exchange));
    exchange.operation = outcome.operation;
    await sendOutcome(exchange, reply, outcome);
  } catch (error) {
    sendFailure(exchange, reply, error instanceof PlatformError ? error : toInternalError(platform, error));
  }
  // Not awaited: the release ends with the read in progress, which a client that sends nothing more would hold up.
  exchange.hashed?.release().catch(() => undefined);
  exchange.meter?.end();
  dropUnreadBody(request);
  // Use the registered route rather than the path sent: a segment that is not a known name may contain anything.
  platform.log.info('call', {
    correlationId: exchange.correlationId,
    method: request.method,
    operation: exchange.operation?.route ?? 'unknown',
    status: reply.statusCode,
    milliseconds: Math.round(performance.now() - began),
    ...(reply.statusCode >= 400 ? { personId: exchange.personId ?? null, address: request.ip } : {}),
  });
}

function toInternalError(platform: Platform, error: unknown): PlatformError {
  platform.log.error('answer failed', { error: error instanceof Error ? error.name : typeof error });
  return new PlatformError('INTERNAL');
}

/** Returns the caller's correlation ID if it is well-formed, or else a new one. */
function correlationOf(request: FastifyRequest): string {
  const sent = request.headers['x-correlation-id'];
  return typeof sent === 'string' && /^[\w-]{8,64}$/.test(sent) && !holdsNumber(sent) ? sent : randomUUID();
}

function toCall(exchange: Exchange): Call {
  const { request, platform } = exchange;
  const { url = '/' } = request.raw;
  const at = url.indexOf('?');
  const path = at < 0 ? url : url.slice(0, at);
  const query = splitFormChoice(at < 0 ? {} : parametersFromQuery(url.slice(at + 1)));
  exchange.choice = query.choice;
  const route = parseRoute(platform.registry, segmentsOf(path.slice('/api/'.length)), request.method);
  exchange.operation = route.operation;
  const body = sentBody(exchange);
  const mime = mimeOf(request.headers);
  assertMethod(request, route);
  const raw = route.operation?.body === 'raw';
  const credential = credentialOf(request.headers, request.protocol === 'https');
  exchange.session = credential?.kind === 'session';
  const idempotency = idempotencyOf(exchange, route, url);
  if (raw && body && idempotency) exchange.hashed = new HashedBody(body);
  return {
    route,
    parameters: (operation, user) => {
      if (operation.body !== 'raw') assertNoSecretInQuery(platform.registry, operation, query.rest);
      const checked = (all: Parameters): Parameters | Promise<Parameters> =>
        checkedParameters(exchange, { route, operation, user, credential }, all);
      if (raw || !body)
        return checked(mergeParameters(parametersFromHeaders(request.headers, route.operation), query.rest));
      const bytesMax = credential ? PARAMETER_BYTES_MAX : ANONYMOUS_BYTES_MAX;
      return ownBodyParameters(
        exchange,
        { mime, contentType: request.headers['content-type'], bytes: body },
        bytesMax,
      ).then((sent) => {
        assertSameRecord(operation, query.rest, sent);
        // The query wins.
        return checked(mergeParameters(sent, query.rest));
      });
    },
    credential,
    onAuthenticated: ({ personId }) => {
      exchange.personId = personId;
    },
    address: request.ip,
    correlationId: exchange.correlationId,
    isCanceled: () => request.raw.socket.destroyed,
    ...(raw && body ? { body: { mime, bytes: exchange.hashed ?? body } } : {}),
    idempotency: idempotency && { ...idempotency, body: exchange.hashed },
  };
}

/** Refuses methods that change or delete a record by its address for an operation that takes a document. */
function assertMethod(request: FastifyRequest, { operation }: Route): void {
  if (operation?.body !== 'raw' || !['PUT', 'PATCH', 'DELETE'].includes(request.method)) return;
  throw new PlatformError('METHOD_NOT_ALLOWED', {
    message: `${request.method} is not accepted at this address; send the document with POST.`,
  });
}

/** Returns the body of a request, decompressed and counted for its user; undefined if it has none. */
function sentBody(exchange: Exchange): AsyncIterable<Uint8Array> | undefined {
  // Bodies are read only when it is known who calls.
  return meteredBody(exchange.request, () => {
    const { platform, request, personId = 0, operation } = exchange;
    return (exchange.meter = platform.usage.meter({ personId, address: request.ip }, operation?.body !== 'raw'));
  });
}

/** What decides how the parameters of a call are checked. */
interface AuthorizedCall {
  readonly route: Route;
  readonly operation: Operation;
  readonly user: Principal;
  readonly credential: Call['credential'];
}

/** Returns the operation's own parameters of those sent. Refuses what no call may have before it does anything. */
function checkedParameters(
  exchange: Exchange,
  { route, operation, user, credential }: AuthorizedCall,
  all: Parameters,
): Parameters | Promise<Parameters> {
  assertForm(exchange, route);
  const { transform, rest } = takeTransform(operation, all);
  const own = (): Parameters =>
    withVersion(exchange.request, route, checkCsrf(exchange.request, route, credential, rest));
  return transform === undefined ? own() : chooseStylesheet(exchange, operation, user, transform).then(own);
}

/** Returns the operation's parameters in the body, which is read only after the door has authorized the caller. */
async function ownBodyParameters(exchange: Exchange, body: Body, bytesMax: number): Promise<Parameters> {
  const { choice, rest } = splitFormChoice(
    await bodyParameters(body, exchange.request.headers['content-length'], bytesMax),
  );
  exchange.choice = { ...choice, ...exchange.choice };
  return rest;
}

/**
 * Whether a script of another site could read a JsonP response that a browser requests with its user's credentials: a
 * session's cookie, or the Basic credentials that it remembers.
 */
function isReadableByOtherSites({ session, request: { headers, host } }: Exchange): boolean {
  if (session) return true;
  const fetchSite = headers['sec-fetch-site'];
  return headers.authorization !== undefined && isCrossSite({ origin: headers.origin, fetchSite, host });
}

/** Settles the response format before anything is done: a call whose response could not be written must not run. */
function assertForm(exchange: Exchange, route: Route): void {
  const { operation } = route;
  if (exchange.request.method === 'HEAD' && (route.queued || operation?.effect === 'write'))
    throw unknownOperation(exchange.platform.registry, route);
  const output = outputOf(exchange, operation);
  if (output === 'JsonP' && isReadableByOtherSites(exchange))
    throw new PlatformError('BAD_OUTPUT', {
      field: 'Output',
      message:
        'Output: JsonP is not available to a browser session, nor to another site with the credentials that a ' +
        'browser sends, since any site could read the response; use Json, or an API key.',
    });
  parseCallback(exchange.choice.callback);
  if (output === 'Csv' && (route.queued || (operation && !answersList(operation)))) throw listRequired();
}

/** Refuses an unknown stylesheet before anything is done; one that is deleted afterwards is still used. */
async function chooseStylesheet(
  exchange: Exchange,
  operation: Operation,
  user: Principal,
  transform: string,
): Promise<void> {
  // Callers without credentials learn nothing of the stylesheets, and none is run for them.
  if (user.personId === 0) throw new PlatformError('NOT_SIGNED_IN');
  if (!isPage(outputOf(exchange, operation)))
    throw new PlatformError('BAD_OUTPUT', {
      field: 'Transform',
      message: 'Transform: a stylesheet renders pages; send Output=Html or Output=XHtml with it.',
    });
  exchange.transform = { stylesheet: await exchange.platform.stylesheets.find(transform), scope: sandboxScope(user) };
}

/** Whether an operation may return a list; for one that declares only its fields, a read may be tried. */
function answersList({ returns, effect }: Operation): boolean {
  return returns === 'list' || (typeof returns === 'object' && effect === 'read');
}

/** Returns the version of the record that a change is based on, from `If-Match`. */
function withVersion(request: FastifyRequest, route: Route, parameters: Parameters): Parameters {
  const sent = request.headers['if-match'];
  const { operation } = route;
  if (sent === undefined || operation?.effect !== 'write' || parameter(parameters, 'Version') !== undefined)
    return parameters;
  const version = /^(?:W\/)?"?(\d+)"?$/.exec(sent)?.[1];
  if (version === undefined)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'If-Match',
      message: "If-Match: expected the record's version.",
    });
  return { ...parameters, Version: version };
}

function idempotencyOf(exchange: Exchange, route: Route, url: string): Call['idempotency'] {
  const { request } = exchange;
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string' || request.method !== 'POST' || (route.operation?.effect === 'read' && !route.queued))
    return undefined;
  if (key === '' || key.length > IDEMPOTENCY_KEY_MAX)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Idempotency-Key',
      message: `Idempotency-Key: expected 1 to ${IDEMPOTENCY_KEY_MAX} characters.`,
    });
  return {
    key: `http ${key}`,
    request: `${request.method} ${url} ${request.headers['content-length'] ?? ''}`,
    render: (outcome) => renderOutcome(exchange, outcome),
  };
}

function outputOf(exchange: Exchange, operation: CallOutcome['operation'] | undefined): Output {
  if (operation?.form !== undefined) return operation.form === 'xml' ? 'Xml' : 'Json';
  return parseOutput(exchange.choice.output, exchange.session ? 'Html' : 'Xml');
}

/**
 * A response ready to be sent, or to be stored under an Idempotency-Key. Files are not stored: repeating the call
 * returns them again.
 */
function renderOutcome(exchange: Exchange, outcome: CallOutcome): RenderedAnswer {
  if (outcome.failure) return renderFailure(exchange, outcome.failure.masked());
  const { answer: of, alerts } = outcome;
  if (of.kind === 'content')
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Idempotency-Key',
      message: 'Idempotency-Key: this operation returns a file, and files are not stored for repeats.',
    });
  const alertHeader: Record<string, string> = alerts.length > 0 ? { 'X-Alerts': String(alerts.length) } : {};
  if (of.kind === 'nothing' && alerts.length === 0) return { status: 204, headers: {}, body: '' };
  const status = outcome.queued ? 202 : answeredStatus(of);
  const output = outputOf(exchange, outcome.operation);
  if (exchange.transform && isPage(output))
    return {
      status,
      headers: { 'Content-Type': pageTypes[output], ...policyHeader(TRANSFORM_POLICY), ...alertHeader },
      body: toXml(of, alerts),
      transform: { wellFormed: output === 'XHtml' },
    };
  const { mime, body, policy } = render(of, alerts, output, parseCallback(exchange.choice.callback));
  return { status, headers: { 'Content-Type': mime, ...policyHeader(policy), ...alertHeader }, body };
}

/** Returns the status of an answer: 500 if it reports a failure. */
function answeredStatus(answer: CallOutcome['answer']): number {
  if (answer.kind !== 'tree' || answer.failed === undefined || answer.failed === false) return 200;
  return answer.failed === true ? 500 : errorTable[answer.failed].status;
}

/** Replaces the content security policy of responses that are not pages. */
function policyHeader(policy: string | undefined): Record<string, string> {
  return policy === undefined ? {} : { 'Content-Security-Policy': policy };
}

/**
 * Renders the page with the stylesheet. It sees only the caller's own response; if it fails, the call stays committed.
 */
async function applyStylesheet(
  exchange: Exchange,
  outcome: CallOutcome,
  { transform, ...made }: RenderedAnswer,
): Promise<RenderedAnswer> {
  const { transform: chosen, platform } = exchange;
  if (!transform || !chosen) return made;
  try {
    return {
      ...made,
      body: await platform.sandbox.transform({
        stylesheet: chosen.stylesheet.text,
        xml: made.body,
        scope: chosen.scope,
        wellFormed: transform.wellFormed,
      }),
    };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const message =
      outcome.operation.effect === 'write' || outcome.queued
        ? `${error.message} The call itself was carried out.`
        : error.message;
    throw new PlatformError(error.code, {
      message,
      field: 'Transform',
      cause: error,
      ...(error.details ? { details: error.details } : {}),
    }).masked();
  }
}

async function sendOutcome(exchange: Exchange, reply: FastifyReply, outcome: CallOutcome): Promise<void> {
  if (outcome.replay) {
    const headers = { ...outcome.replay.headers, 'Idempotency-Replayed': 'true' };
    await sendAnswer(exchange, reply, outcome, { ...outcome.replay, headers });
  } else if (outcome.answer.kind === 'content') {
    await sendContent(exchange.request, reply.headers(callHeaders(exchange.correlationId)), outcome.answer);
  } else if (!sendPieces(exchange, reply, outcome))
    await sendAnswer(exchange, reply, outcome, renderOutcome(exchange, outcome));
}

/** Sends an answer that is still being read, piece by piece. Returns false for any other. */
function sendPieces(exchange: Exchange, reply: FastifyReply, { operation, answer, alerts }: CallOutcome): boolean {
  if (exchange.request.method === 'HEAD') return false;
  const rendered = renderPieces(answer, alerts, outputOf(exchange, operation));
  if (!rendered) return false;
  if (alerts.length > 0) void reply.header('X-Alerts', String(alerts.length));
  void reply
    .code(answeredStatus(answer))
    .headers(callHeaders(exchange.correlationId))
    .type(rendered.mime)
    .send(Readable.from(rendered.pieces, { objectMode: false }));
  return true;
}

async function sendAnswer(
  exchange: Exchange,
  reply: FastifyReply,
  outcome: CallOutcome,
  rendered: RenderedAnswer,
): Promise<void> {
  const page = rendered.transform ? await applyStylesheet(exchange, outcome, rendered) : rendered;
  sendRendered(reply, exchange.correlationId, page);
}

function sendFailure(exchange: Exchange, reply: FastifyReply, error: PlatformError): void {
  if (
    error.code === 'NOT_SIGNED_IN' &&
    refuseUnsigned(exchange.request, reply.headers(callHeaders(exchange.correlationId)))
  )
    return;
  if (error.code === 'METHOD_NOT_ALLOWED') void reply.header('Allow', 'GET, HEAD, POST');
  const retryAfter = error.details?.['RetryAfterSeconds'];
  if (typeof retryAfter === 'number') void reply.header('Retry-After', String(retryAfter));
  if (error.alerts.length > 0) void reply.header('X-Alerts', String(error.alerts.length));
  sendRendered(reply, exchange.correlationId, renderFailure(exchange, error));
}

function renderFailure(exchange: Exchange, error: PlatformError): RenderedAnswer {
  let output: Output = 'Xml';
  let callback = 'callback';
  try {
    output = outputOf(exchange, exchange.operation);
    callback = parseCallback(exchange.choice.callback);
  } catch {
    // The choice of format is itself invalid; the error is sent as XML.
  }
  const { mime, body, policy } = renderError(error, exchange.correlationId, output, callback);
  return { status: error.status, headers: { 'Content-Type': mime, ...policyHeader(policy) }, body };
}
