import { FILE_OBJECT } from '../../../../contracts/file-object.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { mergeParameters, type Parameters } from '../../../../kernel/parameters/parameters.ts';
import { mimeTypeOf, peek } from './file-content.ts';
import { sealToken, stagedPath } from './stored-documents.ts';
import { assertFields, partsOf, requireUpload } from './upload.ts';
import { claimFinish, deleteUpload, uploadFields, linkDocument, type Upload } from './upload-rows.ts';

/** Bytes needed to detect the file type. */
const HEAD_BYTES = 4_100;

/**
 * Creates the document of a complete upload; fields sent now override those of the first chunk. Returns the document's
 * id, also if another call created it first. On failure nothing is created and the upload stays complete: sending the
 * last chunk again, or an empty one, finishes it.
 */
export async function finishUpload(
  ctx: Context,
  upload: Upload,
  fields: Parameters,
  hash: string | undefined,
): Promise<number | null> {
  if (upload.isFinished) return upload.attachmentId;
  const parts = partsOf(ctx, upload);
  const files = ctx.providers.get(FILE_OBJECT, upload.fileObject);
  const path = stagedPath();
  // Outside the transaction, because the whole file may be read for its hash.
  const written = await parts.complete(upload.guid, upload.size, path, upload.checksum);
  try {
    if (written.checksum !== upload.checksum)
      await discardUpload(
        ctx,
        upload,
        'UNAVAILABLE',
        'Some bytes of the upload were lost before they reached the disk.',
      );
    const expected = hash ?? upload.hash;
    if (expected !== null && expected !== written.hash)
      await discardUpload(ctx, upload, 'BAD_PARAMETER', 'FileHash: the bytes received have a different SHA-256.');
    const { head } = await peek(
      parts.read(upload.guid, { start: 0, end: Math.min(HEAD_BYTES, upload.size) }),
      HEAD_BYTES,
    );
    const mime = await mimeTypeOf(head, upload.fileName);
    const unscanned = sealToken(ctx.cipher, {
      fileObject: upload.fileObject,
      path,
      size: written.size,
      hash: written.hash,
      mime,
      sealed: false,
    });
    const token = await ctx.documents.scanStaged(unscanned);
    const made = await ctx
      .inTransaction((own) => makeDocument(own, upload, mergeParameters(uploadFields(ctx, upload), fields), token))
      .catch((error: unknown) => discardInfected(ctx, upload, error));
    return made ?? (await requireUpload(ctx, upload.guid)).attachmentId;
  } finally {
    await files
      .delete(path)
      .catch(() => ctx.log.warn('staged file was not removed', { correlationId: ctx.correlationId }));
  }
}

/** Creates the document and links the upload to it, in one transaction; undefined if another call was faster. */
async function makeDocument(
  own: Context,
  upload: Upload,
  fields: Parameters,
  token: string,
): Promise<number | undefined> {
  if (!(await claimFinish(own, upload.guid))) return undefined;
  await assertFields(own, fields);
  const saved = await own.call('attachment/save', { FileName: upload.fileName, Staged: token }, fields);
  const id = saved.row.AttachmentID;
  await linkDocument(own, upload.guid, id);
  return id;
}

/** Deletes an upload that was refused for its malware, and throws the error: sending its end again would not help. */
async function discardInfected(ctx: Context, upload: Upload, error: unknown): Promise<never> {
  if (error instanceof PlatformError && error.code === 'DOCUMENT_INFECTED' && (await deleteUpload(ctx, upload.guid)))
    await partsOf(ctx, upload).delete(upload.guid);
  throw error;
}

/** Deletes an upload whose bytes differ from what was sent, and throws. */
async function discardUpload(
  ctx: Context,
  upload: Upload,
  code: 'BAD_PARAMETER' | 'UNAVAILABLE',
  message: string,
): Promise<never> {
  if (await deleteUpload(ctx, upload.guid)) await partsOf(ctx, upload).delete(upload.guid);
  throw new PlatformError(code, {
    ...(code === 'BAD_PARAMETER' ? { field: 'FileHash' } : {}),
    message: `${message} The upload was canceled and nothing was saved; send the file again.`,
  });
}
