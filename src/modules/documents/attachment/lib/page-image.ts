import { UnreadableFile, type OpenText } from '../../../../contracts/text-reader.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { StoredDocument } from '../attachment.record.ts';
import { textFileMegabytesMax } from '../settings.ts';
import { fileNameOf } from './document-row.ts';
import { findImage, storeImage } from './image-rows.ts';
import { assertServed } from './scan/scan-gate.ts';
import { documentBytes, readerOf } from './text/document-file.ts';
import { textStatuses } from './text/text-rows.ts';

/**
 * Returns a page of a document as an image, drawn unless it is stored. Throws NOT_FOUND for a page that the document
 * does not have, STATE_REFUSES for a file of which no images can be made.
 */
export async function pageImage(
  ctx: Context,
  document: StoredDocument,
  { page, width }: { readonly page: number; readonly width: number },
): Promise<Uint8Array> {
  const { AttachmentID: id, FileHash: version } = document;
  if (document.FilePath === null)
    throw new PlatformError('NOT_FOUND', { field: 'ID', message: `Attachment ${id} has no file.` });
  assertServed(ctx.settings, document);
  if (version === null) throw noImages('The file is stored encrypted.');
  const key = { id, version, page, width };
  const stored = await findImage(ctx, key);
  if (stored) return stored;
  const drawn = await drawPage(ctx, document, { page, width });
  await storeImage(ctx, key, drawn);
  return drawn;
}

/** Returns how many pages a document has: as its text says, if that was read, else as the file says. */
export async function countPages(ctx: Context, document: StoredDocument): Promise<number> {
  const { AttachmentID: id, FileHash: version } = document;
  assertServed(ctx.settings, document);
  const [status] = await ctx.actingAs('System', (system) => textStatuses(system.db, [id]));
  if (status?.version === version && status.pagecount !== null) return status.pagecount;
  return withFile(ctx, document, async ({ pageCount }) => pageCount);
}

/** Returns a page of a file that is not stored as an image. Throws as {@link pageImage}. */
export function imageOfBytes(
  ctx: Context,
  { bytes, mime, fileName }: { readonly bytes: Buffer; readonly mime: string; readonly fileName: string },
  drawn: { readonly page: number; readonly width: number },
): Promise<Uint8Array> {
  return opened(ctx, { MimeType: mime, FileName: fileName, Attachment: null }, bytes, (file) => draw(file, drawn));
}

function drawPage(
  ctx: Context,
  document: StoredDocument,
  { page, width }: { readonly page: number; readonly width: number },
): Promise<Uint8Array> {
  return withFile(ctx, document, (file) => draw(file, { page, width }));
}

async function draw(file: OpenText, { page, width }: { readonly page: number; readonly width: number }) {
  if (page > file.pageCount)
    throw new PlatformError('NOT_FOUND', {
      field: 'PageNumber',
      message: `PageNumber: the document has ${file.pageCount} pages.`,
    });
  const image = await file.image?.(page, width);
  if (!image) throw noImages('Files of this type have no pages to show.');
  return image.bytes;
}

/** Opens the file of a document. Throws STATE_REFUSES if it cannot be read. */
async function withFile<T>(ctx: Context, document: StoredDocument, use: (file: OpenText) => Promise<T>): Promise<T> {
  try {
    const bytes = await documentBytes(ctx, document, ctx.settings.get(textFileMegabytesMax) * 1_048_576);
    return await opened(ctx, document, bytes, use);
  } catch (error) {
    if (error instanceof UnreadableFile) throw noImages(error.message);
    throw error;
  }
}

async function opened<T>(
  ctx: Context,
  file: Pick<StoredDocument, 'MimeType' | 'FileName' | 'Attachment'>,
  bytes: Buffer,
  use: (file: OpenText) => Promise<T>,
): Promise<T> {
  try {
    const reader = await readerOf(ctx, file, bytes);
    const open = await reader.open({ name: fileNameOf(file), bytes });
    try {
      return await use(open);
    } finally {
      await open.close();
    }
  } catch (error) {
    if (error instanceof UnreadableFile) throw noImages(error.message);
    throw error;
  }
}

function noImages(reason: string): PlatformError {
  return new PlatformError('STATE_REFUSES', { field: 'ID', message: `There is no image of this page. ${reason}` });
}
