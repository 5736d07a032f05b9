import { createHash, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fromDatabaseError } from '../../kernel/database/database-error.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Principal } from '../../kernel/security/identity.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import { renderError } from '../../kernel/render/output.ts';
import { credentialOf } from './request.ts';
import { refuseUnsigned } from './response.ts';
import type { Page } from './server.ts';

/** Returns whether the process can serve: it reaches its database, which can store. Needs no credentials. */
const healthcheck: Page = async (platform, _request, reply) => {
  try {
    await platform.store.query('select 1');
    const isFull = await platform.store.diskSpace.check();
    const status = isFull ? 'database disk full' : 'healthy';
    void reply
      .code(isFull ? 503 : 200)
      .header('Cache-Control', 'no-store')
      .send({ status });
  } catch {
    void reply.code(503).header('Cache-Control', 'no-store').send({ status: 'database unavailable' });
  }
};

/** Nonces of the check of the public address. */
const NONCE = /^[\w-]{43}$/;

/** Answers the nonce that housekeeping sends to the public address: that the address leads to this installation. */
const addressCheck: Page = async ({ store }, request, reply) => {
  const nonce = String((request.params as { readonly nonce?: string }).nonce);
  void reply.header('Cache-Control', 'no-store').type('text/plain; charset=utf-8');
  const [row] = NONCE.test(nonce)
    ? await store
        .query<{ answer: string }>('select answer from publicaddresscheck where nonce = $1::text', [nonce])
        .catch(() => [])
    : [];
  if (row) void reply.code(200).send(row.answer);
  else void reply.code(404).send('Nothing found at this address.\n');
};

interface CachedDocument {
  readonly text: string;
  readonly tag: string;
  readonly packed: Buffer;
}

/**
 * Serves a JSON document about the installation to any caller with valid credentials. `write` returns the same text as
 * long as nothing has changed. Callers may cache it and revalidate it by its tag.
 */
export function documentPage(write: (platform: Platform) => string): Page {
  const documents = new WeakMap<Platform, CachedDocument>();
  return async (platform, request, reply) => {
    void reply.headers({
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'private, no-cache',
      Vary: 'X-ApiKey, Authorization, Accept-Encoding',
    });
    try {
      await requireUser(platform, request);
      const text = write(platform);
      let known = documents.get(platform);
      if (known?.text !== text)
        documents.set(
          platform,
          (known = {
            text,
            tag: `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`,
            packed: gzipSync(text),
          }),
        );
      sendDocument(request, reply, known);
    } catch (error) {
      refuse(platform, request, reply, error);
    }
  };
}

/** Serves a page of text about the installation to users with a given permission. */
export function textPage(permission: string, mime: string, write: (platform: Platform) => Promise<string>): Page {
  return async (platform, request, reply) => {
    void reply.headers({ 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' });
    try {
      const user = await requireUser(platform, request);
      if (!user.permissions.has(permission) || !user.universal) {
        await platform.journal.security(
          { event: 'Refused', personId: user.personId, address: request.ip, detail: permission },
          '',
        );
        throw new PlatformError('NO_PERMISSION', {
          message: user.universal
            ? `The permission ${permission} is not granted to you.`
            : 'Only users with universal access can see pages about the whole installation.',
        });
      }
      void reply
        .code(200)
        .header('Content-Type', mime)
        .send(await write(platform));
    } catch (error) {
      refuse(platform, request, reply, error);
    }
  };
}

async function requireUser(platform: Platform, request: FastifyRequest): Promise<Principal> {
  const stale = platform.settings.fresh();
  if (stale) await stale;
  const credential = credentialOf(request.headers, request.protocol === 'https');
  if (!credential) throw new PlatformError('NOT_SIGNED_IN');
  return platform.identity.authenticate(credential, request.ip);
}

function sendDocument(request: FastifyRequest, reply: FastifyReply, { text, tag, packed }: CachedDocument): void {
  void reply.header('ETag', tag);
  const requestedTags = (request.headers['if-none-match'] ?? '').split(',').map((each) => each.trim());
  if (requestedTags.includes(tag) || requestedTags.includes('*')) return void reply.code(304).send();
  void reply.code(200).type('application/json; charset=utf-8');
  if (/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(request.headers['accept-encoding']?.toString() ?? ''))
    void reply.header('Content-Encoding', 'gzip').send(packed);
  else void reply.send(text);
}

function refuse(platform: Platform, request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  const correlationId = randomUUID();
  const known = error instanceof PlatformError ? error : (fromDatabaseError(error) ?? new PlatformError('INTERNAL'));
  if (known.code === 'INTERNAL')
    platform.log.error('page failed', { correlationId, error: error instanceof Error ? error.name : typeof error });
  void reply.headers({ 'Cache-Control': 'no-store', 'X-Correlation-ID': correlationId });
  if (known.code === 'NOT_SIGNED_IN' && refuseUnsigned(request, reply)) return;
  const retryAfter = known.details?.['RetryAfterSeconds'];
  if (typeof retryAfter === 'number') void reply.header('Retry-After', String(retryAfter));
  const { mime, body } = renderError(known, correlationId, 'Json', 'callback');
  void reply.code(known.status).type(mime).send(body);
}

/** Paths besides operations. */
export const pages: Readonly<Record<string, Page>> = {
  '/api/healthcheck': healthcheck,
  '/api/healthcheck/:nonce': addressCheck,
};
