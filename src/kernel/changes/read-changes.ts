import { deleteBefore, hoursAgo } from '../database/delete-by-age.ts';
import type { Db } from '../database/store.ts';
import type { Platform } from '../ports/platform.ts';

/** One changed row of a record's table. */
export interface ChangedRow {
  readonly table: string;
  readonly id: number;
  readonly change: 'insert' | 'update' | 'delete' | 'undelete';
  /** The whole row before a delete; before an update that changed references, their old values; else null. */
  readonly old: Readonly<Record<string, unknown>> | null;
}

/** What has become visible since a position, in no particular order, and the position after it. */
export interface ChangeBatch {
  readonly position: string;
  readonly changes: readonly ChangedRow[];
  /** Whether there were more changes than could be read; then `changes` has only some. */
  readonly isOverflow: boolean;
}

/** Most changed rows of a batch. Where more change at once, readers treat everything as changed. */
export const CHANGES_MAX = 5_000;
/** How long a change can be read, as an interval; rows of inserts are deleted after this time. */
const CHANGE_HOURS = 24;
/** The same as SQL. */
export const CHANGE_INTERVAL = `interval '${CHANGE_HOURS} hours'`;

const POSITION = /^\d{1,20}:\d{1,20}:(?:\d{1,20}(?:,\d{1,20}){0,2000})?$/;

/** Whether a text is a position: a database snapshot, `xmin:xmax:running`. Tells nothing about its age. */
export function isPosition(text: string): boolean {
  return POSITION.test(text);
}

/** Returns the present position: everything that is committed by now is before it. */
export async function presentPosition(db: Db): Promise<string> {
  const [row] = await db.query<{ position: string }>('select pg_current_snapshot()::text as position');
  return row?.position ?? '';
}

/**
 * Conditions of rows that this snapshot sees and an earlier one, `$1`, did not: their transactions began after it, or
 * were running in it. Ids would not do: they are assigned before the commit, so a transaction that takes long commits
 * lower ids after higher ones. Two index ranges, whose cost does not depend on how long a transaction runs.
 */
export const NEW_SINCE = [
  'xid >= pg_snapshot_xmax($1::pg_snapshot)',
  'xid = any(array(select pg_snapshot_xip($1::pg_snapshot)))',
] as const;

const historyPart = (condition: string): string => `select tablename, recordid as id, change,
       case when change = 'delete' or links is not null then old end as old
     from history
     where ${condition} and at > now() - ${CHANGE_INTERVAL}`;
const addedPart = (condition: string): string => `select tablename, unnest(ids) as id, 'insert' as change, null as old
     from recordadded
     where ${condition}`;

const changesText = `select pg_current_snapshot()::text as position, noted.tablename as "table", noted.id, noted.change,
     noted.old
   from (select) as always
   left join (
     select * from (${[...NEW_SINCE.map(historyPart), ...NEW_SINCE.map(addedPart)].join(' union all ')}) as new
     limit ${CHANGES_MAX + 1}
   ) as noted on true`;

/**
 * Returns the changes that were committed after a position: each once, whichever transaction wrote it, and none of
 * those rolled back. Changes older than {@link CHANGE_HOURS} are not returned.
 */
export async function readChanges(db: Db, since: string): Promise<ChangeBatch> {
  const rows = await db.query<{ readonly position: string } & { [N in keyof ChangedRow]: ChangedRow[N] | null }>(
    changesText,
    [since],
  );
  const changes = rows.filter((row): row is ChangedRow & { position: string } => row.table !== null);
  return {
    position: rows[0]?.position ?? since,
    changes: changes.slice(0, CHANGES_MAX),
    isOverflow: changes.length > CHANGES_MAX,
  };
}

/** Deletes the notes of inserts that can no longer be read. Returns how many. */
export function deleteOldChanges(platform: Platform): Promise<number> {
  return deleteBefore(platform, 'recordadded', 'at', hoursAgo(platform, CHANGE_HOURS));
}
