import { spawn } from 'node:child_process';
import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chooseAccount } from '../../../src/app/embedded-postgres/account.ts';
import { atEnd } from '../at-end.ts';
import type { CleanUp, TestDatabase } from '../database.ts';
import { eventually } from '../eventually.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { installProgram } from './debian-packages.ts';

const PGBOUNCER = '/usr/sbin/pgbouncer';

/** Installs Debian's PgBouncer if possible. Returns the reason if it is not. */
export function installPgbouncer(log: (line: string) => void): string | undefined {
  return installProgram(PGBOUNCER, { name: 'PgBouncer', packages: ['pgbouncer'], log });
}

/** Why its tests are skipped; false if it is installed. */
export const withoutPgbouncer: string | false = existsSync(PGBOUNCER) ? false : 'there is no PgBouncer on this machine';

/** How a PgBouncer is configured. */
export interface PgbouncerOptions {
  readonly mode: 'session' | 'transaction' | 'statement';
  /** Start-up parameters that it drops; it refuses connections with others that it does not know. */
  readonly ignored?: readonly string[];
}

/** Starts a PgBouncer on a unix socket before a database; returns the database as it is reached through it. */
export async function startPgbouncer(
  cleanUp: CleanUp,
  { host, port, user, database }: TestDatabase,
  { mode, ignored = [] }: PgbouncerOptions,
): Promise<TestDatabase> {
  const folder = temporaryFolder(cleanUp);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    [
      '[databases]',
      `${database} = host=${host} port=${port} dbname=${database} user=${user}`,
      '[pgbouncer]',
      'listen_addr =',
      'listen_port = 6432',
      `unix_socket_dir = ${folder}`,
      'auth_type = any',
      `pool_mode = ${mode}`,
      'max_client_conn = 200',
      ...(ignored.length === 0 ? [] : [`ignore_startup_parameters = ${ignored.join(',')}`]),
    ].join('\n'),
  );
  // Like the server, it refuses to run as root.
  const account = chooseAccount(folder);
  if (account) chownSync(folder, account.uid, account.gid);
  const child = spawn(PGBOUNCER, [file], { ...account, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const lines: string[] = [];
  child.stderr.on('data', (data: Buffer) => void lines.push(data.toString()));
  atEnd(cleanUp, async () => {
    child.kill('SIGINT');
    await ended;
  });
  await eventually('PgBouncer listens', () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${lines.join('').slice(-500)}`);
    return existsSync(join(folder, '.s.PGSQL.6432'));
  });
  return { host: folder, port: 6432, user, database };
}
