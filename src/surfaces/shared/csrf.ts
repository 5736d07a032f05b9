import { createHash, timingSafeEqual } from 'node:crypto';

/** The parameter in which a page's form sends the token against forged requests. */
export const CSRF_PARAMETER = '_csrf';
/** The header in which a page's script sends it. */
export const CSRF_HEADER = 'x-csrf-token';

/**
 * The token that a session's pages send with each change, and that no other site can know. It follows from the session's own
 * token, so that nothing need be kept, and does not tell it.
 */
export function csrfToken(token: string): string {
  return createHash('sha256').update(`csrf ${token}`).digest('base64url');
}

/** Whether what was sent is the session's token against forged requests. */
export function isCsrfToken(token: string, sent: unknown): boolean {
  const expected = Buffer.from(csrfToken(token));
  const given = Buffer.from(typeof sent === 'string' ? sent : '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** What a browser says of where a request comes from. */
export interface RequestOrigin {
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  readonly host: string | undefined;
}

/**
 * Whether a browser says that a request comes from a page of another site. Programs say nothing; every browser says one of
 * the two with a change.
 */
export function isCrossSite({ origin, fetchSite, host }: RequestOrigin): boolean {
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') return true;
  if (origin === undefined) return false;
  try {
    return new URL(origin).host !== host;
  } catch {
    // A page without an origin of its own, such as a sandboxed one, says `null`.
    return true;
  }
}
