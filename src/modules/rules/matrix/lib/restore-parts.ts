import type { Context } from '../../../../kernel/door/context.ts';
import { lastDeletion, undeleteParts } from '../../../../kernel/records/history/undelete-parts.ts';

/** The tables deleted together with a matrix or column, each with its foreign key. */
const partTables = {
  matrix: [
    ['matrixdimension', 'matrixid'],
    ['matrixmeasure', 'matrixid'],
    ['matrixfact', 'matrixid'],
  ],
  matrixdimension: [['matrixfact', 'matrixdimensionid']],
  matrixmeasure: [['matrixfact', 'matrixmeasureid']],
} as const;

/**
 * Restores the rows that were deleted in the same call as a matrix or column that has just been undeleted. Reads them
 * from history, with one statement per table however many rows there are. Does nothing for a new record.
 */
export async function restoreParts(ctx: Context, table: keyof typeof partTables, id: unknown): Promise<void> {
  const deletion = await lastDeletion(ctx, table, id);
  if (deletion === undefined) return;
  for (const [part, key] of partTables[table]) await undeleteParts(ctx, part, key, deletion);
}
