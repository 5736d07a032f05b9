import type { FileEntry, FileObject } from '../../../../../contracts/file-object.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { fileMask } from '../file-mask.ts';
import { documentPaths, knownFiles, recordChange, recordSighting, type WatchedFileRow } from './watched-file-rows.ts';

/** Files of a listing that are looked up at once. */
const BATCH_FILES = 500;
/** The most files of a listing: a location that holds more is told in part. */
const LISTED_FILES_MAX = 100_000;

/** What a watch looks for. */
export interface FolderScan {
  readonly location: string;
  readonly files: FileObject;
  readonly path: string;
  readonly pattern: string;
  readonly depth: number;
  /** For how long a file must have stayed as it is. */
  readonly settleSeconds: number;
}

/** A file of the listing, and what is to be done with it now. */
export interface ScannedFile {
  readonly entry: FileEntry;
  readonly state: 'ready' | 'waiting' | 'known';
}

/** Paths under which the platform keeps documents in its own storage: those are never arrivals. */
const PLATFORM_PATH = /^\/(?:Staged|[A-Za-z]+\/\d+\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\//;

/** Looks through a folder and tells of each file that the watch is for, in order. What was seen is remembered for the next look. */
export async function* scanFolder(ctx: Context, looked: FolderScan): AsyncIterable<ScannedFile> {
  const isWanted = fileMask(looked.pattern, 'Pattern');
  let batch: FileEntry[] = [];
  let listed = 0;
  for await (const entry of looked.files.entries(looked.path, { depth: looked.depth })) {
    if (++listed > LISTED_FILES_MAX) {
      ctx.alert({
        code: 'TOO_MANY',
        text: `The folder holds more than ${LISTED_FILES_MAX} files; those behind them were not looked at.`,
      });
      break;
    }
    if (
      !isWanted(entry.path.slice(entry.path.lastIndexOf('/') + 1)) ||
      (looked.files.shared !== true && PLATFORM_PATH.test(entry.path))
    )
      continue;
    batch.push(entry);
    if (batch.length < BATCH_FILES) continue;
    yield* classifyBatch(ctx, looked, batch);
    batch = [];
  }
  // No storage tells an empty folder from one that is not there.
  if (listed === 0 && looked.path !== '/')
    ctx.alert({
      code: 'NOTHING_FOUND',
      text: `Path: nothing lies in ${looked.path}; look at its spelling where files were expected.`,
    });
  if (batch.length > 0) yield* classifyBatch(ctx, looked, batch);
}

async function* classifyBatch(
  ctx: Context,
  looked: FolderScan,
  batch: readonly FileEntry[],
): AsyncIterable<ScannedFile> {
  const known = await knownFiles(
    ctx,
    looked.location,
    batch.map(({ path }) => path),
  );
  const unseen = batch.filter(({ path }) => !known.has(path)).map(({ path }) => path);
  const documents = unseen.length === 0 ? new Set<string>() : await documentPaths(ctx, looked.location, unseen);
  for (const entry of batch) {
    if (documents.has(entry.path)) continue;
    yield { entry, state: await classify(ctx, looked, entry, known.get(entry.path)) };
  }
}

async function classify(
  ctx: Context,
  { location, files, settleSeconds }: FolderScan,
  entry: FileEntry,
  known: WatchedFileRow | undefined,
): Promise<ScannedFile['state']> {
  const settled = new Date(ctx.clock.milliseconds() - settleSeconds * 1_000).toISOString();
  // Where files appear whole there is nothing to wait for.
  const isWhole = files.gradual !== true;
  if (!known) {
    await recordSighting(ctx, location, entry);
    return isWhole || entry.modified <= settled ? 'ready' : 'waiting';
  }
  if (known.state !== 'Waiting' && known.state !== 'Done') return 'waiting';
  const isSame = known.size === entry.size && known.modified === entry.modified;
  if (!isSame) {
    await recordChange(ctx, known, entry);
    return isWhole ? 'ready' : 'waiting';
  }
  if (known.state === 'Done') return 'known';
  // The location's clock may be wrong: what has stayed as it is since an earlier look is whole too.
  return isWhole || entry.modified <= settled || known.changed <= settled ? 'ready' : 'waiting';
}
