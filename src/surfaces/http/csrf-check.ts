import type { FastifyRequest } from 'fastify';
import { CSRF_HEADER, CSRF_PARAMETER, isCsrfToken, isCrossSite } from '../shared/csrf.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Credential } from '../../kernel/security/identity.ts';
import type { Parameters } from '../../kernel/parameters/parameters.ts';
import type { Route } from '../../kernel/door/route.ts';

/**
 * Returns the parameters without the CSRF token; throws CSRF_REFUSED for a change that another site made a browser
 * send. With a session cookie, a change needs POST (or PUT, PATCH, DELETE) and the page's token. A request that the
 * browser reports as cross-site is refused with any credentials, since browsers send Basic credentials by themselves
 * too.
 */
export function checkCsrf(
  request: FastifyRequest,
  route: Route,
  credential: Credential | undefined,
  parameters: Parameters,
): Parameters {
  const { headers, method } = request;
  const reads = method === 'GET' || method === 'HEAD';
  const changes = !reads || route.queued || route.operation?.effect === 'write';
  if (
    changes &&
    isCrossSite({ origin: headers.origin, fetchSite: single(headers['sec-fetch-site']), host: request.host })
  )
    throw new PlatformError('CSRF_REFUSED');
  const sent = parameters[CSRF_PARAMETER];
  const rest = sent === undefined ? parameters : without(parameters, CSRF_PARAMETER);
  if (credential?.kind !== 'session' || !changes) return rest;
  if (reads || !isCsrfToken(credential.token, single(headers[CSRF_HEADER]) ?? sent))
    throw new PlatformError('CSRF_REFUSED');
  return rest;
}

function without(parameters: Parameters, name: string): Parameters {
  const { [name]: _taken, ...rest } = parameters;
  return rest;
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
