import type { ImportPiece, RowResult } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';

/** Outcomes of the items of a run, in records. */
export interface RunCounts {
  /** Records saved, with or without a warning. */
  readonly success: number;
  /** Records saved with a warning. */
  readonly warnings: number;
  readonly errors: number;
}

/** How far a run is. */
export interface RunProgress extends RunCounts {
  /** Items of the source processed so far, from its beginning. */
  readonly done: number;
  /** Expected number of items, if known. */
  readonly total: number | null;
  /** What the engine needs to resume, as JSON. */
  readonly state: string | null;
  /** Whether a user has stopped the run. */
  readonly stopped: boolean;
}

/** Where the log and the progress of a run are stored. Its functions run in the transaction of a piece. */
export interface RunStore<P extends RunProgress> {
  /**
   * Keeps other deliveries of the run out until the transaction ends.
   * @throws RunEnded if another delivery has taken the run over
   */
  lock(own: Context): Promise<void>;
  /** Stores what a piece did, and returns the progress after its commit. The transaction may be run again. */
  record(own: Context, piece: ImportPiece, before: P): Promise<P>;
}

/** Counts results. Unchanged records are not counted, nor are warnings about them. */
export function countResults(results: readonly RowResult[]): RunCounts {
  const saved = results.filter(({ status, operation }) => status !== 'Error' && operation !== 'None');
  return {
    success: saved.length,
    warnings: saved.filter(({ status }) => status === 'Warning').length,
    errors: results.filter(({ status }) => status === 'Error').length,
  };
}
