import type { Db } from './store.ts';

/**
 * The name of the one cursor per transaction. More names would be more texts for each connection to prepare and keep.
 */
const CURSOR = 'casewright_whole';

/** A query to read in batches. */
export interface BatchQuery {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Rows per batch. */
  readonly size: number;
}

/**
 * Runs a query once and passes its rows to `take` in batches, all as they were when it began, whatever is written in
 * the meantime. Only inside a transaction. Without rows, `take` gets one empty batch.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller states the row type
export async function forEachBatch<R extends object = Record<string, unknown>>(
  db: Db,
  { text, values, size }: BatchQuery,
  take: (rows: R[]) => Promise<void>,
): Promise<void> {
  await db.query(`declare ${CURSOR} no scroll cursor for ${text}`, values);
  for (let first = true; ; first = false) {
    const rows = await db.query<R>(`fetch forward ${size} from ${CURSOR}`);
    if (rows.length > 0 || first) await take(rows);
    if (rows.length < size) break;
  }
  // After a failure, the rollback of the savepoint or transaction closes the cursor.
  await db.query(`close ${CURSOR}`);
}
