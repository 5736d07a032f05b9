import { readFileSync } from 'node:fs';
import { checkServerIdentity, type ConnectionOptions } from 'node:tls';
import type { Connection } from './store.ts';

/**
 * How connections can be encrypted, as in libpq. `prefer`: if the server offers it. `require`: without checking who
 * answers. `verify-ca` also checks that a trusted authority signed the certificate, `verify-full` that it names the
 * host.
 */
export const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
/** How a connection is encrypted. */
export type SslMode = (typeof SSL_MODES)[number];

/** Returns the TLS options of a connection that must be encrypted, else false. Reads the file of authorities. */
export function tlsOptions({ host, ssl = 'disable', sslRootCertificate }: Connection): false | ConnectionOptions {
  if (ssl === 'disable') return false;
  if (ssl === 'prefer' || ssl === 'require') return { rejectUnauthorized: false };
  return {
    rejectUnauthorized: true,
    ...(sslRootCertificate === undefined ? {} : { ca: readFileSync(sslRootCertificate) }),
    // Node would compare a certificate with "localhost" where the host is an address.
    checkServerIdentity: (_, certificate) => (ssl === 'verify-ca' ? undefined : checkServerIdentity(host, certificate)),
  };
}

/** The same for the driver `postgres`, which also knows how to encrypt only if the server offers it. */
export function driverTls(connection: Connection): false | 'prefer' | ConnectionOptions {
  return connection.ssl === 'prefer' ? 'prefer' : tlsOptions(connection);
}
