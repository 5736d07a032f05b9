import type { Store } from './store.ts';

/** Longest time to create or drop one index; rows are read and written meanwhile. */
const MINUTES_MAX = 60;

/** An index that is created and dropped while the platform is serving. Names and SQL come from declarations. */
export interface ConcurrentIndex {
  readonly name: string;
  readonly table: string;
  /** The method and the columns, as in `using btree (status, dateopened)`. */
  readonly using: string;
}

/**
 * An index of the database. `building`: a connection creates it now, maybe that of a process that has ended meanwhile.
 * `unusable`: a build that failed or was interrupted has left it.
 */
export interface StoredIndex {
  readonly name: string;
  readonly condition: 'usable' | 'building' | 'unusable';
}

/** Returns the indexes whose names match a regular expression. */
export function indexesNamed(store: Store, pattern: string): Promise<StoredIndex[]> {
  return store.query<StoredIndex>(
    `select c.relname as name,
       case
         when i.indisvalid then 'usable'
         when exists (select 1 from pg_stat_progress_create_index p where p.index_relid = c.oid) then 'building'
         else 'unusable'
       end as condition
     from pg_index i
     join pg_class c on c.oid = i.indexrelid
     where c.relnamespace = 'public'::regnamespace and c.relname ~ $1::text`,
    [pattern],
  );
}

/** Creates an index without locking out writers. If it fails, it may leave an unusable index. */
export async function createIndexConcurrently(store: Store, { name, table, using }: ConcurrentIndex): Promise<void> {
  await store.outsideTransaction(
    `create index concurrently if not exists ${name} on public.${table} ${using}`,
    MINUTES_MAX * 60_000,
  );
}

/** Drops an index, if it exists, without locking out readers and writers. */
export async function dropIndexConcurrently(store: Store, name: string): Promise<void> {
  await store.outsideTransaction(`drop index concurrently if exists public.${name}`, MINUTES_MAX * 60_000);
}
