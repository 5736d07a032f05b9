/** Name of the cookie with the session's token. */
export const SESSION_COOKIE = 'casewright_session';
/** Name over HTTPS: browsers accept it only from this host, for all paths, and send it encrypted only. */
const SECURE_SESSION_COOKIE = `__Host-${SESSION_COOKIE}`;
/**
 * Returns the session's token from a request's cookies, or undefined. Over HTTPS only the cookie that no other host can
 * set counts.
 */
export function sessionTokenOf(cookies: string | undefined, secure: boolean): string | undefined {
  if (cookies === undefined) return undefined;
  const name = secure ? SECURE_SESSION_COOKIE : SESSION_COOKIE;
  return new RegExp(`(?:^|;\\s*)${name}=([A-Za-z0-9_-]{43})(?:;|$)`).exec(cookies)?.[1];
}

/** Returns the Set-Cookie value that stores a session's token, or clears it if undefined. */
export function sessionCookie(token: string | undefined, secure: boolean): string {
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  const name = secure ? SECURE_SESSION_COOKIE : SESSION_COOKIE;
  return `${name}=${token ?? ''}; ${attributes}${token === undefined ? '; Max-Age=0' : ''}`;
}

/** Name of the cookie that a browser keeps after a sign-in, also when the user signs out. */
const DEVICE_COOKIE = 'casewright_device';
const SECURE_DEVICE_COOKIE = `__Host-${DEVICE_COOKIE}`;
/** How long browsers keep it: as long as they keep any cookie. */
const DEVICE_SECONDS = 400 * 86_400;

/** Returns what shows that users have signed in in this browser before; the identity port checks it. */
export function deviceOf(cookies: string | undefined, secure: boolean): string | undefined {
  const name = secure ? SECURE_DEVICE_COOKIE : DEVICE_COOKIE;
  return new RegExp(`(?:^|;\\s*)${name}=([A-Za-z0-9_-]{1,2000})(?:;|$)`).exec(cookies ?? '')?.[1];
}

/** Returns the Set-Cookie value that stores it. */
export function deviceCookie(value: string, secure: boolean): string {
  const name = secure ? SECURE_DEVICE_COOKIE : DEVICE_COOKIE;
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${DEVICE_SECONDS}${secure ? '; Secure' : ''}`;
}
