import type { FastifyRequest } from 'fastify';
import { loggableMessage } from '../../kernel/database/database-error.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import { isAllowed, networkList } from '../../kernel/security/networks.ts';

/** Most senders that a process reports: anybody may send the header. */
const SENDERS_MAX = 10;

/**
 * Returns a function to call for each request. It reports each sender of X-Forwarded-For that is not trusted once: in
 * the log, and in the security log, where the health report finds it. If such a sender is a proxy that nobody declared,
 * all its callers count as one address, share its limits, and sign in without the protection of HTTPS.
 */
export function undeclaredProxyWatch(
  platform: Platform,
  trustedProxies: readonly string[],
): (request: FastifyRequest) => void {
  const trusted = networkList(trustedProxies.join(','));
  const reported = new Set<string>();
  return ({ headers, socket }) => {
    if (headers['x-forwarded-for'] === undefined || reported.size >= SENDERS_MAX) return;
    const sender = socket.remoteAddress ?? '';
    if (reported.has(sender) || (trusted && isAllowed(trusted, sender))) return;
    reported.add(sender);
    platform.log.warn('X-Forwarded-For from an address that is not in CASEWRIGHT_TRUSTED_PROXIES is ignored', {
      address: sender,
    });
    platform.journal
      .security({ event: 'UndeclaredProxy', address: sender, detail: 'sent X-Forwarded-For, which was ignored' }, '')
      .catch((failure: unknown) => {
        platform.log.error('security log unavailable', { error: loggableMessage(failure) });
      });
  };
}
