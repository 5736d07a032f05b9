import { fileOf, type FileContent } from '../../../../../contracts/file-content.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { convertMegabytesMax } from '../../settings.ts';
import { isUnclear, wholeFileType } from '../detect-type.ts';
import { fileNameOf } from '../document-row.ts';
import { textTypeOf, UNKNOWN_TYPE } from '../file-content.ts';
import type { StoredDocument } from '../../attachment.record.ts';

/** The container of Office's formats before 2007. */
const CONTAINER = 'application/x-cfb';
/** The stream in a container that says what it is. */
const STREAMS: readonly (readonly [name: string, mime: string])[] = [
  ['WordDocument', 'application/msword'],
  ['Workbook', 'application/vnd.ms-excel'],
  ['PowerPoint Document', 'application/vnd.ms-powerpoint'],
];
/** The stream that encrypted documents of today's formats have. */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');

/** Returns what decides, besides its content, what a file is read as. */
export function sourceTypeOf({ MimeType, FileName }: Pick<StoredDocument, 'MimeType' | 'FileName'>): string {
  const stored = MimeType ?? UNKNOWN_TYPE;
  return isUnclear(stored) ? `${stored};${textTypeOf(FileName ?? '') ?? ''}` : stored;
}

/** Returns a document's file with its type detected from all of it. Throws TOO_LARGE, UNREADABLE_DOCUMENT. */
export async function sourceFile(ctx: Context, row: StoredDocument): Promise<FileContent> {
  const megabytes = ctx.settings.get(convertMegabytesMax);
  const fileName = fileNameOf(row);
  const tooLarge = (): PlatformError =>
    new PlatformError('TOO_LARGE', {
      message: `"${fileName}" is larger than ${megabytes} MB (ConvertMegabytesMax) and is not converted.`,
    });
  if ((row.FileSize ?? 0) > megabytes * 1_048_576) throw tooLarge();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of (await ctx.documents.content(row)).open()) {
    size += piece.length;
    if (size > megabytes * 1_048_576) throw tooLarge();
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  const type = await wholeFileType(bytes, row.MimeType ?? UNKNOWN_TYPE, fileName);
  return fileOf(fileName, type === CONTAINER ? containedType(bytes, fileName) : type, bytes);
}

function containedType(bytes: Buffer, fileName: string): string {
  if (bytes.includes(ENCRYPTED))
    throw new PlatformError('UNREADABLE_DOCUMENT', {
      message: `"${fileName}" needs a password; save it without one.`,
    });
  return STREAMS.find(([name]) => bytes.includes(Buffer.from(name, 'utf16le')))?.[1] ?? CONTAINER;
}
