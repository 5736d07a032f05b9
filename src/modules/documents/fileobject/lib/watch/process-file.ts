import { FILE_OBJECT, type FileObject } from '../../../../../contracts/file-object.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { FileWatchRequest, FileHandler } from '../../../../../kernel/ports/file-watch.ts';
import { recordState, completeFile, forgetFile, type FileClaim, type WatchedFileRow } from './watched-file-rows.ts';

/** A running watch. */
export interface WatchRun {
  readonly ctx: Context;
  readonly taking: FileHandler;
  readonly files: FileObject;
  readonly location: string;
  readonly request: FileWatchRequest;
  readonly leaseSeconds: number;
}

/**
 * Processes a file from its present state, step by step. Each step is recorded when done and can be repeated if the
 * record is missing. Returns the file when all but its completion is done; undefined if there is nothing to process.
 */
export async function processFile(watching: WatchRun, claim: FileClaim): Promise<FileClaim | undefined> {
  let at: FileClaim | undefined = claim;
  if (at.file.state === 'Waiting') at = await takeFile(watching, at);
  if (at?.file.state === 'Taken') at = await placeFile(watching, at);
  if (at?.file.state === 'Placed') at = await removeSource(watching, at);
  if (at?.file.state === 'Cleared') at = await runFollowUp(watching, at);
  return at;
}

/** Reads the file and creates its records, in the transaction that records the step. */
async function takeFile(watching: WatchRun, claim: FileClaim): Promise<FileClaim | undefined> {
  const { ctx, location, taking, request, leaseSeconds } = watching;
  const { file } = claim;
  const found = await ctx.documents.stageInPlace(location, file.path).catch(async (error: unknown) => {
    if (!(error instanceof PlatformError) || error.code !== 'NOT_FOUND') throw error;
    // It was removed before it was processed.
    await ctx.inTransaction((own) => forgetFile(own, claim));
    return undefined;
  });
  if (!found) return undefined;
  const now = await watching.files.stat(file.path);
  if (now?.size !== file.size || now.modified !== file.modified)
    throw new PlatformError('CONCURRENT_CHANGE', { message: 'The file changed while it was being read.' });
  if (found.hash === file.hash) {
    // It was rewritten with the same content.
    await ctx.inTransaction((own) => completeFile(own, claim));
    return undefined;
  }
  const row = await ctx.inTransaction(async (own) => {
    // Record the step first: if another watch took over, nothing is created.
    await recordState(own, claim, { state: 'Taken', seconds: leaseSeconds });
    const taken = await taking.begin(own, {
      location,
      path: file.path,
      fileName: file.path.slice(file.path.lastIndexOf('/') + 1),
      token: found.token,
      size: found.size,
      hash: found.hash,
    });
    const { target } = request;
    return recordState(
      own,
      claim,
      { state: 'Taken', seconds: leaseSeconds },
      {
        hash: found.hash,
        kind: request.kind,
        attachmentid: taken.attachmentId,
        importfileid: taken.importFileId ?? null,
        targetlocation: target?.location ?? null,
        targetpath: target ? (target.pathUrl ?? null) : null,
        removesource: target?.remove ?? false,
      },
    );
  });
  return { ...claim, file: row };
}

/** Copies the file to its target; its document refers to the copy afterwards. */
async function placeFile(watching: WatchRun, claim: FileClaim): Promise<FileClaim> {
  const { ctx, request } = watching;
  const { targetLocation, targetPath, attachmentId, guid } = claim.file;
  const [document] = await ctx.db.query('select 1 from attachment where attachmentid = $1::bigint', [attachmentId]);
  // The document was deleted: nothing is left to do.
  if (!document) return recordStep(watching, claim, 'Imported');
  if (targetLocation !== null && attachmentId !== null) {
    const target = ctx.providers.get(FILE_OBJECT, targetLocation);
    // The Guid is the same however often this runs, so that an earlier copy is found.
    const pathUrl = (targetPath ?? '/{Object}/{ObjectID}/{Guid}/{Uri.FileName}').replace(/\{guid\}/gi, guid);
    await ctx.call('attachment/transferfile', {
      ID: [attachmentId],
      FileObject: targetLocation,
      PathURL: folderOrFile(pathUrl),
      Sealed: (request.target?.seal ?? false) && target.shared !== true,
    });
  }
  return recordStep(watching, claim, 'Placed');
}

/** Treats a path that is equal for all files as a folder: otherwise the second file would collide with the first. */
function folderOrFile(pathUrl: string): string {
  return pathUrl.endsWith('/') || /\{[^}]*\}[^/]*$/.test(pathUrl) ? pathUrl : `${pathUrl}/`;
}

/** Removes the source file if it is unchanged and the document refers elsewhere. */
async function removeSource(watching: WatchRun, claim: FileClaim): Promise<FileClaim> {
  const { ctx, files, location } = watching;
  const { file } = claim;
  if (file.removeSource && file.attachmentId !== null) {
    const [document] = await ctx.db.query<{ location: string | null; path: string | null }>(
      'select fileobject as location, filepath as path from attachment where attachmentid = $1::bigint',
      [file.attachmentId],
    );
    const isElsewhere =
      document !== undefined &&
      !(document.location?.toLowerCase() === location.toLowerCase() && document.path === file.path);
    const now = isElsewhere ? await files.stat(file.path) : undefined;
    if (now && isUnchanged(file, now)) await files.delete(file.path);
  }
  return recordStep(watching, claim, 'Cleared');
}

function isUnchanged(file: WatchedFileRow, now: { readonly size: number; readonly modified: string }): boolean {
  return now.size === file.size && now.modified === file.modified;
}

async function runFollowUp(watching: WatchRun, claim: FileClaim): Promise<FileClaim> {
  const { ctx, taking, leaseSeconds } = watching;
  const { attachmentId, importFileId } = claim.file;
  if (!taking.follow || attachmentId === null) return recordStep(watching, claim, 'Imported');
  let row: WatchedFileRow | undefined;
  const note = async (own: Context): Promise<void> => {
    row = await recordState(own, claim, { state: 'Imported', seconds: leaseSeconds });
  };
  await taking.follow(ctx, { attachmentId, ...(importFileId === null ? {} : { importFileId }) }, note);
  return row ? { ...claim, file: row } : recordStep(watching, claim, 'Imported');
}

async function recordStep(
  watching: WatchRun,
  claim: FileClaim,
  state: 'Placed' | 'Cleared' | 'Imported',
): Promise<FileClaim> {
  const { ctx, leaseSeconds } = watching;
  return {
    ...claim,
    file: await ctx.inTransaction((own) => recordState(own, claim, { state, seconds: leaseSeconds })),
  };
}
