import {
  createIndexConcurrently,
  dropIndexConcurrently,
  indexesNamed,
} from '../../../../kernel/database/concurrent-index.ts';
import { loggableMessage } from '../../../../kernel/database/database-error.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';
import { INDEX_NAMES, indexDefinition, indexName, type IndexDefinition } from './index-definition.ts';
import { addedIndexes, type AddedIndex, type IndexState } from './stored-indexes.ts';

/** How often creating an index is tried, interruptions included. */
const ATTEMPTS_MAX = 3;

/**
 * Housekeeping: creates the indexes that administrators have added, and drops those that they have removed and those
 * that an interrupted build has left. It runs in one process at a time; a build in progress is that of a process that
 * has ended, and is left to finish. Returns how many were created and dropped.
 */
export const maintainSearchIndexes = {
  name: 'search indexes',
  everyMinutes: 1,
  async run(platform: Platform): Promise<number> {
    const added = new Map((await addedIndexes(platform.store)).map((index) => [indexName(index.searchindexid), index]));
    let changed = 0;
    for (const { name, condition } of await indexesNamed(platform.store, INDEX_NAMES)) {
      const index = added.get(name);
      if (condition !== 'unusable' && index && index.state !== 'Removing') {
        if (condition === 'usable' && index.state !== 'Ready') await setState(platform, index, 'Ready');
        added.delete(name);
        continue;
      }
      await dropIndexConcurrently(platform.store, name);
      changed++;
    }
    for (const index of added.values()) {
      if (index.state === 'Removing') await deleteIndex(platform, index);
      else if (index.state !== 'Failed' && (await build(platform, index))) changed++;
    }
    return changed;
  },
} as const;

async function deleteIndex({ store }: Platform, { searchindexid }: AddedIndex): Promise<void> {
  await store.query("delete from searchindex where searchindexid = $1::bigint and state = 'Removing'", [searchindexid]);
}

/** Creates one index. An index that existed before, such as before a restore from a backup, is created again. */
async function build(platform: Platform, index: AddedIndex): Promise<boolean> {
  const attempts = index.state === 'Ready' ? 0 : index.attempts;
  if (attempts >= ATTEMPTS_MAX) {
    await setState(platform, index, 'Failed', 'Creating it was interrupted several times.');
    return false;
  }
  const name = indexName(index.searchindexid);
  try {
    const definition = definitionOf(platform, index);
    // Counted before: an attempt that ends with the process counts too.
    if (!(await begin(platform, index, attempts + 1))) return false;
    if (definition.kind === 'Contains')
      await platform.store.outsideTransaction('create extension if not exists pg_trgm', 60_000);
    await createIndexConcurrently(platform.store, { ...definition, name });
    await setState(platform, index, 'Ready');
    return true;
  } catch (error) {
    platform.log.warn('creating a search index failed', { index: name, error: loggableMessage(error) });
    await dropIndexConcurrently(platform.store, name).catch(() => undefined);
    const isFinal = error instanceof PlatformError || attempts + 1 >= ATTEMPTS_MAX;
    await setState(platform, index, isFinal ? 'Failed' : 'Waiting', messageOf(error));
    return false;
  }
}

/** The columns may have gone: a migration has dropped them, and the index with them. */
function definitionOf(platform: Platform, { recordtype, indexkind, columns }: AddedIndex): IndexDefinition {
  return indexDefinition(platform.registry, {
    recordType: recordtype,
    kind: indexkind,
    columns: columns.split(','),
  });
}

async function begin({ store }: Platform, { searchindexid }: AddedIndex, attempts: number): Promise<boolean> {
  const rows = await store.query(
    `update searchindex set state = 'Building', attempts = $2::integer, message = null
     where searchindexid = $1::bigint and state <> 'Removing'
     returning searchindexid`,
    [searchindexid, attempts],
  );
  return rows.length > 0;
}

async function setState(
  { store }: Platform,
  { searchindexid }: AddedIndex,
  state: IndexState,
  message: string | null = null,
): Promise<void> {
  await store.query(
    `update searchindex set state = $2::text, message = $3::text
     where searchindexid = $1::bigint and state <> 'Removing'`,
    [searchindexid, state, message],
  );
}

/** PostgreSQL's text of a failed build names the index and the reason, such as a full disk; it repeats no values. */
function messageOf(error: unknown): string {
  return (error instanceof PlatformError ? error.message : loggableMessage(error)).slice(0, 1_000);
}
