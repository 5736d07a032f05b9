import type { Store } from './store.ts';

/** Timeout of creating or dropping one index. Rows can be read and written meanwhile. */
const MINUTES_MAX = 60;

/** An index that is created and dropped online. Names and SQL come from declarations. */
export interface ConcurrentIndex {
  readonly name: string;
  readonly table: string;
  /** The method and the columns, as in `using btree (status, dateopened)`. */
  readonly using: string;
}

/**
 * An index in the database. `building`: a connection is creating it, possibly that of a process that has since ended.
 * `unusable`: left over from a failed or interrupted build.
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

/** Creates an index without locking out writers. A failure may leave an unusable index behind. */
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
