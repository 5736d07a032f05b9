import type { RowResult } from '../../../../contracts/import-engine.ts';
import { piecesOf, type ItemPiece, type PieceLimits } from '../../../../contracts/import-pieces.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { isRetryable } from '../../../../kernel/database/database-error.ts';
import { ROW_WARNINGS } from '../row-warnings.ts';
import { RunEnded, type ItemRun } from './run-delivery.ts';

/** How the items of a run are imported. */
export interface ItemLoop<T> {
  readonly limits: PieceLimits<T>;
  /**
   * Saves one item and returns its log rows. If it throws, the item is rolled back and the next one continues.
   * Warnings of business rules that it does not take are dropped with the next item.
   */
  importItem(own: Context, item: T): Promise<readonly RowResult[]>;
  /**
   * Returns the log rows of an item that failed as a whole; undefined if the error is not the item's, and the next
   * delivery must repeat the piece.
   */
  failedItem(ctx: Context, item: T, error: unknown): readonly RowResult[] | undefined;
  /**
   * Whether an interrupted run is delivered again. If not, a piece that cannot be committed is a failure of its items;
   * pieces then have one item each.
   */
  readonly isRedelivered: boolean;
  /** Whether the number of failed items is stored as the run's state, so that it includes earlier deliveries. */
  readonly storesFailures: boolean;
  /**
   * Of items that are all or nothing: the log rows of one that was not saved because others failed. All of them are one
   * piece.
   */
  notSaved?(item: T): readonly RowResult[];
}

/** Ends the transaction of a piece that is all or nothing. */
class PieceRefused extends Error {
  readonly results: readonly RowResult[];

  constructor(results: readonly RowResult[]) {
    super('items of the piece failed');
    this.name = 'PieceRefused';
    this.results = results;
  }
}

/**
 * Imports the items of a source in order, from the first one that no earlier delivery has processed. Returns how many
 * have failed completely or partly.
 * @throws RunEnded, and errors that no item is to blame for
 */
export async function runItems<T>(
  run: ItemRun,
  batches: AsyncIterable<readonly T[]>,
  loop: ItemLoop<T>,
): Promise<number> {
  let failures = loop.storesFailures ? storedFailures(run.state) : 0;
  for await (const piece of piecesOf(batches, loop.limits, run.done))
    if (piece.items.length > 0) failures = await importPiece(run, loop, piece, failures);
  return failures;
}

function storedFailures(state: unknown): number {
  return typeof state === 'object' && state !== null && 'failed' in state ? Number(state.failed) : 0;
}

/** Imports the items of a piece. Returns the number of failed items so far. */
async function importPiece<T>(
  run: ItemRun,
  loop: ItemLoop<T>,
  { items, done }: ItemPiece<T>,
  failuresBefore: number,
): Promise<number> {
  let failures = failuresBefore;
  const commit = (resultsOf: (own: Context, item: T) => Promise<readonly RowResult[]>): Promise<void> =>
    run.piece(async (own) => {
      const results: RowResult[] = [];
      // The transaction may be run again.
      failures = failuresBefore;
      const refused: RowResult[] = [];
      for (const item of items) {
        const ofItem = await resultsOf(own, item);
        const isFailed = ofItem.some(({ status }) => status === 'Error');
        if (isFailed) failures++;
        results.push(...ofItem);
        if (loop.notSaved) refused.push(...(isFailed ? ofItem : loop.notSaved(item)));
      }
      if (loop.notSaved && failures > failuresBefore) throw new PieceRefused(refused);
      return { done, results, ...(loop.storesFailures ? { state: { failed: failures } } : {}) };
    });
  try {
    await commit((own, item) => importOrFail(own, loop, item));
  } catch (error) {
    if (error instanceof PieceRefused) {
      const failed = failures;
      await run.piece(() => Promise.resolve({ done, results: error.results, state: { failed } }));
      return failures;
    }
    if (loop.isRedelivered || error instanceof RunEnded) throw error;
    await commit(async (own, item) => failedResults(own, loop, item, error));
  }
  return failures;
}

/** Imports an item in a savepoint, so that it can fail alone. */
async function importOrFail<T>(own: Context, loop: ItemLoop<T>, item: T): Promise<readonly RowResult[]> {
  // Warnings left by an earlier item, or raised before the run, are not about this item.
  own.takeAlerts(...ROW_WARNINGS);
  try {
    return await own.savepoint(() => loop.importItem(own, item));
  } catch (error) {
    // The whole transaction was rolled back, and is run again.
    if (isRetryable(error)) throw error;
    return failedResults(own, loop, item, error);
  }
}

function failedResults<T>(ctx: Context, loop: ItemLoop<T>, item: T, error: unknown): readonly RowResult[] {
  const results = loop.failedItem(ctx, item, error);
  if (!results) throw error;
  return results;
}
