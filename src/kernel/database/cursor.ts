import type { Db } from './store.ts';

/** One cursor at a time in a transaction: each name of its own would be one more text for a connection to plan and keep. */
const CURSOR = 'casewright_whole';

/**
 * Runs a query once and hands its rows over in pieces of `size`, all as they stood when it began, whatever is written meanwhile.
 * Only in a transaction. At least one piece is handed over, empty where there are no rows.
 */
export async function forEachBatch<R extends object>(
  db: Db,
  text: string,
  values: readonly unknown[],
  size: number,
  take: (rows: R[]) => Promise<void>,
): Promise<void> {
  await db.query(`declare ${CURSOR} no scroll cursor for ${text}`, values);
  for (let first = true; ; first = false) {
    const rows = await db.query<R>(`fetch forward ${size} from ${CURSOR}`);
    if (rows.length > 0 || first) await take(rows);
    if (rows.length < size) break;
  }
  // Where it failed the savepoint or transaction that is undone closes it.
  await db.query(`close ${CURSOR}`);
}
