import { createHash, timingSafeEqual } from 'node:crypto';

/** The name of the cookie that carries a session's token. */
export const SESSION_COOKIE = 'casewright_session';
/** Over HTTPS: a browser takes a cookie of this name only from this host, for all its paths, and sends it encrypted only. */
const SECURE_SESSION_COOKIE = `__Host-${SESSION_COOKIE}`;
/** The parameter in which a page's form sends the token against forged requests. */
export const CSRF_PARAMETER = '_csrf';
/** The header in which a page's script sends it. */
export const CSRF_HEADER = 'x-csrf-token';

/**
 * The session's token in a request's cookies, or undefined. Over HTTPS only the one that no other host can have set is taken.
 */
export function sessionTokenOf(cookies: string | undefined, secure: boolean): string | undefined {
  if (cookies === undefined) return undefined;
  const name = secure ? SECURE_SESSION_COOKIE : SESSION_COOKIE;
  return new RegExp(`(?:^|;\\s*)${name}=([A-Za-z0-9_-]{43})(?:;|$)`).exec(cookies)?.[1];
}

/** The value of a Set-Cookie header that gives a browser its session's token, or takes it away where there is none. */
export function sessionCookie(token: string | undefined, secure: boolean): string {
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  return `${secure ? SECURE_SESSION_COOKIE : SESSION_COOKIE}=${token ?? ''}; ${attributes}${token === undefined ? '; Max-Age=0' : ''}`;
}

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
