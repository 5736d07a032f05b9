import type { FastifyRequest } from 'fastify';

/** The cookie of a reader who has entered the one-time code of a secure link, sent to the pages of that link alone. */
const COOKIE = 'casewright_reading';
/** How long browsers keep it; the ticket in it ends as soon. */
const SECONDS_MAX = 30 * 60;

/** Returns the ticket that the browser has for this link; undefined if it has none. */
export function readingTicket(request: FastifyRequest): string | undefined {
  return new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]{1,400})(?:;|$)`).exec(request.headers.cookie ?? '')?.[1];
}

/** Returns the Set-Cookie value that stores a ticket, or removes it. */
export function readingCookie(request: FastifyRequest, path: string, ticket: string | undefined): string {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  const seconds = ticket === undefined ? 0 : SECONDS_MAX;
  return `${COOKIE}=${ticket ?? ''}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
}
