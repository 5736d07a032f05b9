import { FILE_OBJECT } from '../../../../contracts/file-object.ts';
import type { ContentAnswer } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { openStream } from '../../../../kernel/security/seal-stream.ts';
import { fileNameOf } from './document-row.ts';
import { UNKNOWN_TYPE } from './file-content.ts';
import { FILE_PURPOSE } from './stored-documents.ts';
import type { StoredDocument } from '../attachment.record.ts';

/**
 * Returns a document's file to send. A sealed one requires the permission UnmaskSSN, is written to the security log,
 * and is sent whole: its pieces can only be verified in order.
 */
export async function documentDownload(
  ctx: Context,
  row: StoredDocument,
  disposition: 'attachment' | 'inline',
): Promise<ContentAnswer> {
  const id = row.AttachmentID;
  const { FilePath: path, FileObject: location, FileSize: size, FileHash: hash, UpdatedDate: updated } = row;
  if (path === null || location === null)
    throw new PlatformError('NOT_FOUND', { field: 'ID', message: `Attachment ${id} has no file.` });
  const sealed = row.Sealed === true;
  if (sealed) await assertMayUnmask(ctx, id);
  const files = ctx.providers.get(FILE_OBJECT, location);
  const found = await files.stat(path);
  if (!found)
    throw new PlatformError('UNAVAILABLE', { message: "The document's file is missing from its storage location." });
  if (!sealed && size !== null) assertStoredSize(found.size, size);
  const whole = files.read(path);
  return {
    kind: 'content',
    mime: row.MimeType ?? UNKNOWN_TYPE,
    fileName: fileNameOf(row),
    disposition,
    ...(size === null ? {} : { length: size }),
    ...(hash === null ? {} : { tag: hash }),
    ...(updated === null ? {} : { modified: updated }),
    bytes: sealed ? openStream(ctx.cipher, FILE_PURPOSE, whole) : whole,
    ...(sealed ? {} : { part: (start, end) => files.read(path, { start, end }) }),
  };
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
