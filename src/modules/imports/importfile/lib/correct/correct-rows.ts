import type { SourceRow } from '../../../../../contracts/import-engine.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { rowOperation } from '../save-rows.ts';
import { wrongStatus } from '../wrong-status.ts';
import { hasCell, type ChangedCells } from './changed-cells.ts';
import { selectFailedLines, type FailedLine } from './failed-lines.ts';
import { rememberTranslation } from './remember-translation.ts';
import { runCorrections, type CorrectionCounts } from './run-corrections.ts';
import { sourceLines, type RowImportFile } from './source-lines.ts';
import { insertCorrections } from './stored-corrections.ts';

/** Most rows corrected by one call. */
const ROWS_MAX = 10_000;
/** Most rows that the caller waits for; a worker runs more. */
const AWAITED_ROWS_MAX = 200;
/** Seconds after which a worker runs what an interrupted call has left. */
const LEFT_OVER_SECONDS = 60;

/** A requested correction. */
export interface Correction {
  readonly lines: readonly number[] | undefined;
  readonly message: string | undefined;
  readonly changes: ChangedCells;
  /** Only rows with this value in the one changed column. */
  readonly from: string | undefined;
  readonly remember: boolean;
  /** Who sent the file. */
  readonly senderId: number | null;
  readonly hasEnded: boolean;
}

/**
 * Stores corrections of failed rows and runs them. Rows of a firm's file are saved as the user who sent it, by a
 * worker: the records are the firm's, and correcting them gives the firm no more authority than it has.
 * @throws STATE_REFUSES, BAD_PARAMETER, MISSING_PARAMETER
 */
export async function correctRows(
  ctx: Context,
  file: RowImportFile,
  correction: Correction,
): Promise<CorrectionCounts & { readonly Queued: number }> {
  assertCorrectable(file, correction);
  // Nobody corrects rows whose operation they may not call, whoever saves them.
  await rowOperation({ ctx, template: file.template, warn: () => Promise.resolve() });
  const rows = await rowsToCorrect(ctx, file, correction);
  const senderId = ctx.user.universal && file.organizationId !== null ? correction.senderId : null;
  const actorPersonId = senderId ?? ctx.user.personId;
  const isAwaited = actorPersonId === ctx.user.personId && rows.length <= AWAITED_ROWS_MAX;
  const lines = await ctx.inTransaction(async (own) => {
    if (correction.remember) await rememberTranslation(own, file.template, correction);
    const inserted = await insertCorrections(own, { ...file, actorPersonId, rows, changes: correction.changes });
    if (inserted.length > 0) await queueRun(own, file.importFileId, actorPersonId, isAwaited);
    return inserted;
  });
  if (lines.length < rows.length)
    ctx.alert({
      code: 'STATE_REFUSES',
      id: file.importFileId,
      text: `${rows.length - lines.length} of the rows are already being corrected and were skipped.`,
    });
  return isAwaited
    ? { ...(await runCorrections(ctx, file)), Queued: 0 }
    : { Corrected: 0, Failed: 0, Queued: lines.length };
}

function assertCorrectable(
  file: RowImportFile,
  { lines, message, changes, from, remember, hasEnded }: Correction,
): void {
  if (!hasEnded) throw wrongStatus('wait until the import has ended.', file.status);
  if (file.status === 'Validation Error')
    throw wrongStatus('nothing was imported; correct the whole file and send it again.', file.status);
  if (lines === undefined && message === undefined)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Line',
      message: 'Line is required: the lines to correct. Or send Message for all rows that failed for one reason.',
    });
  if (from !== undefined && Object.keys(changes).length !== 1)
    throw new PlatformError('BAD_PARAMETER', { field: 'Changes', message: 'Changes: with From, expected one column.' });
  if (remember && from === undefined)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'From',
      message: 'From is required with Remember: the value that later files may have.',
    });
}

/** Returns the failed rows that a correction is about, after checking that the source has them and its columns. */
async function rowsToCorrect(
  ctx: Context,
  file: RowImportFile,
  { lines, message, changes, from }: Correction,
): Promise<readonly FailedLine[]> {
  const failed = await selectFailedLines(ctx, file.importFileId, { lines, message, most: ROWS_MAX });
  const [column = ''] = Object.keys(changes);
  const byLine = new Map(failed.map((row) => [row.line, row]));
  const missing = (lines ?? []).find((line) => !byLine.has(line));
  if (missing !== undefined)
    throw new PlatformError('STATE_REFUSES', {
      field: 'Line',
      message: `Line: line ${missing} did not fail, or has been corrected. Only failed rows can be corrected.`,
    });
  const found: FailedLine[] = [];
  let known: SourceRow | undefined;
  for await (const row of sourceLines(file, new Set(byLine.keys()))) {
    const line = byLine.get(row.line);
    if (!line || (from !== undefined && !hasCell(row, column, from))) continue;
    known ??= row;
    found.push(line);
  }
  if (!known)
    throw new PlatformError('STATE_REFUSES', {
      field: from === undefined ? 'Message' : 'From',
      message:
        from === undefined
          ? 'Message: no row of this import failed for this reason; it may have been corrected.'
          : `From: none of these rows has "${from.slice(0, 100)}" in ${column.slice(0, 100)}.`,
    });
  assertColumns(file, known, changes);
  return found;
}

/** Refuses a column that neither the file nor the import type has: its value would be ignored, or another parameter. */
function assertColumns({ template }: RowImportFile, row: SourceRow, changes: ChangedCells): void {
  const known = [...Object.keys(row.values), ...template.maps.map(({ source }) => source)].filter(
    (name) => name !== '',
  );
  const names = new Set(known.map((name) => name.trim().toLowerCase()));
  const unknown = Object.keys(changes).find((name) => !names.has(name.toLowerCase()));
  if (unknown === undefined) return;
  throw new PlatformError('BAD_PARAMETER', {
    field: 'Changes',
    message: `Changes: the file has no column "${unknown.slice(0, 100)}". Columns: ${known.slice(0, 30).join(', ')}.`,
  });
}

/** Queues the run with the commit. Where the caller runs the rows, it only runs what an interruption has left. */
async function queueRun(own: Context, importFileId: number, personId: number, isAwaited: boolean): Promise<void> {
  await own.enqueue({
    route: 'importfile/runcorrections',
    parameters: { ID: importFileId },
    label: `Import file ${importFileId}`,
    ...(personId === own.user.personId ? {} : { personId }),
    ...(isAwaited ? { queuedDate: new Date(own.clock.milliseconds() + LEFT_OVER_SECONDS * 1_000).toISOString() } : {}),
  });
}
