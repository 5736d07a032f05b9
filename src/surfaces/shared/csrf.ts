import { createHash, timingSafeEqual } from 'node:crypto';

/** Form parameter with the CSRF token. */
export const CSRF_PARAMETER = '_csrf';
/** Header with the CSRF token. */
export const CSRF_HEADER = 'x-csrf-token';

/**
 * Returns the CSRF token of a session, which no other site can know. It is derived from the session's token, so nothing
 * is stored, and does not reveal it.
 */
export function csrfToken(token: string): string {
  return createHash('sha256').update(`csrf ${token}`).digest('base64url');
}

/** Whether a sent value is the session's CSRF token, compared in constant time. */
export function isCsrfToken(token: string, sent: unknown): boolean {
  const expected = Buffer.from(csrfToken(token));
  const given = Buffer.from(typeof sent === 'string' ? sent : '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** What a browser reports about the origin of a request. */
export interface RequestOrigin {
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  readonly host: string | undefined;
}

/**
 * Whether a browser reports that a request comes from another site. Programs send neither header; every browser sends
 * one with a change.
 */
export function isCrossSite({ origin, fetchSite, host }: RequestOrigin): boolean {
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') return true;
  if (origin === undefined) return false;
  try {
    return new URL(origin).host !== host;
  } catch {
    // A page without an origin, such as a sandboxed one, sends `null`.
    return true;
  }
}
