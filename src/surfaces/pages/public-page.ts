import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fromDatabaseError } from '../../kernel/database/database-error.ts';
import type { OnlyKnown, SentParametersFor } from '../../kernel/declare/catalog.ts';
import type { CallOutcome } from '../../kernel/door/call.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import { invoke } from '../../kernel/door/invoke.ts';
import { parseRoute } from '../../kernel/door/route.ts';
import { parametersFromCode } from '../../kernel/parameters/parameters.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import type { Markup } from '../../kernel/render/markup.ts';
import { errorPage, errorTitle } from './error-page.ts';
import { layout } from './layout.ts';
import { logIfForged, sendPage, sendRedirect } from './page.ts';

/** A page for people who are not signed in. */
export interface PublicPage {
  readonly title: string;
  readonly body: Markup;
}

/**
 * What {@link respond} sends: `make` for the page, or the address to which it redirects instead, and `failed` for its
 * own page of a failure, if it has one.
 */
interface PublicPageParts {
  readonly make: () => Promise<PublicPage | { readonly redirectTo: string }>;
  readonly failed?: (error: PlatformError) => PublicPage | undefined;
}

/** Answers a request of a visitor who is not signed in. */
export async function respond(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { make, failed = () => undefined }: PublicPageParts,
): Promise<void> {
  try {
    const stale = platform.settings.fresh();
    if (stale) await stale;
    const made = await make();
    if ('redirectTo' in made) sendRedirect(reply, made.redirectTo);
    else sendPage(reply, await layout({ ...made, place: 'none' }), 200);
  } catch (error) {
    await logIfForged(platform, request, { error });
    const known = (
      error instanceof PlatformError ? error : (fromDatabaseError(error) ?? new PlatformError('INTERNAL'))
    ).masked();
    if (known.code === 'INTERNAL')
      platform.log.error('page failed', {
        page: request.routeOptions.url ?? 'unknown',
        error: error instanceof Error ? error.name : typeof error,
      });
    const retryAfter = known.details?.['RetryAfterSeconds'];
    if (typeof retryAfter === 'number') void reply.header('Retry-After', String(retryAfter));
    const shown = failed(known) ?? {
      title: errorTitle(known),
      body: errorPage({ error: known, isSignedIn: false }),
    };
    sendPage(reply, await layout({ ...shown, place: 'none' }), known.status);
  }
}

/** The operations that pages call for visitors. */
type PublicOperation =
  | `organization/${'register' | 'registeruser' | 'confirm'}`
  | 'mailsuppression/unsubscribe'
  | `securelink/${'requestcode' | 'read'}`;

/** Calls an operation that needs no sign-in. */
export function callPublic<N extends PublicOperation, const P extends SentParametersFor<N>>(
  platform: Platform,
  request: FastifyRequest,
  name: N,
  parameters: P & OnlyKnown<P, SentParametersFor<N>>,
): Promise<CallOutcome> {
  return invoke(platform, {
    route: parseRoute(platform.registry, name.split('/'), 'POST'),
    parameters: parametersFromCode({ ...parameters }),
    address: request.ip,
    correlationId: randomUUID(),
    cause: ['Page'],
    surface: 'page',
  });
}
