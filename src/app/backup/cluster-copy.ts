import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type postgres from 'postgres';
import type { Connection } from '../../kernel/database/store.ts';
import { startConnection } from '../start-connection.ts';
import type { Collector } from './collector.ts';

/** Most readings of the control file until two agree: the server writes it in one go, but a reading may overlap. */
const CONTROL_READS_MAX = 50;
/** Folder of the cluster in a backup. */
export const CLUSTER = 'cluster';

/**
 * Folders whose content the server recreates at its start, and the write-ahead log, part of which is copied at the end.
 */
const emptied: ReadonlySet<string> = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'archive_status',
  'summaries',
]);
/** Files that belong to the running server only, or are copied separately. */
const leftOut = new RegExp(
  `^(${[
    'postmaster\\.(pid|opts)',
    'pg_control',
    'backup_label(\\.old)?',
    'tablespace_map(\\.old)?',
    'backup_manifest',
    'pg_internal\\.init(\\..*)?',
    'pgsql_tmp.*',
    'current_logfiles(\\.tmp)?',
  ].join('|')})$`,
);

function leaves(path: string): 'all' | 'its content' | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (leftOut.test(name) || path.startsWith(`${CLUSTER}/pg_wal/0`)) return 'all';
  return emptied.has(name) ? 'its content' : undefined;
}

/**
 * Copies the cluster of a running server by PostgreSQL's low-level base backup. From its start the server keeps all
 * write-ahead log (held by a temporary replication slot), and at its end reports the range of log that the backup
 * needs. Both end with the connection, so a killed tool leaves nothing behind. Commits are not slowed: the log contains
 * all that is needed anyway (`wal_level` replica, full pages).
 */
export async function copyCluster(
  connection: Connection,
  cluster: string,
  into: Collector,
  label: string,
): Promise<void> {
  const sql = startConnection(connection, { name: 'casewright backup' });
  try {
    await refuseTablespaces(sql);
    await sql.unsafe('select pg_create_physical_replication_slot($1, true, true)', [
      `casewright_backup_${process.pid}`,
    ]);
    const [start] = await sql.unsafe<{ wal: string; lsn: string }[]>(
      'select pg_walfile_name(lsn) as wal, lsn::text as lsn from pg_backup_start($1, true) lsn',
      [label],
    );
    await into.folder(cluster, CLUSTER, leaves);
    await into.bytes(`${CLUSTER}/global/pg_control`, await controlFile(cluster));
    const [stop] = await sql.unsafe<{ wal: string; labelfile: string; segments: number }[]>(
      `select pg_walfile_name(lsn) as wal, labelfile,
         (trunc((lsn - '0/0'::pg_lsn - 1) / s.size) - trunc(($1::text::pg_lsn - '0/0'::pg_lsn) / s.size))::integer + 1
           as segments
       from pg_backup_stop(false),
         (select setting::numeric as size from pg_settings where name = 'wal_segment_size') s`,
      [start?.lsn ?? ''],
    );
    if (!start || !stop)
      throw new Error('the database server did not report which write-ahead log the backup needs; take it again');
    await into.bytes(`${CLUSTER}/backup_label`, Buffer.from(stop.labelfile));
    await copyLog(sql, cluster, into, { from: start.wal, to: stop.wal, segments: stop.segments });
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function copyLog(
  sql: postgres.Sql,
  cluster: string,
  into: Collector,
  { from, to, segments }: { from: string; to: string; segments: number },
): Promise<void> {
  const names = (
    await sql.unsafe<{ name: string }[]>(
      `select name from pg_ls_waldir() where name ~ '^[0-9A-F]{24}$' and name >= $1 and name <= $2 order by name`,
      [from, to],
    )
  ).map((row) => row.name);
  for (const name of names)
    if (!(await into.file(join(cluster, 'pg_wal', name), `${CLUSTER}/pg_wal/${name}`)))
      throw new Error(`write-ahead log file ${name} was removed before it was copied; take the backup again`);
  if (names.length !== segments)
    throw new Error(
      `only ${names.length} of ${segments} write-ahead log files from ${from} to ${to} were found; ` +
        'take the backup again',
    );
}

async function refuseTablespaces(sql: postgres.Sql): Promise<void> {
  const [other] = await sql.unsafe<{ name: string }[]>(
    `select spcname as name from pg_tablespace where spcname not like 'pg\\_%'`,
  );
  if (other)
    throw new Error(
      `the database has a tablespace outside the data folder, ${other.name}, which cannot be included in this ` +
        "backup; use PostgreSQL's own backup tools",
    );
}

async function controlFile(cluster: string): Promise<Buffer> {
  const path = join(cluster, 'global', 'pg_control');
  let before = await readFile(path);
  for (let reads = 1; reads < CONTROL_READS_MAX; reads++) {
    const again = await readFile(path);
    if (again.equals(before)) return again;
    before = again;
  }
  throw new Error(`${path} changed each time it was read; take the backup again`);
}
