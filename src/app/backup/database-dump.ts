import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import type postgres from 'postgres';
import type { Connection } from '../../kernel/database/store.ts';
import type { Collector } from './collector.ts';

/** Name of the dump in a backup of the operator's own database. */
export const DUMP = 'database.dump';
/** Reported length of a program's error output, from its end. */
const ERROR_CHARACTERS_MAX = 1_000;

/** Throws if pg_dump is missing, or older than the server, which it could not dump. */
export async function checkDumper(sql: postgres.Sql): Promise<void> {
  const [row] = await sql.unsafe<{ major: number }[]>(
    `select current_setting('server_version_num')::integer / 10000 as major`,
  );
  await checkProgram('pg_dump', row?.major ?? 0);
}

/** Checks that a program of PostgreSQL exists, in at least a major version. */
export async function checkProgram(program: 'pg_dump' | 'pg_restore', major: number): Promise<void> {
  const install =
    `install the client programs of PostgreSQL ${major} or later (Debian: postgresql-client-${major}), or use ` +
    'the tools of your database. Nothing was changed.';
  const output = await run(program, ['--version'], {}).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new Error(`${program} was not found: ${install}`);
    throw error;
  });
  const found = Number(/\(PostgreSQL\) (\d+)/.exec(output)?.[1] ?? 0);
  if (found < major)
    throw new Error(`${program} of PostgreSQL ${found} is too old for PostgreSQL ${major}: ${install}`);
}

/** Dumps a consistent snapshot of the database while it is in use. */
export async function dumpDatabase(connection: Connection, spool: string, into: Collector): Promise<void> {
  try {
    await withConnectionVariables(connection, `${spool}.authorities`, (variables) =>
      run('pg_dump', ['--format=custom', '--no-password', `--file=${spool}`], variables),
    );
    await into.file(spool, DUMP);
  } finally {
    await rm(spool, { force: true });
  }
}

/**
 * Loads a dump into an empty database, completely or not at all. The restoring user owns everything. Default privileges
 * name their owner, so they are left out and granted again.
 */
export async function loadDump(connection: Connection, dump: string, list: string): Promise<void> {
  const contents = await run('pg_restore', ['--list', dump], {});
  await writeFile(
    list,
    contents
      .split('\n')
      .filter((line) => !line.includes(' DEFAULT ACL '))
      .join('\n'),
    { mode: 0o600 },
  );
  const parameters = [
    '--no-owner',
    '--no-password',
    '--single-transaction',
    '--exit-on-error',
    `--use-list=${list}`,
    `--dbname=${connection.database}`,
    dump,
  ];
  await withConnectionVariables(connection, `${list}.authorities`, (variables) =>
    run('pg_restore', parameters, variables),
  );
}

/**
 * Runs a program with the connection as environment variables of libpq: any user of the machine can read a command
 * line. libpq verifies a server only against a file: if none was given, `file` is written with the authorities that
 * Node trusts, and removed afterwards.
 */
async function withConnectionVariables(
  connection: Connection,
  file: string,
  program: (variables: Record<string, string>) => Promise<unknown>,
): Promise<void> {
  const { ssl, sslRootCertificate } = connection;
  const isMissing = sslRootCertificate === undefined && (ssl === 'verify-ca' || ssl === 'verify-full');
  try {
    if (isMissing) await writeFile(file, getCACertificates('default').join('\n'), { mode: 0o600 });
    await program(connectionVariables({ ...connection, ...(isMissing ? { sslRootCertificate: file } : {}) }));
  } finally {
    if (isMissing) await rm(file, { force: true });
  }
}

function connectionVariables(connection: Connection): Record<string, string> {
  return {
    PGHOST: connection.host,
    PGPORT: String(connection.port),
    PGUSER: connection.user,
    PGDATABASE: connection.database,
    ...(connection.password === undefined ? {} : { PGPASSWORD: connection.password }),
    ...(connection.ssl === undefined ? {} : { PGSSLMODE: connection.ssl }),
    ...(connection.sslRootCertificate === undefined ? {} : { PGSSLROOTCERT: connection.sslRootCertificate }),
  };
}

function run(
  program: string,
  parameters: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', ...variables },
    });
    let output = '';
    let errorOutput = '';
    child.stdout.on('data', (data: Buffer) => void (output += data.toString()));
    child.stderr.on(
      'data',
      (data: Buffer) => void (errorOutput = (errorOutput + data.toString()).slice(-ERROR_CHARACTERS_MAX)),
    );
    child.on('error', reject);
    child.on('close', (code, signal) =>
      code === 0 ? resolve(output) : reject(new Error(`${program} failed (${code ?? signal}): ${errorOutput.trim()}`)),
    );
  });
}
