import { CUSTOM_COLUMN } from '../../declare/custom-field.ts';
import type { RecordType } from '../../declare/record.ts';
import { arrayLiteral, type Db } from '../../database/store.ts';
import { tablesOf } from '../../database/sql.ts';
import type { Context } from '../../door/context.ts';
import { historyRows, presentTexts, visibleColumns, type HistoryEntry, type HistoryRow } from './history.ts';

/** A changed field of a record. `At` has microseconds. */
export interface FieldChange extends HistoryRow {
  readonly record: RecordType;
  readonly id: number;
}

/** A page of changes. */
export interface RecentChanges {
  readonly changes: readonly FieldChange[];
  /** Where the next page begins; undefined if there is none. */
  readonly next: string | undefined;
}

const NONE: RecentChanges = { changes: [], next: undefined };

/** Which changes to read: those before an instant, the latest first. */
export interface ChangePage {
  /** ISO 8601 with microseconds; undefined for the latest. */
  readonly before: string | undefined;
  /** Most stored changes; one has several fields. */
  readonly limit: number;
}

/** Formats an instant with microseconds, so that pages neither repeat nor leave out a change. */
export const MICROSECONDS = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;

type StoredChange = HistoryEntry & { readonly instant: string };

/**
 * Returns changes of a record, latest first; none if the caller cannot see it now. The caller has checked the
 * permission to read its history.
 */
export async function recentChanges(
  ctx: Context,
  record: RecordType,
  id: number,
  page: ChangePage,
): Promise<RecentChanges> {
  const columns = visibleColumns(ctx, record);
  const present = await presentTexts(ctx, record, id, columns);
  if (!present) return NONE;
  const tables = arrayLiteral(tablesOf(record).map(({ table }) => table));
  // The role under row security cannot read history; the query above has shown that the record is visible.
  const read = async (db: Db): Promise<RecentChanges> => {
    const entries = await db.query<StoredChange>(ENTRIES, [id, tables, page.before ?? null, page.limit]);
    if (entries.length === 0) return NONE;
    const then = page.before === undefined ? present : { ...present, ...(await valuesAt(db, tables, id, page.before)) };
    const view = { cipher: ctx.cipher, columns, present: then, root: record.root.table };
    // Each entry by itself, so that its rows keep its instant; the values carry over from entry to entry.
    const rows = historyRows(
      entries.map((entry) => ({ ...entry, at: entry.instant })),
      view,
    );
    return {
      changes: rows.map((row) => ({ ...row, record, id })),
      next: entries.length < page.limit ? undefined : entries.at(-1)?.instant,
    };
  };
  return ctx.user.universal ? read(ctx.db) : ctx.inTransaction((own) => own.transaction().elevated(read));
}

const ENTRIES = `select historyid, at, to_char(at at time zone 'UTC', ${MICROSECONDS}) as instant, change, personid,
    callid, tablename, coalesce((select jsonb_object_agg(key, value #>> '{}') from jsonb_each(old)), '{}') as old
  from history
  where tablename = any($2::text[]) and recordid = $1::bigint and (change <> 'update' or old <> '{}')
    and ($3::timestamptz is null or at < $3::timestamptz)
  order by history.at desc, historyid desc
  limit $4::integer`;

/** Returns the values that were changed since an instant as they were then, by table and column. */
async function valuesAt(
  db: Db,
  tables: string,
  id: number,
  before: string,
): Promise<Readonly<Record<string, string | null>>> {
  const rows = await db.query<{ tablename: string; name: string; value: string | null }>(
    `select distinct on (tablename, o.key) tablename, o.key as name, o.value #>> '{}' as value
     from history h
     cross join lateral jsonb_each(h.old) o
     where tablename = any($2::text[]) and recordid = $1::bigint and at >= $3::timestamptz
     order by tablename, o.key, h.at, historyid`,
    [id, tables, before],
  );
  return Object.fromEntries(
    rows.map(({ tablename, name, value }) => [name === CUSTOM_COLUMN ? name : `${tablename}.${name}`, value]),
  );
}
