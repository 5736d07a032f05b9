import { FILE_OBJECT, type FileStat, type ReadOptions } from '../../../../contracts/file-object.ts';
import type { ContentAnswer } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import { openStream } from '../../../../kernel/security/seal-stream.ts';
import { fileNameOf } from './document-row.ts';
import { UNKNOWN_TYPE } from './file-content.ts';
import { documentAsVersion } from './document-versions.ts';
import { assertServed } from './scan/scan-gate.ts';
import { FILE_PURPOSE } from './stored-documents.ts';
import { isSameFile, type FileLocation } from './transfer/file-location.ts';
import type { attachment, StoredDocument } from '../attachment.record.ts';

/** Which content of a document to send, and how. */
export interface DownloadOptions {
  /** The number of an earlier version. */
  readonly version?: number | null | undefined;
  readonly disposition: 'attachment' | 'inline';
}

/**
 * Returns a document's file to send. A sealed one, or an earlier version of one, requires the permission UnmaskSSN and
 * is written to the security log. A sealed one is sent whole: its pieces can only be verified in order.
 */
export async function documentDownload(
  ctx: Context<typeof attachment>,
  document: StoredDocument,
  { version, disposition }: DownloadOptions,
): Promise<ContentAnswer> {
  const row = await documentAsVersion(ctx, document, version);
  const id = row.AttachmentID;
  const { FileSize: size, FileHash: hash, UpdatedDate: updated } = row;
  const sealed = row.Sealed === true;
  assertServed(ctx.settings, row);
  const file = locationOf(row);
  // The earlier contents of a file that was sealed later may contain the same numbers.
  if (sealed || document.Sealed === true) await assertMayUnmask(ctx, id);
  const moved = async (): Promise<FileLocation | undefined> => {
    const now = await readRecord(ctx.db, ctx.record, id);
    const present = await documentAsVersion(ctx, now, version);
    // Another content would not fit what has been announced.
    return present.FileHash === hash && present.FileSize === size ? locationOf(present) : undefined;
  };
  const found = await statOf(ctx, file, moved);
  if (!found)
    throw new PlatformError('UNAVAILABLE', { message: "The document's file is missing from its storage location." });
  if (!sealed && size !== null) assertStoredSize(found.size, size);
  const whole = readMoved(ctx, file, moved, { reuse: true });
  return {
    kind: 'content',
    mime: row.MimeType ?? UNKNOWN_TYPE,
    fileName: fileNameOf(row),
    disposition,
    ...(size === null ? {} : { length: size }),
    ...(hash === null ? {} : { tag: hash }),
    ...(updated === null ? {} : { modified: updated }),
    bytes: sealed ? openStream(ctx.cipher, FILE_PURPOSE, whole) : whole,
    ...(sealed ? {} : { part: (start, end) => readMoved(ctx, file, moved, { start, end, reuse: true }) }),
  };
}

function locationOf({ AttachmentID: id, FilePath: path, FileObject: location }: StoredDocument): FileLocation {
  if (path === null || location === null)
    throw new PlatformError('NOT_FOUND', { field: 'ID', message: `Attachment ${id} has no file.` });
  return { location, path };
}

/** Finds where a file is now, after it was not where its document said; undefined if it has another content. */
type FindMoved = () => Promise<FileLocation | undefined>;

async function statOf(ctx: Context, file: FileLocation, moved: FindMoved): Promise<FileStat | undefined> {
  const statAt = ({ location, path }: FileLocation): Promise<FileStat | undefined> =>
    ctx.providers.get(FILE_OBJECT, location).stat(path);
  const found = await statAt(file);
  if (found) return found;
  const now = await moved();
  return now && !isSameFile(now, file) ? statAt(now) : undefined;
}

/** Streams a file; one that was moved before its first bytes were read is read from where it is now. */
async function* readMoved(
  ctx: Context,
  file: FileLocation,
  moved: FindMoved,
  options: ReadOptions,
): AsyncIterable<Uint8Array> {
  const read = ({ location, path }: FileLocation): AsyncIterable<Uint8Array> =>
    ctx.providers.get(FILE_OBJECT, location).read(path, options);
  let hasBegun = false;
  try {
    for await (const piece of read(file)) {
      hasBegun = true;
      yield piece;
    }
  } catch (error) {
    if (hasBegun || !(error instanceof PlatformError) || error.code !== 'NOT_FOUND') throw error;
    const now = await moved().catch(() => undefined);
    if (!now || isSameFile(now, file)) throw error;
    yield* read(now);
  }
}

/** Refuses a file whose length differs from the length that the response would announce. */
function assertStoredSize(found: number, expected: number): void {
  if (found !== expected)
    throw new PlatformError('UNAVAILABLE', {
      message: "The document's file is damaged: its size differs from the recorded size.",
    });
}

/** Throws unless the caller may unmask: sealed files contain protected numbers in clear. */
async function assertMayUnmask(ctx: Context, id: number): Promise<void> {
  if (!ctx.user.permissions.has('UnmaskSSN'))
    throw new PlatformError('NO_PERMISSION', {
      message:
        `Attachment ${id} is stored encrypted because it may contain protected numbers; downloading it ` +
        'requires the permission UnmaskSSN.',
    });
  await ctx.security({ event: 'SealedDownloaded', object: 'Attachment', objectId: id });
}
