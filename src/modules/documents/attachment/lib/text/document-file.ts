import { FILE_OBJECT } from '../../../../../contracts/file-object.ts';
import { TEXT_READER, UnreadableFile, type TextReader } from '../../../../../contracts/text-reader.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { assertServed } from '../scan/scan-gate.ts';
import { wholeFileType } from '../detect-type.ts';
import { fileNameOf } from '../document-row.ts';
import { UNKNOWN_TYPE } from '../file-content.ts';
import type { StoredDocument } from '../../attachment.record.ts';

/** What reading the text needs of a document. */
export type DocumentFile = Pick<
  StoredDocument,
  | 'AttachmentID'
  | 'Attachment'
  | 'FileName'
  | 'MimeType'
  | 'FileSize'
  | 'FileObject'
  | 'FilePath'
  | 'Sealed'
  | 'ScanState'
>;

/**
 * Reads the whole file. Throws {@link UnreadableFile} for a sealed or too large one, others where storage fails or the
 * file is not served.
 */
export async function documentBytes(ctx: Context, file: DocumentFile, bytesMax: number): Promise<Buffer> {
  assertServed(ctx.settings, file);
  if (file.Sealed === true) throw new UnreadableFile('The file is stored encrypted, so its text is not kept.');
  if ((file.FileSize ?? 0) > bytesMax)
    throw new UnreadableFile(`The file is larger than ${Math.floor(bytesMax / 1_048_576)} MB (TextFileMegabytesMax).`);
  const files = ctx.providers.get(FILE_OBJECT, file.FileObject ?? '');
  const pieces: Uint8Array[] = [];
  for await (const piece of files.read(file.FilePath ?? '')) pieces.push(Buffer.from(piece));
  const bytes = Buffer.concat(pieces);
  if (file.FileSize !== null && bytes.length !== file.FileSize) throw new Error('the stored file has another size');
  return bytes;
}

/** Returns the reader of a file. Throws {@link UnreadableFile} if text is not read from files of its type. */
export async function readerOf(
  ctx: Context,
  file: Pick<DocumentFile, 'MimeType' | 'FileName' | 'Attachment'>,
  bytes: Buffer,
): Promise<TextReader> {
  const type = await wholeFileType(bytes, file.MimeType ?? UNKNOWN_TYPE, fileNameOf(file));
  for (const name of ctx.providers.names(TEXT_READER)) {
    const reader = ctx.providers.get(TEXT_READER, name);
    if (reader.mediaTypes.includes(type)) return reader;
  }
  throw new UnreadableFile(`Text is not read from files of this type (${type}).`);
}
