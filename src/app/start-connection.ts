import postgres from 'postgres';
import type { Connection } from '../kernel/database/store.ts';

/** One connection for what is looked at or done before there is a platform; its user ends it. */
export function startConnection(
  connection: Connection,
  options: { readonly name: string; readonly connectSecondsMax?: number },
): postgres.Sql {
  const { ssl, ...target } = connection;
  return postgres({
    ...target,
    ...(target.host.startsWith('/') ? { path: `${target.host}/.s.PGSQL.${target.port}` } : {}),
    ssl: ssl ?? false,
    max: 1,
    // What a session holds (a lock, a backup that is under way) must not end with its age, which is half an hour otherwise.
    max_lifetime: null,
    ...(options.connectSecondsMax === undefined ? {} : { connect_timeout: options.connectSecondsMax }),
    onnotice: () => undefined,
    connection: { application_name: options.name },
  });
}
