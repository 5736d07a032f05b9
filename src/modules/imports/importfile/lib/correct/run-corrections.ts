import type { SourceRow } from '../../../../../contracts/import-engine.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { isRetryable } from '../../../../../kernel/database/database-error.ts';
import { reportableError } from '../../../lib/reportable-error.ts';
import { ROW_WARNINGS } from '../../../lib/row-warnings.ts';
import { failedRow, rowOperation, saveRow, type RowOperation } from '../save-rows.ts';
import { changedRow } from './changed-cells.ts';
import { sourceLines, type RowImportFile } from './source-lines.ts';
import {
  claimCorrections,
  recordOutcomes,
  selectWaitingLines,
  type CorrectionOutcome,
  type WaitingCorrection,
} from './stored-corrections.ts';

/** Rows that commit together. */
const PIECE_ROWS_MAX = 60;

/** How many corrected rows were saved, and how many failed again. */
export interface CorrectionCounts {
  readonly Corrected: number;
  readonly Failed: number;
}

/**
 * Saves the corrected rows of an import that wait for the calling user, as the import does: each row can fail alone. A
 * row commits together with its result; after an interruption the rest is run by the next delivery.
 */
export async function runCorrections(ctx: Context, file: RowImportFile): Promise<CorrectionCounts> {
  const lines = await selectWaitingLines(ctx, file.importFileId);
  let counts: CorrectionCounts = { Corrected: 0, Failed: 0 };
  if (lines.length === 0) return counts;
  const target = await rowOperation({ ctx, template: file.template, warn: () => Promise.resolve() });
  let piece: SourceRow[] = [];
  const commit = async (): Promise<void> => {
    const outcomes = await ctx.inTransaction((own) => runPiece(own, file, target, piece));
    const failed = outcomes.filter(({ result }) => result.status === 'Error').length;
    counts = { Corrected: counts.Corrected + outcomes.length - failed, Failed: counts.Failed + failed };
    piece = [];
  };
  for await (const row of sourceLines(file, new Set(lines))) {
    piece.push(row);
    if (piece.length >= PIECE_ROWS_MAX) await commit();
  }
  if (piece.length > 0) await commit();
  return counts;
}

async function runPiece(
  own: Context,
  file: RowImportFile,
  target: RowOperation,
  rows: readonly SourceRow[],
): Promise<readonly CorrectionOutcome[]> {
  const sources = new Map(rows.map((row) => [row.line, row]));
  const outcomes: CorrectionOutcome[] = [];
  for (const correction of await claimCorrections(own, file.importFileId, [...sources.keys()])) {
    const row = sources.get(correction.line);
    if (row) outcomes.push(await runCorrection(own, file, target, { correction, row }));
  }
  if (outcomes.length > 0) await recordOutcomes(own, file.importFileId, outcomes);
  return outcomes;
}

/** Saves one corrected row in a savepoint, so that it can fail alone. */
async function runCorrection(
  own: Context,
  file: RowImportFile,
  target: RowOperation,
  { correction, row }: { readonly correction: WaitingCorrection; readonly row: SourceRow },
): Promise<CorrectionOutcome> {
  const changed = changedRow(row, correction.changes);
  // Warnings left by an earlier row are not about this one.
  own.takeAlerts(...ROW_WARNINGS);
  try {
    return { correction, result: await own.savepoint(() => saveRow(own, file, target, changed)) };
  } catch (error) {
    if (isRetryable(error)) throw error;
    const known = reportableError(own, error);
    if (!known || known.code === 'INTERNAL') throw error;
    return { correction, result: failedRow(file, target, changed, known) };
  }
}
