import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { keysOf } from '../../kernel/security/cipher.ts';
import type { Connection } from '../../kernel/database/store.ts';
import { RESTORING } from '../embedded-postgres/cluster.ts';
import { takeOwnership } from '../embedded-postgres/owner.ts';
import { findServerPackage } from '../embedded-postgres/program.ts';
import { RESTORED_AS, writeRestoreDecision, type Decision } from '../installation.ts';
import type { KeySource } from '../rotation/key-source.ts';
import { startConnection } from '../start-connection.ts';
import { CLUSTER } from './cluster-copy.ts';
import { FILES } from './documents.ts';
import { checkProgram, DUMP, loadDump } from './database-dump.ts';
import { discard } from './discard.ts';
import type { BackupHead } from './manifest.ts';
import { unpack } from './unpack.ts';

/** Files that the data folder may contain before a restore: the secret key, and the owner file. */
const MAY_STAY = /^(secret\.key(\..*)?|owner\.json(\..*)?)$/;

/** Parameters of a restore. */
export interface RestoreParts {
  readonly backup: string;
  readonly dataFolder: string;
  /** The operator's own database, for a backup of one. */
  readonly connection: Connection | undefined;
  readonly source: KeySource;
  /** Whether the restored store replaces its original, or is a copy beside it. */
  readonly as: Decision;
  readonly print: (line: string) => void;
}

/**
 * Restores a backup into an empty data folder and, for a backup of `DATABASE_URL`, into an empty database. First
 * compares the backup with its manifest. Unpacks into a separate folder until all of it is there, and moves the cluster
 * into place last; a server does not start on a folder with an interrupted restore.
 */
export async function restore(parts: RestoreParts): Promise<void> {
  const { dataFolder, print } = parts;
  mkdirSync(dataFolder, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  const ownership = takeOwnership(dataFolder);
  try {
    const aside = join(dataFolder, RESTORING);
    clearCutOff(dataFolder, aside);
    const there = readdirSync(dataFolder).filter((name) => !MAY_STAY.test(name));
    if (there.length > 0)
      throw new Error(
        `${dataFolder} is not empty: it contains ${there.slice(0, 5).join(', ')}. Nothing was changed; restore ` +
          'into an empty folder (it may contain secret.key).',
      );
    mkdirSync(aside, { mode: 0o700 });
    let head: BackupHead;
    try {
      ({ head } = await unpack(parts.backup, aside));
      await checkKind(head, parts.connection);
    } catch (error) {
      const { isDeleted, note } = await discard('unfinished restore', aside, () =>
        rm(aside, { recursive: true, force: true }),
      );
      const failure = explainFullDisk(error, dataFolder, note);
      if (!isDeleted && failure === error) print(note);
      throw failure;
    }
    print(`the backup of ${head.taken} is complete and undamaged`);
    if (existsSync(join(aside, FILES))) renameSync(join(aside, FILES), join(dataFolder, FILES));
    writeRestoreDecision(dataFolder, parts.as);
    if (parts.connection) await loadDatabase(parts.connection, dataFolder, aside);
    else placeCluster(dataFolder, aside);
    rmSync(aside, { recursive: true, force: true });
    reportKeys(parts, head);
    if (parts.as === 'copy')
      print(
        "it is a copy: the original's API keys, passwords and sessions will not work here, and nothing will be sent. " +
          'If it replaces the original, restore it with --move instead',
      );
  } finally {
    ownership.release();
  }
}

/** Deletes the files of an interrupted restore. */
function clearCutOff(dataFolder: string, aside: string): void {
  if (!existsSync(aside)) return;
  for (const name of [FILES, 'postgres', RESTORED_AS, RESTORING])
    rmSync(join(dataFolder, name), { recursive: true, force: true });
}

async function checkKind(head: BackupHead, connection: Connection | undefined): Promise<void> {
  if (head.kind === 'dump' && !connection)
    throw new Error(
      'this is a backup of a database named by DATABASE_URL: set DATABASE_URL to an empty database to restore it ' +
        'into. Nothing was restored.',
    );
  if (head.kind === 'cluster' && connection)
    throw new Error(
      'this is a backup of the embedded database, which cannot be restored into DATABASE_URL: unset ' +
        'DATABASE_URL. Nothing was restored.',
    );
  const major = Number.parseInt(head.postgres, 10);
  if (connection) return checkProgram('pg_restore', major);
  const { major: ours, version } = await findServerPackage();
  if (ours !== major)
    throw new Error(
      `the backup is of PostgreSQL ${head.postgres}, but this version of Casewright includes ` +
        `PostgreSQL ${version}. Restore it with Casewright ${head.version}, which created it. Nothing was ` +
        'restored.',
    );
}

/**
 * The roles that the dump's grants name belong to the whole server; the first migration creates them in the same way.
 */
const rolesText = `do $$ declare wanted text; begin
  foreach wanted in array
    array['casewright_reach', 'casewright_report', 'casewright_report_all', 'casewright_staging'] loop
    if not exists (select from pg_roles where rolname = wanted) then
      execute format('create role %I nologin nosuperuser nobypassrls noinherit', wanted);
    end if;
    if not pg_has_role(wanted, 'MEMBER') then execute format('grant %I to current_user', wanted); end if;
  end loop; end $$`;

async function loadDatabase(connection: Connection, dataFolder: string, aside: string): Promise<void> {
  const sql = startConnection(connection, { name: 'casewright restore' });
  try {
    const [other] = await sql.unsafe<{ name: string }[]>(
      `select n.nspname || '.' || c.relname as name
       from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
       limit 1`,
    );
    if (other)
      throw new Error(
        `the database ${connection.database} is not empty: it contains ${other.name}. Nothing was restored; set ` +
          'DATABASE_URL to an empty database.',
      );
    await sql.unsafe(rolesText);
    await loadDump(connection, join(aside, DUMP), join(aside, `${DUMP}.list`));
    await sql.unsafe('alter default privileges revoke execute on functions from public');
  } catch (error) {
    clearCutOff(dataFolder, aside);
    throw error;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Moves the cluster into place. Done last, since its presence makes the folder a store. */
function placeCluster(dataFolder: string, aside: string): void {
  mkdirSync(join(dataFolder, 'postgres'), { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  renameSync(join(aside, CLUSTER), join(dataFolder, 'postgres', 'cluster'));
}

function reportKeys({ source, dataFolder, print }: RestoreParts, head: BackupHead): void {
  const known =
    source.file === undefined || existsSync(source.file)
      ? new Set(keysOf(source.read()).map((key) => key.id.toString('hex')))
      : new Set<string>();
  const missing = head.keys.filter((id) => !known.has(id));
  if (missing.length === 0) print(`restored into ${dataFolder}. The secret key is present; you can start the server`);
  else
    print(
      `restored into ${dataFolder}. Before you start the server, add the secret key ${missing.join(' and ')} to ` +
        `${source.name}: backups do not contain it, and the server does not start without it`,
    );
}

function explainFullDisk(error: unknown, dataFolder: string, note: string): unknown {
  if (!['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String((error as NodeJS.ErrnoException).code))) return error;
  return new Error(
    `not enough disk space to restore the backup into ${dataFolder}. ${note}; free some space and repeat the restore.`,
    { cause: error },
  );
}
