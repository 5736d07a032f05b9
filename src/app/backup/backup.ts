import { join } from 'node:path';
import type postgres from 'postgres';
import { keysOf } from '../../kernel/security/cipher.ts';
import type { OpenStore } from '../open-store.ts';
import type { KeySource } from '../rotation/key-source.ts';
import { neededKeys, readRotation } from '../rotation/rotation-state.ts';
import { startConnection } from '../start-connection.ts';
import { copyCluster } from './cluster-copy.ts';
import { collectInto, type Collector } from './collector.ts';
import { discard } from './discard.ts';
import { copyDocuments } from './documents.ts';
import { checkDumper, dumpDatabase } from './database-dump.ts';
import type { BackupHead } from './manifest.ts';
import { leftovers, openTarget, type BackupTarget } from './backup-target.ts';

/** Advisory lock that allows one backup at a time. The number is arbitrary, but the same in all processes. */
const LOCK = 7_322_099;
/** Most names in one message. */
const NAMES_MAX = 20;

/** Parameters of a backup. */
export interface BackupParts {
  readonly store: OpenStore;
  readonly dataFolder: string;
  readonly source: KeySource;
  readonly version: string;
  readonly target: string;
  readonly print: (line: string) => void;
}

/**
 * Backs up a running installation: writes the database, the stored documents, and a manifest with the hash of each
 * file. The backup contains every change that was answered before it began, but not the secret key.
 */
export async function backup(parts: BackupParts): Promise<void> {
  const { store, print } = parts;
  const sql = startConnection(store.connection, { name: 'casewright backup' });
  let target: BackupTarget | undefined;
  try {
    const [lock] = await sql.unsafe<{ free: boolean }[]>(`select pg_try_advisory_lock(${LOCK}) as free`);
    if (lock?.free !== true)
      throw new Error('another backup of this store is running. Nothing was written; wait until it has finished.');
    if (store.cluster === undefined) await checkDumper(sql);
    for (const left of await leftovers(parts.target))
      print(`found ${left}: an unfinished backup. Delete it, unless a backup of another store is writing it now`);
    target = await openTarget(parts.target);
    const into = collectInto(target);
    await fill(sql, parts, target, into);
    await target.finish();
    print(`backup complete: ${parts.target}, ${into.files} files, ${Math.ceil(into.size / 1_048_576)} MB`);
    print(
      'the backup does not contain the secret key, without which its sealed numbers and documents cannot be read: ' +
        `keep a copy of ${parts.source.file ?? 'CASEWRIGHT_SECRET_KEY'} somewhere else`,
    );
  } catch (error) {
    const begun = target;
    if (!begun) throw error;
    const { isDeleted, note } = await discard('unfinished backup', begun.partial, () => begun.abandon());
    const failure = explainFullDisk(error, parts.target, note);
    if (!isDeleted && failure === error) print(note);
    throw failure;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function fill(sql: postgres.Sql, parts: BackupParts, target: BackupTarget, into: Collector): Promise<void> {
  const { store, print } = parts;
  const begun = await serverNow(sql);
  if (store.cluster === undefined) await dumpDatabase(store.connection, target.spool, into);
  else await copyCluster(store.connection, store.cluster, into, `casewright ${begun.now}`);
  print(`database copied: ${Math.ceil(into.size / 1_048_576)} MB`);
  const { missing, elsewhere } = await copyDocuments(sql, join(parts.dataFolder, 'files'), into, begun.now);
  if (missing.length > 0)
    print(
      `${missing.length} documents have no file in the store, so the backup has none for them either: ` +
        `${missing.slice(0, NAMES_MAX).join(', ')}${missing.length > NAMES_MAX ? ', …' : ''}`,
    );
  if (elsewhere > 0) print(`${elsewhere} documents are in other storage locations, which this backup does not include`);
  const head: BackupHead = {
    format: 1,
    kind: store.cluster === undefined ? 'dump' : 'cluster',
    version: parts.version,
    postgres: begun.postgres,
    begun: begun.now,
    taken: (await serverNow(sql)).now,
    keys: await keyIds(sql, parts.source),
  };
  await into.finish(head);
}

async function serverNow(sql: postgres.Sql): Promise<{ now: string; postgres: string }> {
  const [row] = await sql.unsafe<{ now: string; postgres: string }[]>(
    `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now,
       current_setting('server_version') as postgres`,
  );
  return row ?? { now: '', postgres: '' };
}

/** Returns the keys needed to read the backup: those of a rotation, or else all keys in use. */
async function keyIds(sql: postgres.Sql, source: KeySource): Promise<readonly string[]> {
  const needed = neededKeys(await readRotation(sql));
  return needed.length > 0 ? needed : keysOf(source.read()).map((key) => key.id.toString('hex'));
}

/** Replaces the error of a full disk by one that names the target; returns other errors unchanged. */
function explainFullDisk(error: unknown, target: string, note: string): unknown {
  if (!['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String((error as NodeJS.ErrnoException).code))) return error;
  return new Error(`not enough disk space for the backup at ${target}. ${note}; free some space and repeat it.`, {
    cause: error,
  });
}
