import type { FastifyRequest } from 'fastify';
import { loggableMessage } from '../../kernel/database/database-error.ts';
import { httpPlainPublic } from '../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import { isLoopback, isPublic } from '../../kernel/security/outbound.ts';
import { credentialOf } from './request.ts';

/** Most addresses that a process reports. */
const ADDRESSES_MAX = 10;
/** Proxies and monitors ask this without credentials. */
const HEALTH_CHECK = '/api/healthcheck';

/**
 * Returns a function to call for each request; it returns undefined, or a promise of the error to answer with, if any.
 * Requests over plain HTTP are refused if they come from the public internet, unless the setting HttpPlainPublic allows
 * them. Each other address that sends credentials over plain HTTP is reported once, in the log and in the security log;
 * this machine itself is not.
 */
export function plainHttpWatch(
  platform: Platform,
): (request: FastifyRequest) => Promise<PlatformError | undefined> | undefined {
  const reported = new Set<string>();
  return ({ protocol, ip, headers, url }) => {
    if (protocol === 'https' || isLoopback(ip)) return undefined;
    if (isPublic(ip) && url !== HEALTH_CHECK && !platform.settings.get(httpPlainPublic)) return refusal(platform);
    if (credentialOf(headers) === undefined || reported.has(ip) || reported.size >= ADDRESSES_MAX) return undefined;
    reported.add(ip);
    platform.log.warn('credentials were sent over plain HTTP', { address: ip });
    platform.journal
      .security({ event: 'PlainHttp', address: ip, detail: 'sent credentials without HTTPS' }, '')
      .catch((failure: unknown) => {
        platform.log.error('security log unavailable', { error: loggableMessage(failure) });
      });
    return undefined;
  };
}

/** Returns the refusal, unless the setting has been changed: no other request may have read it since. */
async function refusal({ settings }: Platform): Promise<PlatformError | undefined> {
  await settings.fresh();
  return settings.get(httpPlainPublic) ? undefined : new PlatformError('HTTPS_REQUIRED');
}
