import { createHash, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fromDatabaseError } from '../../kernel/database-error.ts';
import { PlatformError } from '../../kernel/errors.ts';
import type { Platform } from '../../kernel/platform.ts';
import { renderError } from '../../kernel/render/output.ts';
import { addressOf, command, html, sendPage, stylesheet } from './html.ts';
import { credentialOf } from './request.ts';
import { refuseUnsigned } from './response.ts';
import type { Page } from './server.ts';

/** Whether the process can serve: it reaches its database. Anybody may ask. */
const healthcheck: Page = async (platform, _request, reply) => {
  try {
    await platform.store.query('select 1');
    void reply.code(200).header('Cache-Control', 'no-store').send({ status: 'healthy' });
  } catch {
    void reply.code(503).header('Cache-Control', 'no-store').send({ status: 'database unavailable' });
  }
};

/** How long a browser keeps the stylesheet, in seconds: long enough for one visit, short enough for an upgrade. */
const STYLESHEET_AGE_MAX = 300;

const style: Page = (_platform, _request, reply) => {
  void reply.code(200).headers({ 'Content-Type': 'text/css; charset=utf-8', 'X-Content-Type-Options': 'nosniff', 'Cache-Control': `public, max-age=${STYLESHEET_AGE_MAX}` }).send(stylesheet);
};

const front: Page = (_platform, request, reply) => {
  const address = addressOf(request);
  sendPage(reply, 'Casewright', html`<h1>This is a Casewright server</h1>
<p class="lead">Every action is an operation on a module, called over HTTP.</p>
<div class="note"><p>Pages for people are not there yet in this version: programs call it, and people with a command line.</p></div>
<h2>A first call</h2>
${command('A call with an API key', [`curl -H 'X-ApiKey: YOUR-KEY' \\`, `  '${address}/api/organization/search?Output=Json'`])}
<p><a href="/signin">How to sign a call</a> has both ways.</p>
<h2>What is here</h2>
<dl>
<dt><a href="/api/openapi.json">/api/openapi.json</a></dt>
<dd>Every operation with what it takes and answers, as OpenAPI 3.1. It is told to callers with a key or a password.</dd>
<dt><a href="/api/healthcheck">/api/healthcheck</a></dt>
<dd>Whether the server reaches its database. Anybody may ask.</dd>
<dt><code>docs/</code></dt>
<dd>In the folder that the server was started from: how it is built and run, and a reference of all operations, records, settings and errors.</dd>
</dl>`);
};

const signIn: Page = (_platform, request, reply) => {
  const address = addressOf(request);
  const wanted = pathOf(request);
  sendPage(reply, 'Sign in · Casewright', html`<h1>Sign each call</h1>
<p class="lead">There is no form to sign in with yet. Each call carries its own proof of who makes it.</p>
${wanted === undefined ? [] : html`<div class="note"><p>You asked for <code>${wanted}</code>, which is answered only to signed-in callers.</p></div>`}
<h2>With an API key</h2>
<p>An administrator makes one with <code>apikey/create</code>; it is shown once.</p>
${command('A call with an API key', [`curl -H 'X-ApiKey: YOUR-KEY' \\`, `  '${address}/api/organization/search?Output=Json'`])}
<h2>With a name and password</h2>
<p>HTTP Basic. Leave the password out and curl asks for it, so that it does not stay in the history of the shell.</p>
${command('A call with a name and password', [`curl -u 'YOUR-NAME' \\`, `  '${address}/api/organization/search?Output=Json'`])}
<h2>Which calls there are</h2>
<p>The list of operations is itself a call: <code>/api/openapi.json</code>.</p>
${command('A call for the list of operations', [`curl -H 'X-ApiKey: YOUR-KEY' '${address}/api/openapi.json'`])}`);
};

/** The longest path that the sign-in page repeats. */
const PATH_LENGTH_MAX = 200;

/**
 * The path that a browser was sent here from, to be shown and nothing more: the page neither goes there nor links to it. An
 * address on another host, and whatever is not a plain path of this one, is not even shown; nor is the query, which may be personal.
 */
function pathOf(request: FastifyRequest): string | undefined {
  const { returnTo } = request.query as { readonly returnTo?: unknown };
  if (typeof returnTo !== 'string') return undefined;
  const path = returnTo.split(/[?#]/)[0] ?? '';
  return path.length <= PATH_LENGTH_MAX && /^\/(?!\/)[\w./-]*$/.test(path) ? path : undefined;
}

interface Written {
  readonly text: string;
  readonly tag: string;
  readonly packed: Buffer;
}

/**
 * A page for a JSON document about the installation, told to anybody whose credentials are right. `write` answers the same
 * text as long as nothing has changed. Caches of the caller may keep it, and ask with its tag whether it still stands.
 */
export function documentPage(write: (platform: Platform) => string): Page {
  const kept = new WeakMap<Platform, Written>();
  return async (platform, request, reply) => {
    void reply.headers({ 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'private, no-cache', Vary: 'X-ApiKey, Authorization, Accept-Encoding' });
    try {
      await requireUser(platform, request);
      const text = write(platform);
      let known = kept.get(platform);
      if (known?.text !== text) kept.set(platform, (known = { text, tag: `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`, packed: gzipSync(text) }));
      sendDocument(request, reply, known);
    } catch (error) {
      refuse(platform, request, reply, error);
    }
  };
}

async function requireUser(platform: Platform, request: FastifyRequest): Promise<void> {
  const stale = platform.settings.fresh();
  if (stale) await stale;
  const credential = credentialOf(request.headers);
  if (!credential) throw new PlatformError('NOT_SIGNED_IN');
  await platform.identity.authenticate(credential, request.ip);
}

function sendDocument(request: FastifyRequest, reply: FastifyReply, { text, tag, packed }: Written): void {
  void reply.header('ETag', tag);
  const asked = (request.headers['if-none-match'] ?? '').split(',').map((each) => each.trim());
  if (asked.includes(tag) || asked.includes('*')) return void reply.code(304).send();
  void reply.code(200).type('application/json; charset=utf-8');
  if (/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(request.headers['accept-encoding'] ?? ''))) void reply.header('Content-Encoding', 'gzip').send(packed);
  else void reply.send(text);
}

function refuse(platform: Platform, request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  const correlationId = randomUUID();
  const known = error instanceof PlatformError ? error : (fromDatabaseError(error) ?? new PlatformError('INTERNAL'));
  if (known.code === 'INTERNAL') platform.log.error('page failed', { correlationId, error: error instanceof Error ? error.name : typeof error });
  void reply.headers({ 'Cache-Control': 'no-store', 'X-Correlation-ID': correlationId });
  if (known.code === 'NOT_SIGNED_IN' && refuseUnsigned(request, reply)) return;
  const retryAfter = known.details?.['RetryAfterSeconds'];
  if (typeof retryAfter === 'number') void reply.header('Retry-After', String(retryAfter));
  const { mime, body } = renderError(known, correlationId, 'Json', 'callback');
  void reply.code(known.status).type(mime).send(body);
}

/** Paths beside operations. */
export const pages: Readonly<Record<string, Page>> = {
  '/': front,
  '/signin': signIn,
  '/style.css': style,
  '/api/healthcheck': healthcheck,
};
