import { REACH_ROLE, REPORT_ROLES, STAGING_ROLE, type Connection } from '../kernel/database/store.ts';
import { ConfigurationError } from './configuration-error.ts';
import { startConnection } from './start-connection.ts';

/** PostgreSQL 15, in the server's numbering. */
const OLDEST_VERSION = 150_000;
/** Longest wait for a connection, in seconds. */
const CONNECT_SECONDS_MAX = 10;

const requiredRoles = [REACH_ROLE, REPORT_ROLES.reached, REPORT_ROLES.universal, STAGING_ROLE];

interface DatabaseFacts {
  readonly version: number;
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

/** Checks that the database of `DATABASE_URL` can be reached and used; throws one line that says what is missing. */
export async function checkDatabase(connection: Connection): Promise<void> {
  const sql = startConnection(connection, { name: 'casewright start', connectSecondsMax: CONNECT_SECONDS_MAX });
  try {
    const [standing] = await sql
      .unsafe<DatabaseFacts[]>(databaseFactsText, [`{${requiredRoles.join(',')}}`])
      .catch((error: unknown) => {
        throw connectionError(error, connection);
      });
    if (standing) assertUsable(standing);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const databaseFactsText = `select current_setting('server_version_num')::integer as version,
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

/** Returns what is wrong with a connection, without the password in its address. */
function connectionError(error: unknown, { host, port, user, database }: Connection): Error {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  const where = `${host}:${port}`;
  const reason: Readonly<Record<string, string>> = {
    ECONNREFUSED: `nothing listens at ${where}`,
    ENOENT: `there is no socket for port ${port} in ${host}`,
    ENOTFOUND: `the host ${host} is not known`,
    EAI_AGAIN: `the host ${host} cannot be looked up`,
    CONNECT_TIMEOUT: `${where} does not answer within ${CONNECT_SECONDS_MAX} seconds`,
    '28P01': `${where} refuses the password of the user ${user}`,
    '28000': `${where} does not let the user ${user} in`,
    '3D000':
      `there is no database ${database} at ${where}; make it first: create database ${database} owner ${user} ` +
      `encoding 'UTF8' template template0`,
    '53300': `${where} has no connection left`,
  };
  return new Error(
    'the database of DATABASE_URL cannot be ' +
      `used: ${reason[code] ?? `${where} answers ${code === '' ? message : `${code}, ${message}`}`}`,
  );
}

function assertUsable(standing: DatabaseFacts): void {
  const { version, user, database } = standing;
  if (version < OLDEST_VERSION)
    throw new ConfigurationError(
      `the database of DATABASE_URL is PostgreSQL ${Math.floor(version / 10_000)}; 15 or later is needed`,
    );
  if (standing.encoding !== 'UTF8')
    throw new ConfigurationError(
      `the database ${database} has the encoding ${standing.encoding}; UTF8 is needed: create database … ` +
        `encoding 'UTF8' template template0`,
    );
  if (!standing.icu)
    throw new ConfigurationError(
      'the PostgreSQL of DATABASE_URL was built without ICU, which comparing text without case and accents ' +
        'needs; the packages of the distributions have it',
    );
  const absent = requiredRoles.filter((name) => !standing.roles.some((role) => role.name === name));
  const foreign = standing.roles.filter((role) => !role.usable).map((role) => role.name);
  const granted = `grant ${[...absent, ...foreign].join(', ')} to ${user};`;
  if (absent.length > 0 && !standing.maycreateroles) {
    throw new ConfigurationError(
      `the user ${user} of DATABASE_URL may not make roles, and needs ${absent.join(', ')}. Either grant the ` +
        `right: alter role ${user} createrole; or let an administrator ` +
        `run: ${absent.map((name) => `create role ${name} nologin nobypassrls; `).join('')}${granted}`,
    );
  }
  if (foreign.length > 0)
    throw new ConfigurationError(
      `the user ${user} of DATABASE_URL is no member of ${foreign.join(', ')}, which somebody else made on ` +
        `this server. Let an administrator run: ${granted}`,
    );
  if (standing.migrated) return;
  if (!standing.maycreateschemas || !standing.mayusepublic)
    throw new ConfigurationError(
      `the user ${user} of DATABASE_URL may not make schemas or tables in the database ${database}; make it ` +
        `the owner: alter database ${database} owner to ${user}`,
    );
}
