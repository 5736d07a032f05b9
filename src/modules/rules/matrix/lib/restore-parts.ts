import type { Context } from '../../../../kernel/door/context.ts';
import { lastDeletion, undeleteParts, type Deletion } from '../../../../kernel/records/history/undelete-parts.ts';

/** Restores the parts of each kind of record that are deleted together with it. */
const restorers = {
  matrix: async (ctx: Context, deletion: Deletion): Promise<void> => {
    await undeleteParts(ctx, 'matrixdimension', 'matrixid', deletion);
    await undeleteParts(ctx, 'matrixmeasure', 'matrixid', deletion);
    await undeleteParts(ctx, 'matrixfact', 'matrixid', deletion);
  },
  matrixdimension: (ctx: Context, deletion: Deletion): Promise<void> =>
    undeleteParts(ctx, 'matrixfact', 'matrixdimensionid', deletion),
  matrixmeasure: (ctx: Context, deletion: Deletion): Promise<void> =>
    undeleteParts(ctx, 'matrixfact', 'matrixmeasureid', deletion),
};

/**
 * Restores the rows that were deleted in the same call as a matrix or column that has just been undeleted. Reads them
 * from history, with one statement per table however many rows there are. Does nothing for a new record.
 */
export async function restoreParts(ctx: Context, table: keyof typeof restorers, id: unknown): Promise<void> {
  const deletion = await lastDeletion(ctx, table, id);
  if (deletion !== undefined) await restorers[table](ctx, deletion);
}
