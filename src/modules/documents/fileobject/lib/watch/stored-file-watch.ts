import { FILE_OBJECT } from '../../../../../contracts/file-object.ts';
import { LeaseLost } from '../../../../../kernel/database/lease.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type {
  FileWatch,
  FileWatchOutcome,
  FileWatchRequest,
  FileRecords,
  FileHandler,
} from '../../../../../kernel/ports/file-watch.ts';
import { bad } from '../../../../../kernel/parameters/parse-value.ts';
import { callSignature, checkSignature } from '../../../../../kernel/door/signature.ts';
import { watchFilesMax, watchLeaseSeconds, watchSettleSeconds, watchUnsettledMinutes } from '../../settings.ts';
import { parseSchedule } from '../../../../../kernel/time/schedule.ts';
import { checkExpectedFile } from './expected-file.ts';
import { scanFolder } from './scan-folder.ts';
import { processFile, type WatchRun } from './process-file.ts';
import {
  completeFile,
  forgetFile,
  claimFile,
  releaseFile,
  findUnfinished,
  type FileClaim,
} from './watched-file-rows.ts';

/** Greatest folder depth below a watched folder. */
const DEPTH_MAX = 64;
/** Most failures reported individually. */
const ALERTS_MAX = 100;

/** Counts of one scan. */
interface WatchCounts {
  found: number;
  waiting: number;
  failed: number;
  left: number;
}

/**
 * Watches storage locations. The files seen so far are stored in a table, which decides between concurrent watches and
 * outlives them.
 */
export class StoredFileWatch implements FileWatch {
  async run(ctx: Context, request: FileWatchRequest, taking: FileHandler): Promise<FileWatchOutcome> {
    const watching = await beginWatch(ctx, request, taking);
    const counts: WatchCounts = { found: 0, waiting: 0, failed: 0, left: 0 };
    const done: FileClaim[] = [];
    const { location, leaseSeconds: seconds } = watching;
    const most = ctx.settings.get(watchFilesMax);
    const processClaim = async (claim: FileClaim | undefined): Promise<void> => {
      if (!claim) {
        counts.waiting++;
        return;
      }
      const finished = await tryProcess(watching, claim, counts);
      if (finished) done.push(finished);
    };
    const prefix = request.path === '/' ? '/' : `${request.path.replace(/\/+$/, '')}/`;
    for (const file of await findUnfinished(ctx, { location, kind: request.kind, prefix }, most)) {
      counts.found++;
      await processClaim(await claimFile(ctx, { location, seconds }, file, [file.state]));
    }
    for await (const { entry, state } of scanFolder(ctx, {
      ...request,
      location,
      files: watching.files,
      settleSeconds: ctx.settings.get(watchSettleSeconds),
      unsettledMinutes: ctx.settings.get(watchUnsettledMinutes),
    })) {
      counts.found++;
      if (state === 'waiting') counts.waiting++;
      else if (state === 'ready' && done.length + counts.failed >= most) counts.left++;
      else if (state === 'ready') await processClaim(await claimFile(ctx, { location, seconds }, entry, ['Waiting']));
    }
    await finishWatch(ctx, watching, done);
    await checkExpectedFile(ctx, watching, done.length);
    return { ...counts, taken: done.map(({ file }) => toFileRecords(file)) };
  }
}

/** Checks the request before anything is done. */
async function beginWatch(ctx: Context, request: FileWatchRequest, taking: FileHandler): Promise<WatchRun> {
  if (request.depth < 0 || request.depth > DEPTH_MAX)
    throw bad('Depth', `a number of levels between 0 and ${DEPTH_MAX}`);
  const spelled = (name: string): string =>
    ctx.providers.names(FILE_OBJECT).find((known) => known.toLowerCase() === name.toLowerCase()) ?? name;
  const files = ctx.providers.get(FILE_OBJECT, request.location);
  if (request.target) ctx.providers.get(FILE_OBJECT, request.target.location);
  if (request.expectedBy !== undefined) parseSchedule(request.expectedBy, 'ExpectedBy');
  if (request.statement !== undefined)
    await checkSignature(ctx, request.statement, { field: 'Statement', module: 'attachment' });
  return {
    ctx,
    taking,
    files,
    location: spelled(request.location),
    request: request.target
      ? { ...request, target: { ...request.target, location: spelled(request.target.location) } }
      : request,
    leaseSeconds: ctx.settings.get(watchLeaseSeconds),
  };
}

/** Processes a file; undefined if nothing is left to do or it failed. A failure stops no other file. */
async function tryProcess(watching: WatchRun, claim: FileClaim, counts: WatchCounts): Promise<FileClaim | undefined> {
  const { ctx } = watching;
  try {
    return await processFile(watching, claim);
  } catch (error) {
    if (error instanceof LeaseLost) {
      counts.waiting++;
      return undefined;
    }
    // It changed while being read: its sender is not done.
    if (error instanceof PlatformError && error.code === 'CONCURRENT_CHANGE' && claim.file.state === 'Waiting') {
      counts.waiting++;
      await releaseFile(ctx, claim, null);
      return undefined;
    }
    counts.failed++;
    const problem =
      error instanceof PlatformError
        ? error.message
        : `Unexpected error. The details are in the error log under ${ctx.correlationId}.`;
    if (!(error instanceof PlatformError))
      ctx.log.error('a watched file failed', {
        correlationId: ctx.correlationId,
        watchedFileId: claim.file.id,
        error: error instanceof Error ? error.name : 'unknown',
      });
    if (counts.failed <= ALERTS_MAX)
      ctx.alert({
        code: error instanceof PlatformError ? error.code : 'INTERNAL',
        text: `${claim.file.path}: ${problem}`,
      });
    await releaseFile(ctx, claim, problem);
    return undefined;
  }
}

/** Completes the files and calls the statement once for all new documents, in one transaction. */
async function finishWatch(ctx: Context, { request }: WatchRun, done: readonly FileClaim[]): Promise<void> {
  if (done.length === 0) return;
  const ids = done.flatMap(({ file }) => file.attachmentId ?? []);
  try {
    await ctx.inTransaction(async (own) => {
      for (const claim of done) {
        // A removed file is forgotten: another file of its name is new.
        if (claim.file.removeSource) await forgetFile(own, claim);
        else await completeFile(own, claim);
      }
      if (request.statement !== undefined && ids.length > 0)
        await callSignature(
          own,
          request.statement,
          { field: 'Statement', module: 'attachment', more: { ID: ids } },
          () => undefined,
        );
    });
  } catch (error) {
    if (error instanceof LeaseLost) return;
    for (const claim of done) await releaseFile(ctx, claim, 'The statement failed.');
    if (!(error instanceof PlatformError)) throw error;
    ctx.alert({ code: error.code, text: `Statement: ${error.message} The next watch calls it again.` });
  }
}

function toFileRecords({ attachmentId, importFileId }: FileClaim['file']): FileRecords {
  return { attachmentId: attachmentId ?? 0, ...(importFileId === null ? {} : { importFileId }) };
}
