import type { SettingDefinition } from '../declare/setting.ts';
import type { Platform } from '../ports/platform.ts';

/** Rows per delete statement, so that none holds its locks for long. */
const BATCH_ROWS = 5_000;
/** Most statements of one run; the rest waits for the next run. */
const BATCHES_MAX = 200;

/** Returns the start of the month that is this many months back. */
export function monthsAgo(platform: Platform, months: number): string {
  const now = new Date(platform.clock.milliseconds());
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)).toISOString();
}

/** Returns the instant that is this many hours back. */
export function hoursAgo(platform: Platform, hours: number): string {
  return new Date(platform.clock.milliseconds() - hours * 3_600_000).toISOString();
}

/** Deletes the rows that match a condition, in batches, and returns how many. */
export async function deleteWhere(
  platform: Platform,
  table: string,
  condition: string,
  values: readonly unknown[],
): Promise<number> {
  let deleted = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    const rows = await platform.store.query(
      `delete from ${table}
       where ctid = any(array(select ctid from ${table} where ${condition} limit ${BATCH_ROWS}))
       returning 1`,
      values,
    );
    deleted += rows.length;
    if (rows.length < BATCH_ROWS) break;
  }
  return deleted;
}

/** Deletes rows older than an instant, in batches, and returns how many. */
export function deleteBefore(platform: Platform, table: string, column: string, before: string): Promise<number> {
  return deleteWhere(platform, table, `${column} < $1::timestamptz`, [before]);
}

/**
 * Deletes the rows of a log that were created before the months of a setting, in batches, and returns how many; none if
 * the setting is 0. Rows that do not match `ended` stay.
 */
export function deleteAfterMonths(
  platform: Platform,
  table: string,
  setting: SettingDefinition<number>,
  ended = 'true',
): Promise<number> {
  const months = platform.settings.get(setting);
  return months > 0
    ? deleteWhere(platform, table, `createddate < $1::timestamptz and ${ended}`, [monthsAgo(platform, months)])
    : Promise.resolve(0);
}
