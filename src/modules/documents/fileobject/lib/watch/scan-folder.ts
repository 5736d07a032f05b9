import type { FileEntry, FileObject } from '../../../../../contracts/file-object.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { noteForOperators } from '../../../../../kernel/door/error-log.ts';
import { isPlatformPath } from '../../../attachment/lib/path-url.ts';
import { fileMask } from '../file-mask.ts';
import {
  documentPaths,
  knownFiles,
  recordAlarm,
  recordChange,
  recordSighting,
  type WatchedFileRow,
} from './watched-file-rows.ts';

/** Files looked up per query. */
const BATCH_FILES = 500;
/** Most files listed of a location; the rest is ignored with a warning. */
const LISTED_FILES_MAX = 100_000;

/** The folder and files that a watch is for. */
export interface FolderScan {
  readonly location: string;
  readonly files: FileObject;
  readonly path: string;
  readonly pattern: string;
  readonly depth: number;
  /** Seconds for which a file must be unchanged. */
  readonly settleSeconds: number;
  /** Minutes after which a file that keeps changing is reported to operators. */
  readonly unsettledMinutes: number;
}

/** A listed file, and what to do with it now. */
export interface ScannedFile {
  readonly entry: FileEntry;
  readonly state: 'ready' | 'waiting' | 'known';
}

/** Lists a folder and yields each file that the watch is for, in order. Remembers what it saw for the next scan. */
export async function* scanFolder(ctx: Context, looked: FolderScan): AsyncIterable<ScannedFile> {
  const matchesMask = fileMask(looked.pattern, 'Pattern');
  let batch: FileEntry[] = [];
  let listed = 0;
  for await (const entry of looked.files.entries(looked.path, { depth: looked.depth })) {
    if (++listed > LISTED_FILES_MAX) {
      ctx.alert({
        code: 'TOO_MANY',
        text: `The folder contains more than ${LISTED_FILES_MAX} files; the rest were not listed.`,
      });
      break;
    }
    if (
      !matchesMask(entry.path.slice(entry.path.lastIndexOf('/') + 1)) ||
      (looked.files.shared !== true && isPlatformPath(entry.path))
    )
      continue;
    batch.push(entry);
    if (batch.length < BATCH_FILES) continue;
    yield* classifyBatch(ctx, looked, batch);
    batch = [];
  }
  // No storage distinguishes an empty folder from a missing one.
  if (listed === 0 && looked.path !== '/')
    ctx.alert({
      code: 'NOTHING_FOUND',
      text: `Path: ${looked.path} is empty or missing; if files were expected, check its spelling.`,
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
  { location, files, settleSeconds, unsettledMinutes }: FolderScan,
  entry: FileEntry,
  known: WatchedFileRow | undefined,
): Promise<ScannedFile['state']> {
  const settled = new Date(ctx.clock.milliseconds() - settleSeconds * 1_000).toISOString();
  // In a location where files appear complete, there is nothing to wait for.
  const isWhole = files.gradual !== true;
  if (!known) {
    await recordSighting(ctx, location, entry);
    return isWhole || entry.modified <= settled ? 'ready' : 'waiting';
  }
  if (known.state !== 'Waiting' && known.state !== 'Done') return 'waiting';
  const isSame = known.size === entry.size && known.modified === entry.modified;
  if (isSame && known.state === 'Done') return 'known';
  if (!isSame) await recordChange(ctx, known, entry);
  if (isWhole || isSettled(entry, known, settled)) return 'ready';
  if (!isSame && known.state === 'Waiting') await alarmIfUnsettled(ctx, known, unsettledMinutes);
  return 'waiting';
}

/**
 * Whether a file has not changed since an instant. The location's clock may be wrong: a file unchanged since an earlier
 * scan is complete, whatever its time. One that changed since must have an old time, and no other change may have been
 * seen after that instant.
 */
function isSettled(entry: FileEntry, known: WatchedFileRow, settled: string): boolean {
  const isSame = known.size === entry.size && known.modified === entry.modified;
  const wasQuiet = known.changed <= settled;
  return isSame ? wasQuiet || entry.modified <= settled : wasQuiet && entry.modified <= settled;
}

/** Warns of a file that has kept changing for so long, and notifies operators once. */
async function alarmIfUnsettled(ctx: Context, file: WatchedFileRow, minutes: number): Promise<void> {
  const before = new Date(ctx.clock.milliseconds() - minutes * 60_000).toISOString();
  if (file.waiting > before) return;
  const text =
    `${file.path}: the file has been changing since ${file.waiting} and was not imported. Its sender ` +
    'should upload it under a temporary name, then rename it.';
  ctx.alert({ code: 'FILE_UNSETTLED', text });
  if (file.alarmed !== null) return;
  await ctx.inTransaction(async (own) => {
    if (!(await recordAlarm(own, file))) return;
    await own.transaction().elevated((db) => noteForOperators(own, db, 'file watch', text));
  });
}
