import { arrayLiteral, type Db } from '../../../../kernel/database/store.ts';
import type { IndexDefinition, IndexKind } from './index-definition.ts';

export type IndexState = 'Waiting' | 'Building' | 'Ready' | 'Failed' | 'Removing';

/** The stored row of an index that an administrator added. */
export interface AddedIndex {
  readonly searchindexid: number;
  readonly recordtype: string;
  readonly indexkind: IndexKind;
  readonly columns: string;
  readonly state: IndexState;
  readonly attempts: number;
  readonly message: string | null;
  readonly createddate: string;
  readonly createdpersonid: number | null;
}

/** Returns the indexes that administrators added, oldest first. */
export function addedIndexes(db: Db): Promise<AddedIndex[]> {
  return db.query<AddedIndex>(
    `select searchindexid, recordtype, indexkind, columns, state, attempts, message, createddate, createdpersonid
     from searchindex
     order by searchindexid`,
  );
}

/** Inserts an index to be created by housekeeping, and returns its ID. */
export async function insertIndex(db: Db, index: IndexDefinition, personId: number): Promise<number> {
  const [row] = await db.query<{ id: number }>(
    `insert into searchindex (recordtype, indexkind, columns, createdpersonid)
     values ($1::text, $2::text, $3::text, $4::bigint)
     returning searchindexid as id`,
    [index.recordType, index.kind, index.columns, personId],
  );
  return row?.id ?? 0;
}

/** Marks an index for removal. Returns whether it exists. */
export async function markRemoved(db: Db, id: number): Promise<AddedIndex | undefined> {
  const [row] = await db.query<AddedIndex>(
    "update searchindex set state = 'Removing', message = null where searchindexid = $1::bigint returning *",
    [id],
  );
  return row;
}

/** An index as it exists in the database. */
export interface DatabaseIndex {
  readonly table: string;
  readonly name: string;
  readonly isUsable: boolean;
  /** The columns with their directions, as in `status, dateopened desc nulls last`. */
  readonly columns: readonly string[];
  /** It is partial, or not a btree, so it does not simply serve searches by its columns. */
  readonly isSpecial: boolean;
  readonly bytes: number;
  readonly reads: number;
  readonly lastread: string | null;
  /** While the index is being built: percentage of the table read so far. */
  readonly percent: number | null;
}

/** Returns the indexes of tables, with their size, their use, and the progress of those being built. */
export function databaseIndexes(db: Db, tables: readonly string[]): Promise<DatabaseIndex[]> {
  return db.query<DatabaseIndex>(
    `select t.relname as table, c.relname as name, i.indisvalid as "isUsable",
       to_json(array(
         select pg_get_indexdef(i.indexrelid, n, true) || case i.indoption[n - 1] & 3
           when 0 then '' when 1 then ' desc nulls last' when 2 then ' nulls first' else ' desc' end
         from generate_series(1, i.indnkeyatts) n
         order by n)) as columns,
       i.indpred is not null or m.amname <> 'btree' as "isSpecial", pg_relation_size(c.oid) as bytes,
       coalesce(s.idx_scan, 0) as reads,
       -- PostgreSQL 15 does not record when an index was last read.
       (to_jsonb(s) ->> 'last_idx_scan')::timestamptz as lastread,
       (100 * p.blocks_done / nullif(p.blocks_total, 0))::integer as percent
     from pg_index i
     join pg_class c on c.oid = i.indexrelid
     join pg_class t on t.oid = i.indrelid
     join pg_am m on m.oid = c.relam
     left join pg_stat_user_indexes s on s.indexrelid = c.oid
     left join pg_stat_progress_create_index p on p.index_relid = c.oid
     where t.relnamespace = 'public'::regnamespace and t.relname = any($1::text[])
     order by t.relname, c.relname`,
    [arrayLiteral(tables)],
  );
}
