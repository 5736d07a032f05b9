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

/** Most attempts to create an index, including interrupted ones. */
const ATTEMPTS_MAX = 3;

/**
 * Housekeeping: creates indexes that administrators added, and drops those they removed and those left over from
 * interrupted builds. Runs in one process at a time, so a build already in progress belongs to a process that has
 * ended; it is left to finish. Returns how many indexes were created or dropped.
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

/** Creates one index, also one that has gone missing, such as after restoring a backup. */
async function build(platform: Platform, index: AddedIndex): Promise<boolean> {
  const attempts = index.state === 'Ready' ? 0 : index.attempts;
  if (attempts >= ATTEMPTS_MAX) {
    await setState(
      platform,
      index,
      'Failed',
      'Creating the index was interrupted several times. Delete and add it to try again.',
    );
    return false;
  }
  const name = indexName(index.searchindexid);
  try {
    const definition = definitionOf(platform, index);
    // Counted first, so that an attempt cut short by the end of the process counts.
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

/** A migration may have dropped the columns, and the index with them. */
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

/**
 * PostgreSQL's message for a failed build names the index and the reason, such as a full disk. It contains no values.
 */
function messageOf(error: unknown): string {
  return (error instanceof PlatformError ? error.message : loggableMessage(error)).slice(0, 1_000);
}
