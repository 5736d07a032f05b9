import { existsSync } from 'node:fs';
import { splitCommaList } from '../kernel/parameters/split-list.ts';
import { nearest } from '../kernel/door/errors.ts';
import { networkList } from '../kernel/security/networks.ts';
import type { Connection } from '../kernel/database/store.ts';
import { SSL_MODES, type SslMode } from '../kernel/database/tls.ts';
import { ConfigurationError } from './configuration-error.ts';
import { logLevels } from './log.ts';
import { securityStreamTarget, type SecurityStreamTarget } from './security-stream.ts';

/** The roles that a process may have. */
export type Role = 'web' | 'worker' | 'scheduler' | 'sftp';

/** Where this process runs. Created by the only code that reads the environment and the command line. */
export interface Environment {
  readonly port: number;
  readonly host: string;
  readonly dataFolder: string;
  /** The folder below which administrators may name storage locations; default: `storages` in the data folder. */
  readonly storagesFolder?: string | undefined;
  readonly databaseUrl: string | undefined;
  /** Name of the environment, such as production or test; undefined if it has none. */
  readonly environmentName?: string | undefined;
  /** Further databases that bulk imports may load into, by the name that templates use as Connection. */
  readonly connections?: ReadonlyMap<string, Connection>;
  readonly secretKey: string | undefined;
  readonly administratorKey: string | undefined;
  readonly roles: ReadonlySet<Role>;
  readonly demo: boolean;
  readonly logLevel: string;
  /** Where the log is written. Messages for people go to standard output, as log lines if the log goes there too. */
  readonly logTo: 'stdout' | 'stderr';
  /** Where security events are streamed to besides the database; undefined if nowhere. */
  readonly securityLog?: SecurityStreamTarget | undefined;
  /** Months for which the security log is kept at least, whatever the installation's setting says. */
  readonly securityLogMonthsMin?: number;
  /** Networks of the proxies before this server: their headers on the caller's address and HTTPS are trusted. */
  readonly trustedProxies: readonly string[];
  /** A separate address that serves the metrics without sign-in; undefined if there is none. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  /** Where the sFTP server listens, and its host keys if they are not in the data folder; undefined if it is off. */
  readonly sftp:
    | {
        readonly host: string;
        readonly port: number;
        readonly isPortGiven: boolean;
        readonly hostKeys: string | undefined;
      }
    | undefined;
}

const known = [
  'CASEWRIGHT_DATA',
  'CASEWRIGHT_ENVIRONMENT',
  'CASEWRIGHT_STORAGES',
  'CASEWRIGHT_SECRET_KEY',
  'CASEWRIGHT_ADMIN_KEY',
  'CASEWRIGHT_LOG_LEVEL',
  'CASEWRIGHT_LOG_TO',
  'CASEWRIGHT_SECURITY_LOG',
  'CASEWRIGHT_SECURITY_LOG_MONTHS',
  'CASEWRIGHT_TRUSTED_PROXIES',
  'CASEWRIGHT_PARENT_PID',
  'CASEWRIGHT_STARTER_PID',
];
/** Variables of the command line client, which may also be set where a server is started. */
const clientVariables = [
  'CASEWRIGHT_URL',
  'CASEWRIGHT_API_KEY',
  'CASEWRIGHT_API_KEY_FILE',
  'CASEWRIGHT_PASSWORD',
  'CASEWRIGHT_PASSWORD_FILE',
];
const options = ['--role', '--no-demo'];
/** Shortest administrator key: one that can be guessed protects nothing. */
const ADMINISTRATOR_KEY_MIN = 16;
const roleNames: readonly Role[] = ['web', 'worker', 'scheduler', 'sftp'];

/**
 * Reads environment and arguments. Unknown names stop the start with a suggestion: a misspelled one would silently do
 * nothing.
 */
export function readEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
): Environment {
  assertKnownVariables(variables);
  const chosen = readArguments(args);
  const env = withoutEmpty(variables);
  const databaseUrl = env['DATABASE_URL'];
  return {
    port: portOf('PORT', env['PORT'] ?? '8080'),
    host: env['HOST'] ?? '127.0.0.1',
    dataFolder: env['CASEWRIGHT_DATA'] ?? './data',
    storagesFolder: env['CASEWRIGHT_STORAGES'],
    databaseUrl,
    environmentName: environmentNameOf(env['CASEWRIGHT_ENVIRONMENT']),
    connections: connectionsOf(env),
    secretKey: env['CASEWRIGHT_SECRET_KEY'],
    administratorKey: administratorKeyOf(env['CASEWRIGHT_ADMIN_KEY']),
    roles: chosen.roles,
    // Never load the demo into the operator's own database.
    demo: chosen.demo && databaseUrl === undefined,
    logLevel: logLevelOf(env['CASEWRIGHT_LOG_LEVEL'] ?? 'info'),
    logTo: logToOf(env['CASEWRIGHT_LOG_TO'] ?? 'stderr'),
    securityLog: securityStreamTarget(env['CASEWRIGHT_SECURITY_LOG'] ?? ''),
    securityLogMonthsMin: monthsOf(env['CASEWRIGHT_SECURITY_LOG_MONTHS'] ?? String(SECURITY_LOG_MONTHS_MIN)),
    trustedProxies: networksOf(env['CASEWRIGHT_TRUSTED_PROXIES'] ?? ''),
    metrics: metricsOf(env['METRICS_HOST'], env['METRICS_PORT']),
    sftp: sftpOf(env),
  };
}

/** An empty variable counts as absent. */
function withoutEmpty(
  variables: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
}

function assertKnownVariables(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(env)) {
    if (!name.startsWith('CASEWRIGHT_') || name.startsWith(CONNECTION_PREFIX)) continue;
    if (known.includes(name) || clientVariables.includes(name) || name.startsWith('CASEWRIGHT_TEST_')) continue;
    throw new ConfigurationError(
      `unknown environment variable ${name}. Did you mean ${nearest(name, known)[0] ?? known.join(', ')}?`,
    );
  }
}

function portOf(name: string, text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new ConfigurationError(`${name}: expected a port number between 0 and 65535, where 0 means any free one`);
  return port;
}

function networksOf(text: string): readonly string[] {
  const networks = text.split(/[\s,]+/).filter((network) => network !== '');
  if (!networkList(text))
    throw new ConfigurationError(
      'CASEWRIGHT_TRUSTED_PROXIES: expected addresses or networks such as 10.0.0.0/8, comma-separated',
    );
  return networks;
}

/** Months of security log that an installation keeps unless the owner of the machine says otherwise. */
const SECURITY_LOG_MONTHS_MIN = 12;

function monthsOf(text: string): number {
  const months = Number(text);
  if (!Number.isInteger(months) || months < 0 || months > 1_200)
    throw new ConfigurationError('CASEWRIGHT_SECURITY_LOG_MONTHS: expected a whole number of months, from 0 to 1200');
  return months;
}

function environmentNameOf(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[\w.-]{1,60}$/.test(text))
    throw new ConfigurationError(
      'CASEWRIGHT_ENVIRONMENT: expected a name such as production or test, of at most 60 letters, digits, dots, ' +
        'dashes and underscores',
    );
  return text;
}

function logToOf(text: string): 'stdout' | 'stderr' {
  if (text !== 'stdout' && text !== 'stderr')
    throw new ConfigurationError('CASEWRIGHT_LOG_TO: expected stdout or stderr');
  return text;
}

function metricsOf(host: string | undefined, port: string | undefined): Environment['metrics'] {
  if (port !== undefined) return { host: host ?? '127.0.0.1', port: portOf('METRICS_PORT', port) };
  if (host !== undefined) throw new ConfigurationError('METRICS_HOST: set METRICS_PORT too, or neither');
  return undefined;
}

/** On by default, on an address that only this machine reaches. */
function sftpOf(env: Readonly<Record<string, string | undefined>>): Environment['sftp'] {
  const port = env['SFTP_PORT'];
  if (port === 'off') return undefined;
  return {
    host: env['SFTP_HOST'] ?? '127.0.0.1',
    port: portOf('SFTP_PORT', port ?? '2222'),
    isPortGiven: port !== undefined,
    hostKeys: env['SFTP_HOST_KEYS'],
  };
}

function logLevelOf(text: string): string {
  if (!(logLevels as readonly string[]).includes(text))
    throw new ConfigurationError(`CASEWRIGHT_LOG_LEVEL: expected one of ${logLevels.join(', ')}`);
  return text;
}

function administratorKeyOf(text: string | undefined): string | undefined {
  if (text !== undefined && text.length < ADMINISTRATOR_KEY_MIN)
    throw new ConfigurationError(
      `CASEWRIGHT_ADMIN_KEY: expected at least ${ADMINISTRATOR_KEY_MIN} characters, better 32 random ones`,
    );
  return text;
}

function readArguments(args: readonly string[]): { roles: ReadonlySet<Role>; demo: boolean } {
  let roles: ReadonlySet<Role> = new Set(roleNames);
  let demo = true;
  for (let i = 0; i < args.length; i++) {
    const [name, inline] = (args[i] ?? '').split('=', 2);
    if (name === '--no-demo') demo = false;
    else if (name === '--role') roles = rolesOf(inline ?? args[++i] ?? '');
    else
      throw new ConfigurationError(
        `unknown server option ${name}. Did you mean ${nearest(name ?? '', options)[0] ?? options.join(' or ')}? ` +
          'Known: --role web,worker,scheduler,sftp and --no-demo',
      );
  }
  return { roles, demo };
}

function rolesOf(text: string): ReadonlySet<Role> {
  const roles = splitCommaList(text);
  const unknown = roles.find((r) => !roleNames.includes(r as Role));
  if (unknown !== undefined || roles.length === 0)
    throw new ConfigurationError(`--role: expected some of ${roleNames.join(', ')}, comma-separated`);
  return new Set(roles as Role[]);
}

/** One variable per database: `CASEWRIGHT_CONNECTION_WAREHOUSE=postgres://…`. */
const CONNECTION_PREFIX = 'CASEWRIGHT_CONNECTION_';

function connectionsOf(env: Readonly<Record<string, string | undefined>>): ReadonlyMap<string, Connection> {
  return new Map(
    Object.entries(env).flatMap(([name, address]) => {
      if (!name.startsWith(CONNECTION_PREFIX) || address === undefined || address === '') return [];
      const declared = name.slice(CONNECTION_PREFIX.length);
      if (!/^[A-Z][A-Z0-9_]{0,49}$/.test(declared))
        throw new ConfigurationError(
          `${name}: expected a name of capital letters, digits and underscores after ${CONNECTION_PREFIX}`,
        );
      return [[declared, connectionOf(address, name)]];
    }),
  );
}

/** Returns the connection of a `postgres://` address; `variable` names its source in errors. */
export function connectionOf(address: string, variable = 'DATABASE_URL'): Connection {
  let url: URL;
  try {
    // The usual way to name a socket folder, user@/database?host=/folder, is not a valid URL without a host.
    url = new URL(address.replace(/^(postgres(?:ql)?:\/\/(?:[^/@]*@)?)(?=\/)/i, '$1localhost'));
  } catch {
    throw new ConfigurationError(`${variable}: expected postgres://user:password@host:port/database`);
  }
  if (!/^postgres(ql)?:$/.test(url.protocol))
    throw new ConfigurationError(`${variable}: expected an address that begins with postgres://`);
  const socket = url.searchParams.get('host');
  return {
    host: socket ?? part(url.hostname, 'localhost'),
    port: Number(url.searchParams.get('port') ?? part(url.port, '5432')),
    user: part(url.username, 'postgres'),
    database: part(url.pathname.slice(1), 'postgres'),
    ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
    ...(socket?.startsWith('/') === true ? {} : sslOf(url.searchParams, variable)),
  };
}

function part(encoded: string, otherwise: string): string {
  return encoded === '' ? otherwise : decodeURIComponent(encoded);
}

function assertSslParameters(parameters: URLSearchParams, variable: string): void {
  for (const name of parameters.keys())
    if (name.startsWith('ssl') && name !== 'sslmode' && name !== 'sslrootcert')
      throw new ConfigurationError(`${variable}: ${name} is not supported; supported are sslmode and sslrootcert`);
}

/**
 * Returns how a connection is encrypted, with the meanings of libpq: `require` with a file of authorities is
 * `verify-ca`. `allow`, which would encrypt only if the server insists, is `prefer`.
 */
function sslOf(parameters: URLSearchParams, variable: string): Pick<Connection, 'ssl' | 'sslRootCertificate'> {
  assertSslParameters(parameters, variable);
  const file = parameters.get('sslrootcert');
  const mode = parameters.get('sslmode') ?? (file === null ? 'prefer' : 'verify-full');
  if (mode !== 'allow' && !(SSL_MODES as readonly string[]).includes(mode))
    throw new ConfigurationError(`${variable}: sslmode: expected one of ${SSL_MODES.join(', ')}`);
  if (file === 'system' && mode !== 'verify-ca' && mode !== 'verify-full')
    throw new ConfigurationError(
      `${variable}: sslmode: with sslrootcert=system, expected verify-full or verify-ca; ${mode} verifies nothing`,
    );
  if (mode === 'allow') return { ssl: 'prefer' };
  if (file === null || file === 'system') return { ssl: mode as SslMode };
  if (!existsSync(file)) throw new ConfigurationError(`${variable}: sslrootcert: there is no file ${file}`);
  return { ssl: mode === 'require' ? 'verify-ca' : (mode as SslMode), sslRootCertificate: file };
}
