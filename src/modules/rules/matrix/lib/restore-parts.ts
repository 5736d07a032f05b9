import type { Context } from '../../../../kernel/door/context.ts';
import { lastDeletion, undeleteParts, type Deletion } from '../../../../kernel/records/history/undelete-parts.ts';
import type { matrix } from '../matrix.record.ts';
import { matrixDimension } from '../../records/matrixdimension.record.ts';
import { matrixFact } from '../../records/matrixfact.record.ts';
import { matrixMeasure } from '../../records/matrixmeasure.record.ts';

type Whole = typeof matrix | typeof matrixDimension | typeof matrixMeasure;

/** Restores the parts of each kind of record that are deleted together with it. */
const restorers: Readonly<Record<Whole['name'], (ctx: Context, deletion: Deletion) => Promise<void>>> = {
  Matrix: async (ctx, deletion) => {
    await undeleteParts(ctx, matrixDimension, 'MatrixID', deletion);
    await undeleteParts(ctx, matrixMeasure, 'MatrixID', deletion);
    await undeleteParts(ctx, matrixFact, 'MatrixID', deletion);
  },
  MatrixDimension: (ctx, deletion) => undeleteParts(ctx, matrixFact, 'MatrixDimensionID', deletion),
  MatrixMeasure: (ctx, deletion) => undeleteParts(ctx, matrixFact, 'MatrixMeasureID', deletion),
};

/**
 * Restores the rows that were deleted in the same call as a matrix or column that has just been undeleted. Reads them
 * from history, with one statement per table however many rows there are. Does nothing for a new record.
 */
export async function restoreParts(ctx: Context, whole: Whole, id: number): Promise<void> {
  const deletion = await lastDeletion(ctx, whole, id);
  if (deletion !== undefined) await restorers[whole.name](ctx, deletion);
}
