import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formParameters } from '../../kernel/parameters/body-parameters.ts';
import { receivedBody } from '../shared/received-body.ts';
import { CSRF_PARAMETER, csrfToken, isCsrfToken, isCrossSite } from '../shared/csrf.ts';
import { sessionTokenOf } from '../shared/session-cookie.ts';
import { fromDatabaseError, loggableMessage } from '../../kernel/database/database-error.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Principal } from '../../kernel/security/identity.ts';
import type { Answer, Row } from '../../kernel/door/answer.ts';
import type { Call, CallOutcome } from '../../kernel/door/call.ts';
import type { RenderedAnswer } from '../../kernel/door/idempotency.ts';
import { defaultPreferences } from '../../kernel/security/preferences.ts';
import { invoke } from '../../kernel/door/invoke.ts';
import { holdsNumber } from '../../kernel/security/mask.ts';
import { parametersFromCode, parametersFromQuery, type Parameters } from '../../kernel/parameters/parameters.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import type { Markup } from '../../kernel/render/markup.ts';
import { parseRoute } from '../../kernel/door/route.ts';
import type { CreatedOnce, FramePage, PageAnswer, PageCall } from './page-call.ts';
import { CONFIRMATION_FIELD } from './confirmation.ts';
import { errorPage, errorTitle } from './error-page.ts';
import { layout } from './layout.ts';

/** Answers requests for a page's address. */
export type Page = (platform: Platform, request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** The page on which users change their passwords. */
const ACCOUNT_PATH = '/account';

/** Creates a page for signed-in users. Others are redirected to the sign-in page, and back once they have signed in. */
export function page(make: (call: PageCall) => Promise<PageAnswer>): Page {
  return async (platform, request, reply) => {
    const correlationId = randomUUID();
    const began = performance.now();
    let user: Principal | undefined;
    const token = sessionTokenOf(request.headers.cookie, request.protocol === 'https');
    try {
      const stale = platform.settings.fresh();
      if (stale) await stale;
      if (token === undefined) throw new PlatformError('NOT_SIGNED_IN');
      user = await platform.identity.authenticate({ kind: 'session', token }, request.ip);
      const { [CONFIRMATION_FIELD]: password, ...form } = await readVerifiedForm(platform, request, { token, user });
      const refusal = await confirmIdentity(platform, request, token, password);
      if (typeof password === 'string' && !refusal)
        user = await platform.identity.authenticate({ kind: 'session', token }, request.ip);
      const call = pageCall(platform, request, { user, token, form, correlationId, refusal });
      // Whoever has a password from somebody else gets no further than where it is changed.
      const isElsewhere = request.routeOptions.url !== ACCOUNT_PATH;
      const answer = user.mustChangePassword && isElsewhere ? { redirectTo: ACCOUNT_PATH } : await make(call);
      await sendAnswer(reply, call, answer);
    } catch (error) {
      await logIfForged(platform, request, { error, user, correlationId });
      await sendFailure(platform, request, reply, { error, user, token, correlationId });
    }
    // The route and not the requested address, which may contain anything.
    platform.log.info('page', {
      correlationId,
      method: request.method,
      page: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      milliseconds: Math.round(performance.now() - began),
      ...(reply.statusCode >= 400 ? { personId: user?.personId ?? null, address: request.ip } : {}),
    });
  };
}

async function sendAnswer(reply: FastifyReply, call: PageCall, answer: PageAnswer): Promise<void> {
  if ('redirectTo' in answer) sendRedirect(reply, answer.redirectTo);
  else if ('fragment' in answer) sendPage(reply, answer.fragment, 200);
  else if ('frame' in answer) sendFrame(reply, answer.frame);
  else {
    // The policy of pages allows no form to lead to another site, not even by a redirect.
    if (answer.continueAt !== undefined) void reply.header('Refresh', `0; url=${new URL(answer.continueAt).href}`);
    sendPage(reply, await layout({ ...answer, call }), answer.status ?? 200);
  }
}

/**
 * Confirms the user's identity with the password that a form sent along. Returns an error that the form's own change is
 * to be refused with, so that the page shows it with everything that was entered.
 */
async function confirmIdentity(
  platform: Platform,
  request: FastifyRequest,
  token: string,
  password: unknown,
): Promise<PlatformError | undefined> {
  if (typeof password !== 'string' || password === '') return undefined;
  try {
    await platform.identity.confirm(token, password, request.ip);
    return undefined;
  } catch (error) {
    if (error instanceof PlatformError && error.status < 500) return error;
    throw error;
  }
}

/** What a page's calls are made from. */
interface PageRequest {
  readonly user: Principal;
  readonly token: string;
  readonly form: Parameters;
  readonly correlationId: string;
  /** Why the user's identity is not confirmed, although the form tried to. */
  readonly refusal?: PlatformError | undefined;
}

/** Returns the ID of the record that an answer is about. */
function idOf(answer: Answer): string {
  const id = answer.kind === 'item' ? (answer.row as Row)[`${answer.name}ID`] : undefined;
  return typeof id === 'number' ? String(id) : '';
}

/** Returns what is stored about a call that is made once: the ID of the record, and the codes of its alerts. */
function onceText({ answer, alerts }: CallOutcome): string {
  return [idOf(answer), ...alerts.map(({ code }) => code)].join(' ');
}

function pageCall(platform: Platform, request: FastifyRequest, of: PageRequest): PageCall {
  const { user, correlationId, refusal } = of;
  const { url = '/' } = request.raw;
  const at = url.indexOf('?');
  const { position } = platform.changes;
  const callNamed = async (
    name: string,
    parameters: Parameters = {},
    idempotency?: Call['idempotency'],
  ): Promise<CallOutcome> => {
    const route = parseRoute(platform.registry, name.split('/'), 'POST');
    if (refusal && route.operation?.effect !== 'read') throw refusal;
    return invoke(platform, {
      route,
      parameters,
      principal: user,
      address: request.ip,
      correlationId,
      cause: ['Page'],
      surface: 'page',
      ...(idempotency && { idempotency }),
    });
  };
  const callOnce = async (key: string, name: string, parameters: Parameters): Promise<CreatedOnce> => {
    const render = (outcome: CallOutcome): RenderedAnswer => ({ status: 200, headers: {}, body: onceText(outcome) });
    const outcome = await callNamed(name, parameters, { key, request: name, render });
    const [id = '', ...alerts] = (outcome.replay ? outcome.replay.body : onceText(outcome)).split(' ');
    return { id: Number(id), alerts };
  };
  const may = (route: string): boolean => {
    const [module = '', ...path] = route.toLowerCase().split('/');
    const operation = platform.registry.find(module, path.join('/'))?.operation;
    return (
      operation !== undefined && (operation.access !== 'permission' || user.permissions.has(operation.permissionName))
    );
  };
  return {
    platform,
    user,
    preferences: user.preferences ?? defaultPreferences,
    csrf: csrfToken(of.token),
    path: request.params as Readonly<Record<string, string>>,
    query: at < 0 ? {} : parametersFromQuery(url.slice(at + 1)),
    form: of.form,
    refusal,
    correlationId,
    liveSince: position === undefined ? undefined : `${platform.clock.milliseconds()}.${position}`,
    call: (name, parameters, more) =>
      callNamed(name, parametersFromCode({ ...(more as Parameters | undefined), ...parameters })) as never,
    callBelow: (parent, name, parameters) =>
      callNamed(`${parent}/${name}`, parametersFromCode({ ...parameters })) as never,
    callOf: (record, name, parameters, parent) =>
      callNamed(
        `${parent === undefined ? '' : `${parent}/`}${record.module}/${name}`,
        parametersFromCode({ ...parameters }),
      ) as never,
    callNamed: (name, parameters) => callNamed(name, parameters),
    callOnce: (key, name, parameters) => callOnce(key, name, parametersFromCode({ ...parameters })),
    may,
    mayOf: (record, name) => may(`${record.module}/${name}`),
  };
}

/** Reads a submitted form. @throws CSRF_REFUSED unless it comes from a page of this session */
async function readVerifiedForm(
  platform: Platform,
  request: FastifyRequest,
  { token, user }: { readonly token: string; readonly user: Principal },
): Promise<Parameters> {
  if (request.method === 'GET' || request.method === 'HEAD') return {};
  const meter = platform.usage.meter({ personId: user.personId, address: request.ip }, true);
  const read = readForm(request, FORM_BYTES_MAX, (bytes) => meter.receive(bytes)).finally(() => meter.end());
  const { [CSRF_PARAMETER]: sent, ...form } = await read;
  if (!isCsrfToken(token, sent)) throw new PlatformError('CSRF_REFUSED');
  return form;
}

/** Largest form of a page: a record with long texts, each sent with its original value. */
const FORM_BYTES_MAX = 8 * 1024 * 1024;

/**
 * Reads a posted form. `count` is called with the length of each piece.
 * @throws CSRF_REFUSED for a form of another site, before reading it
 */
export async function readForm(
  request: FastifyRequest,
  bytesMax: number,
  count?: (bytes: number) => Promise<void> | undefined,
): Promise<Parameters> {
  const { headers } = request;
  if (isCrossSite({ origin: headers.origin, fetchSite: headers['sec-fetch-site'], host: request.host }))
    throw new PlatformError('CSRF_REFUSED');
  const contentType = headers['content-type'];
  const mime = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return formParameters(
    { mime, contentType, bytes: receivedBody(request.body as AsyncIterable<Uint8Array>, request.raw, count) },
    headers['content-length'],
    bytesMax,
  );
}

/** Scripts, styles and form targets are of this server only, and no site can frame the pages. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sends a page. */
export function sendPage(reply: FastifyReply, markup: Markup, status: number): void {
  void reply
    .code(status)
    .headers({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'same-origin',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cache-Control': 'no-store',
    })
    .send(markup.markup);
}

/** Sends the document of a sandboxed frame. */
function sendFrame(reply: FastifyReply, { document, policy }: FramePage): void {
  void reply
    .code(200)
    .headers({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'SAMEORIGIN',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
    })
    .send(document);
}

/** Redirects the browser to another page of this server, which it requests with GET. */
export function sendRedirect(reply: FastifyReply, path: string): void {
  void reply
    .code(303)
    .headers({ Location: path, 'Cache-Control': 'no-store', 'Referrer-Policy': 'same-origin' })
    .send();
}

/** A failed request of a page. */
interface PageFailure {
  readonly error: unknown;
  readonly user: Principal | undefined;
  readonly token: string | undefined;
  readonly correlationId: string;
}

/**
 * Logs a form that did not come from a page of this server, or of the session. A log that is unavailable does not
 * change the answer.
 */
export async function logIfForged(
  platform: Platform,
  request: FastifyRequest,
  of: { readonly error: unknown; readonly user?: Principal | undefined; readonly correlationId?: string },
): Promise<void> {
  const { error, user, correlationId = '' } = of;
  if (!(error instanceof PlatformError) || error.code !== 'CSRF_REFUSED') return;
  const event = {
    event: 'RequestForged',
    personId: user?.personId ?? null,
    address: request.ip,
    detail: request.routeOptions.url ?? '',
  };
  await platform.journal.security(event, correlationId).catch((failure: unknown) => {
    platform.log.error('security log unavailable', { error: loggableMessage(failure) });
  });
}

async function sendFailure(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { error, user, token, correlationId }: PageFailure,
): Promise<void> {
  const known = error instanceof PlatformError ? error : (fromDatabaseError(error) ?? new PlatformError('INTERNAL'));
  if (known.code === 'INTERNAL') platform.log.error('page failed', { correlationId, error: loggableMessage(error) });
  if (known.code === 'NOT_SIGNED_IN') {
    sendRedirect(reply, `/signin?returnTo=${encodeURIComponent(pathAfterSignIn(request))}`);
    return;
  }
  void reply.header('X-Correlation-ID', correlationId);
  const retryAfter = known.details?.['RetryAfterSeconds'];
  if (typeof retryAfter === 'number') void reply.header('Retry-After', String(retryAfter));
  const call =
    user && token !== undefined ? pageCall(platform, request, { user, token, form: {}, correlationId }) : undefined;
  const masked = known.masked();
  const failed = {
    error: masked,
    correlationId,
    isSignedIn: call !== undefined,
    retry: request.method === 'GET' ? request.raw.url : undefined,
  };
  sendPage(
    reply,
    await layout({ title: errorTitle(masked), place: 'none', body: errorPage(failed), call }),
    known.status,
  );
}

/** Returns the path to go to after signing in: the one requested with GET, without a query that contains an SSN. */
function pathAfterSignIn(request: FastifyRequest): string {
  const { url = '/' } = request.raw;
  if (request.method !== 'GET') return '/';
  let decoded = url;
  try {
    decoded = decodeURIComponent(url);
  } catch {
    // An address that cannot be decoded is checked as it is.
  }
  return holdsNumber(decoded) ? (url.split('?')[0] ?? '/') : url;
}
