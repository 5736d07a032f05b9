/** The policy of everything that is not a page: it loads nothing, and no site can frame it. */
const NOTHING_POLICY = "default-src 'none'; frame-ancestors 'none'";
/** How long browsers insist on HTTPS after an answer over it: a year. */
const HSTS_SECONDS = 31_536_000;

/**
 * Returns the security headers of an answer, whatever it is. Pages replace the policy by their own. `isSecure`: whether
 * the caller used HTTPS.
 */
export function securityHeaders(isSecure: boolean): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'content-security-policy': NOTHING_POLICY,
    ...(isSecure ? { 'strict-transport-security': `max-age=${HSTS_SECONDS}` } : {}),
  };
}
