import type { Platform } from '../../kernel/ports/platform.ts';

/** Rows that one statement deletes, so that none holds its locks for long. */
const BATCH_ROWS = 5_000;
/** Statements that one run makes; what is left waits for the next. */
const BATCHES_MAX = 200;

/** The first instant of the month that lies so many whole months back. */
export function monthsAgo(platform: Platform, months: number): string {
  const now = new Date(platform.clock.milliseconds());
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)).toISOString();
}

/** Deletes in batches what a condition on the table's rows finds. Answers how many rows went. */
export async function deleteWhere(
  platform: Platform,
  table: string,
  condition: string,
  values: readonly unknown[],
): Promise<number> {
  let deleted = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    const rows = await platform.store.query(
      `delete from ${table} where ctid = any(array(select ctid from ${table} where ${condition} limit ${BATCH_ROWS})) returning 1`,
      values,
    );
    deleted += rows.length;
    if (rows.length < BATCH_ROWS) break;
  }
  return deleted;
}

/** Deletes in batches what is older than an instant. */
export function deleteBefore(platform: Platform, table: string, column: string, before: string): Promise<number> {
  return deleteWhere(platform, table, `${column} < $1::timestamptz`, [before]);
}
