import postgres from 'postgres';
import type { Connection } from '../kernel/database/store.ts';
import { driverTls } from '../kernel/database/tls.ts';

/** Returns one connection for work outside a platform; the caller ends it. */
export function startConnection(
  connection: Connection,
  options: { readonly name: string; readonly connectSecondsMax?: number },
): postgres.Sql {
  const { ssl: _mode, sslRootCertificate: _file, ...target } = connection;
  return postgres({
    ...target,
    ...(target.host.startsWith('/') ? { path: `${target.host}/.s.PGSQL.${target.port}` } : {}),
    ssl: driverTls(connection),
    max: 1,
    // What a session holds (a lock, a running backup) must not end with the connection's age, by default half an hour.
    max_lifetime: null,
    ...(options.connectSecondsMax === undefined ? {} : { connect_timeout: options.connectSecondsMax }),
    onnotice: () => undefined,
    connection: { application_name: options.name },
  });
}
