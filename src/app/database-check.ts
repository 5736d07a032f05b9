import { REACH_ROLE, REPORT_ROLES, STAGING_ROLE } from '../kernel/database/roles.ts';
import { isDirect, POOLER_PROBLEM, SESSION_COLUMNS, type SessionRow } from '../kernel/database/direct-session.ts';
import type { Connection } from '../kernel/database/store.ts';
import { ConfigurationError } from './configuration-error.ts';
import { startConnection } from './start-connection.ts';

/** PostgreSQL 15, in the server's numbering. */
const OLDEST_VERSION = 150_000;
/** Longest wait for a connection, in seconds. */
const CONNECT_SECONDS_MAX = 10;

const requiredRoles = [REACH_ROLE, REPORT_ROLES.reached, REPORT_ROLES.universal, STAGING_ROLE];

interface DatabaseFacts extends SessionRow {
  readonly version: number;
  /** The version of TLS; null if the connection is not encrypted. */
  readonly tls: string | null;
  readonly user: string;
  readonly database: string;
  readonly encoding: string;
  readonly icu: boolean;
  readonly migrated: boolean;
  readonly maycreateroles: boolean;
  readonly maycreateschemas: boolean;
  readonly mayusepublic: boolean;
  /** Those that exist; `usable`: the user is a member, or may become one. */
  readonly roles: readonly { readonly name: string; readonly usable: boolean }[];
}

/**
 * Checks that the database of `DATABASE_URL` is reachable and usable. Returns the connection to use from now on: one
 * that prefers encryption requires it if the server offers it, so that nobody can end it later by answering in the
 * server's place. Throws with one line that names the problem.
 */
export async function checkDatabase(connection: Connection): Promise<Connection> {
  const sql = startConnection(connection, { name: 'casewright start', connectSecondsMax: CONNECT_SECONDS_MAX });
  try {
    const result = await sql
      .unsafe<DatabaseFacts[]>(databaseFactsText, [`{${requiredRoles.join(',')}}`])
      .catch((error: unknown) => {
        throw connectionError(error, connection);
      });
    if (!isDirect(result))
      throw new ConfigurationError(`the database of DATABASE_URL cannot be used: ${POOLER_PROBLEM}`);
    const [facts] = result;
    if (facts) assertUsable(facts);
    if (connection.ssl !== 'prefer') return connection;
    return { ...connection, ssl: typeof facts?.tls === 'string' ? 'require' : 'disable' };
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const databaseFactsText = `select ${SESSION_COLUMNS},
    (select version from pg_stat_ssl where pid = pg_backend_pid() and ssl) as tls,
    current_setting('server_version_num')::integer as version,
    current_user::text as user,
    current_database()::text as database,
    pg_encoding_to_char(d.encoding)::text as encoding,
    exists (select from pg_collation where collprovider = 'i') as icu,
    to_regclass('public.migration') is not null as migrated,
    r.rolcreaterole or r.rolsuper as maycreateroles,
    has_database_privilege(d.oid, 'create') as maycreateschemas,
    has_schema_privilege('public', 'create') as mayusepublic,
    (select coalesce(json_agg(json_build_object(
        'name', w.rolname,
        'usable', r.rolsuper or pg_has_role(w.oid, 'MEMBER WITH ADMIN OPTION')
          or case when current_setting('server_version_num')::integer >= 160000 then pg_has_role(w.oid, 'SET')
            else r.rolcreaterole or pg_has_role(w.oid, 'MEMBER') end)), '[]')
      from pg_roles w
      where w.rolname = any($1::text[])) as roles
  from pg_roles r, pg_database d
  where r.rolname = current_user and d.datname = current_database()`;

/** Returns why a connection failed, without the password in its address. */
function connectionError(error: unknown, connection: Connection): Error {
  const { host, port, user, database } = connection;
  const { code = '', message = '' } = error as { code?: string; message?: string };
  const where = `${host}:${port}`;
  const reason: Readonly<Record<string, string>> = {
    ECONNREFUSED: `nothing is listening at ${where}`,
    ENOENT: `no socket for port ${port} found in ${host}`,
    ENOTFOUND: `unknown host ${host}`,
    EAI_AGAIN: `the host name ${host} could not be resolved`,
    CONNECT_TIMEOUT: `no response from ${where} within ${CONNECT_SECONDS_MAX} seconds`,
    '28P01': `${where} rejected the password of user ${user}`,
    '28000': `${where} does not allow user ${user} to connect`,
    '3D000':
      `database ${database} does not exist at ${where}; create it first: create database ${database} owner ${user} ` +
      `encoding 'UTF8' template template0`,
    '53300': `${where} has no connections left`,
  };
  const problem =
    reason[code] ??
    tlsProblem(code, connection) ??
    `${where} responded with ${code === '' ? message : `${code}, ${message}`}`;
  return new Error(`the database of DATABASE_URL cannot be used: ${problem}`);
}

/** Returns what is wrong with the server's TLS, or undefined if the error is another. */
function tlsProblem(code: string, { host, port, ssl }: Connection): string | undefined {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the certificate of ${host}:${port} does not name ${host}; use a name in it, or sslmode=verify-ca`;
  if (/^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_)/.test(code))
    return (
      `the certificate of ${host}:${port} cannot be verified (${code}); set sslrootcert to the file of the authority ` +
      'that signed it'
    );
  if (ssl !== undefined && ssl !== 'disable' && (code === 'ECONNRESET' || code === 'ERR_SSL_WRONG_VERSION_NUMBER'))
    return `${host}:${port} does not offer TLS, or ended the connection; sslmode=${ssl} requires TLS`;
  return undefined;
}

function assertUsable(facts: DatabaseFacts): void {
  const { version, user, database } = facts;
  if (version < OLDEST_VERSION)
    throw new ConfigurationError(
      `the database of DATABASE_URL is PostgreSQL ${Math.floor(version / 10_000)}; 15 or later is required`,
    );
  if (facts.encoding !== 'UTF8')
    throw new ConfigurationError(
      `the database ${database} has the encoding ${facts.encoding}; UTF8 is required: create database … ` +
        `encoding 'UTF8' template template0`,
    );
  if (!facts.icu)
    throw new ConfigurationError(
      'the PostgreSQL of DATABASE_URL was built without ICU, which is required to compare text without case and ' +
        'accents; use the PostgreSQL packages of your distribution, which include it',
    );
  assertRoles(facts);
  if (facts.migrated) return;
  if (!facts.maycreateschemas || !facts.mayusepublic)
    throw new ConfigurationError(
      `the user ${user} of DATABASE_URL may not create schemas or tables in the database ${database}; make this ` +
        `user its owner: alter database ${database} owner to ${user}`,
    );
}

/** Throws, with the statements to run, if a required role is missing and cannot be created, or cannot be used. */
function assertRoles({ user, roles, maycreateroles }: DatabaseFacts): void {
  const absent = requiredRoles.filter((name) => !roles.some((role) => role.name === name));
  const foreign = roles.filter((role) => !role.usable).map((role) => role.name);
  const grant = `grant ${[...absent, ...foreign].join(', ')} to ${user};`;
  if (absent.length > 0 && !maycreateroles) {
    const creations = absent.map((name) => `create role ${name} nologin nobypassrls; `).join('');
    throw new ConfigurationError(
      `the user ${user} of DATABASE_URL may not create the missing roles ${absent.join(', ')}. Either grant the ` +
        `right: alter role ${user} createrole; or have an administrator run: ${creations}${grant}`,
    );
  }
  if (foreign.length > 0)
    throw new ConfigurationError(
      `the user ${user} of DATABASE_URL is not a member of the existing roles ${foreign.join(', ')}. Have an ` +
        `administrator run: ${grant}`,
    );
}
