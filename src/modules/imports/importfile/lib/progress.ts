import { isAllQueued } from '../../../../contracts/import-engine.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { f } from '../../../../kernel/declare/field.ts';
import { countLogRows } from '../../lib/run/import-log.ts';
import { readRun, type ShownRun } from '../../lib/run/stored-progress.ts';
import type { importFile } from '../importfile.record.ts';
import type { ValueOf } from '../../../../kernel/declare/field-types.ts';

export const progressFields = {
  ImportFileID: f.id({ doc: 'The import file.' }),
  Status: f.text({ doc: 'The status of the run.', max: 100 }),
  RowsDone: f.integer({ doc: 'Processed rows of the source.' }),
  RowsTotal: f.integer({ doc: 'Rows of the source, if known.' }),
  PercentDone: f.decimal({
    doc:
      'Share that is done: by rows if their number is known, otherwise, for documents of 4 MB or more, by ' +
      'bytes read.',
  }),
  RowsPerSecond: f.decimal({ doc: 'Rows per second since the run started or resumed.' }),
  RemainingSeconds: f.integer({ doc: 'Seconds that the rest takes at this rate.' }),
  SuccessCount: f.integer({ doc: 'Records saved.' }),
  Warnings: f.integer({ doc: 'Records saved with a warning.' }),
  ErrorCount: f.integer({ doc: 'Rows that failed.' }),
  ImportStart: f.timestamp({ doc: 'When the run started.' }),
  ActiveDate: f.timestamp({ doc: 'When it last saved something.' }),
  ImportComplete: f.timestamp({ doc: 'When it ended.' }),
};

/** The progress of an import, with the values of {@link progressFields}. */
type ImportProgress = { readonly [K in keyof typeof progressFields]: ValueOf<(typeof progressFields)[K]> | null };

/** Returns the progress of an import. */
export async function importProgress(ctx: Context, file: Row<typeof importFile>): Promise<ImportProgress> {
  const importFileId = file.ImportFileID;
  const run = await runSoFar(ctx, file);
  const hasEnded = file.ImportComplete !== null;
  const size = await sourceSize(ctx, file.PreTransformID);
  return {
    ImportFileID: importFileId,
    Status: file.Status,
    ...rowProgress(run, hasEnded),
    ...rateProgress(run, { status: file.Status, hasEnded, size }),
    ...(hasEnded ? storedCounts(file) : runCounts(run)),
    ImportStart: file.ImportStart,
    ActiveDate: run?.activedate ?? null,
    ImportComplete: file.ImportComplete,
  };
}

async function sourceSize(ctx: Context, documentId: number | null): Promise<number | undefined> {
  if (documentId === null) return undefined;
  const [document] = await ctx.db.query<{ filesize: number | null }>(
    'select filesize from attachment where attachmentid = $1::bigint',
    [documentId],
  );
  return document?.filesize ?? undefined;
}

function rowProgress(run: RunProgress | undefined, hasEnded: boolean): Pick<ImportProgress, 'RowsDone' | 'RowsTotal'> {
  const done = run?.done ?? 0;
  return { RowsDone: done, RowsTotal: run?.total ?? (hasEnded && run ? done : null) };
}

interface ImportState {
  readonly status: string | null;
  readonly hasEnded: boolean;
  /** Bytes of the source document, if known. */
  readonly size: number | undefined;
}

function rateProgress(
  run: RunProgress | undefined,
  { status, hasEnded, size }: ImportState,
): Pick<ImportProgress, 'PercentDone' | 'RowsPerSecond' | 'RemainingSeconds'> {
  // A failed run keeps the progress it had.
  const share = hasEnded && status !== 'Error' ? 1 : doneShare(run, size);
  const rate = run && rowsPerSecond(run);
  return {
    PercentDone: share === undefined ? null : (share * 100).toFixed(1),
    RowsPerSecond: rate === undefined ? null : rate.toFixed(1),
    RemainingSeconds: status === 'Importing' ? remainingSeconds(run, share, rate) : null,
  };
}

function remainingSeconds(
  run: RunProgress | undefined,
  share: number | undefined,
  rate: number | undefined,
): number | null {
  if (!run || rate === undefined || rate <= 0 || share === undefined || share <= 0) return null;
  return Math.ceil((run.done / share - run.done) / rate);
}

type RowCounts = Pick<ImportProgress, 'SuccessCount' | 'Warnings' | 'ErrorCount'>;

/** Returns the counts of a run that has not ended. */
export async function countsSoFar(ctx: Context, file: Row<typeof importFile>): Promise<RowCounts> {
  return runCounts(await runSoFar(ctx, file));
}

/** Returns the progress of a run; undefined if it has not begun. */
async function runSoFar(ctx: Context, file: Row<typeof importFile>): Promise<RunProgress | undefined> {
  const importFileId = file.ImportFileID;
  const run = await readRun(ctx, importFileId);
  if (run) return batchProgress(ctx, importFileId, run);
  // A referral that is imported while its sender waits has no stored run: its log says what is saved.
  return file.Status === 'Importing' ? loggedProgress(ctx, file) : undefined;
}

async function loggedProgress(ctx: Context, file: Row<typeof importFile>): Promise<RunProgress> {
  const { success, warnings, errors, done, active } = await countLogRows(ctx.db, file.ImportFileID);
  const started = file.ImportStart ?? file.CreatedDate;
  return {
    deliveryid: '',
    attempts: 1,
    ...{ success, warnings, errors, done },
    total: null,
    state: null,
    stopped: false,
    bytesread: 0,
    startdone: 0,
    starteddate: started,
    activedate: active ?? started,
  };
}

/** Returns the final counts, which are stored in the import file. */
export function storedCounts({ SuccessCount, Warnings, ErrorCount }: Row<typeof importFile>): RowCounts {
  return { SuccessCount, Warnings, ErrorCount };
}

/** Returns the counts of a run that has not ended. */
function runCounts(run: RunProgress | undefined): RowCounts {
  return { SuccessCount: run?.success ?? 0, Warnings: run?.warnings ?? 0, ErrorCount: run?.errors ?? 0 };
}

type RunProgress = ShownRun;

/** Counts the finished rows of a batch whose rows are queued. */
async function batchProgress(ctx: Context, importFileId: number, run: RunProgress): Promise<RunProgress> {
  if (!isAllQueued(run.state)) return run;
  const [counts] = await ctx.configuration.db.query<{ success: number; warnings: number; errors: number }>(
    `select count(successdate) as success, count(message) filter (where successdate is not null) as warnings,
       count(failuredate) as errors
     from importfilequeue where importfileid = $1::bigint`,
    [importFileId],
  );
  const { success = 0, warnings = 0, errors = 0 } = counts ?? {};
  return {
    ...run,
    done: success + errors,
    success,
    warnings,
    errors,
    total: Math.max(run.total ?? 0, run.done),
    startdone: 0,
    activedate: ctx.clock.now(),
  };
}

/**
 * Readers are some hundred kilobytes ahead of the saved rows, so for smaller documents the bytes read are no useful
 * measure.
 */
const BYTE_PROGRESS_MIN = 4 * 1024 * 1024;

function doneShare(run: RunProgress | undefined, size: number | undefined): number | undefined {
  if (!run) return 0;
  if (run.total !== null) return run.total === 0 ? 1 : Math.min(1, run.done / run.total);
  return size === undefined || size < BYTE_PROGRESS_MIN ? undefined : Math.min(1, run.bytesread / size);
}

/** Returns the rows per second of this delivery. */
function rowsPerSecond(run: RunProgress): number | undefined {
  const seconds = (Date.parse(run.activedate) - Date.parse(run.starteddate)) / 1_000;
  return seconds > 0 ? (run.done - run.startdone) / seconds : undefined;
}
