import { fileOf } from '../../../../contracts/file-content.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { convertInTime } from '../../attachment/lib/convert/rendition-of.ts';
import { requireDocumentType, type DocumentType } from './document-type.ts';
import type { DocumentParent } from './document-data.ts';
import { generateDocument } from './generate-document.ts';
import { assertMethodValues } from './method-values.ts';
import { parentRecord } from './parent-record.ts';

/** What a preview is generated from. */
export interface PreviewSource {
  readonly typeId: number;
  readonly className: string | null | undefined;
  readonly id: number | null | undefined;
  readonly documentIds: readonly number[];
  readonly values: Parameters;
}

/** A generated document in memory. */
export interface PreviewFile {
  readonly mime: string;
  readonly fileName: string;
  readonly bytes: Buffer;
}

/** The largest preview in bytes: it is held in memory. */
const PREVIEW_BYTES_MAX = 50 * 1024 * 1024;

/** Generates the document of a document type without saving it. Throws as the generator does; TOO_LARGE. */
export async function previewDocument(ctx: Context, source: PreviewSource): Promise<PreviewFile> {
  const { documentIds, values } = source;
  const { type, parent } = await ctx.inTransaction((own) => readTarget(own, source));
  return generateDocument(ctx, { type, parent, documentIds, values }, async (file) => ({
    mime: file.mime,
    fileName: `${type.name.replace(/[/\\\p{Cc}]/gu, '_')}.${file.extension}`,
    bytes: await bytesOf(file.bytes()),
  }));
}

export const PDF_MIME = 'application/pdf';

/** Returns a generated document as a PDF file. Throws CONVERTER_UNAVAILABLE, UNREADABLE_DOCUMENT or TIMED_OUT. */
export async function pdfOfPreview(ctx: Context, { fileName, mime, bytes }: PreviewFile): Promise<PreviewFile> {
  const made = await convertInTime(ctx, fileOf(fileName, mime, bytes), PDF_MIME);
  return { mime: made.mime, fileName: fileName.replace(/[^.]*$/, made.extension), bytes: Buffer.from(made.bytes) };
}

async function readTarget(
  ctx: Context,
  { typeId, className, id, values }: PreviewSource,
): Promise<{ readonly type: DocumentType; readonly parent: DocumentParent | undefined }> {
  const type = await requireDocumentType(ctx, typeId, 'ID');
  assertMethodValues(type, values);
  return { type, parent: await parentRecord(ctx, className, id) };
}

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    size += piece.length;
    if (size > PREVIEW_BYTES_MAX)
      throw new PlatformError('TOO_LARGE', {
        message: `The document is larger than ${PREVIEW_BYTES_MAX} bytes and cannot be previewed; generate it instead.`,
      });
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
