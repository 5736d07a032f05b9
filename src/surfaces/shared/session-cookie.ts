/** The name of the cookie that carries a session's token. */
export const SESSION_COOKIE = 'casewright_session';
/** Over HTTPS: a browser takes a cookie of this name only from this host, for all its paths, and sends it encrypted only. */
const SECURE_SESSION_COOKIE = `__Host-${SESSION_COOKIE}`;
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
