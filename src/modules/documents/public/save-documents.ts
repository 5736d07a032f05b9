/** Documents of other areas that are stored many at once. */
import { randomUUID } from 'node:crypto';
import { FILE_OBJECT, type FileObject, type NewFile, type WrittenFile } from '../../../contracts/file-object.ts';
import type { Context } from '../../../kernel/door/context.ts';
import type { Settings } from '../../../kernel/declare/setting.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { insertPlanned } from '../../../kernel/records/save/insert-many.ts';
import { planColumns, type SavePlan } from '../../../kernel/records/save/plan.ts';
import { sealStream } from '../../../kernel/security/seal-stream.ts';
import { attachment } from '../attachment/attachment.record.ts';
import { mimeTypeOf, plainFileName } from '../attachment/lib/file-content.ts';
import { isScanning } from '../attachment/lib/scan/scan-gate.ts';
import { scanColumns } from '../attachment/lib/scan/staged-scan.ts';
import { FILE_PURPOSE, storedHash } from '../attachment/lib/stored-documents.ts';

/** A document to be stored, with a content that is in memory. */
export interface NewDocument {
  readonly object: string;
  readonly objectId: number;
  /** Its label; by default the file's name. */
  readonly name?: string;
  readonly fileName: string;
  readonly bytes: Uint8Array;
  /** SHA-256 of the content, hexadecimal. */
  readonly hash: string;
  /** Encrypted under the key ring. */
  readonly sealed?: boolean;
  /** Metadata of the content, as XML. */
  readonly xmlData?: string;
}

/** Bytes by which the type of a file is detected. */
const HEAD_BYTES = 4_100;
/** Files that are written at the same time where a location has no step for many. */
const WRITES_MAX = 8;

/** Whether documents can be stored at once. With a malware scanner they are staged, and scanned, one by one. */
export function canSaveDocuments(settings: Settings): boolean {
  return !isScanning(settings);
}

/**
 * Stores new documents with small contents in the caller's transaction: first their files, in one step, then their
 * records in one statement. Returns their ids in order. The caller has inserted the records that they are below, and
 * has checked {@link canSaveDocuments}. Fails as a whole, with whatever refuses one of them.
 */
export async function saveDocuments(own: Context, documents: readonly NewDocument[]): Promise<readonly number[]> {
  const [location = ''] = own.providers.names(FILE_OBJECT);
  const files = own.providers.get(FILE_OBJECT, location);
  const placed = documents.map((document) => ({ ...document, path: newPath(document) }));
  // Registered first: a failed write leaves nothing, but the transaction may fail later.
  for (const { path } of placed) own.onUndo(() => files.delete(path));
  await own.cipher.whileSealing(async () => {
    const contents = await Promise.all(placed.map((document) => contentOf(own, document)));
    await writeAll(files, contents);
  });
  const plans = await Promise.all(placed.map((document) => planOf(own, document, location)));
  const rows = await insertPlanned(own, attachment, plans);
  return rows.map((row) => row.AttachmentID);
}

/** Returns a new path for a document's file: `/{Object}/{ObjectID}/{Guid}/{FileName}`. */
function newPath({ object, objectId, fileName }: NewDocument): string {
  const name = plainFileName(fileName);
  if (name === undefined) throw bad('FileName', 'a file name without a path');
  return `/${object}/${objectId}/${randomUUID()}/${name}`;
}

async function contentOf(
  { cipher }: Pick<Context, 'cipher'>,
  { path, bytes, sealed }: NewDocument & { readonly path: string },
): Promise<NewFile> {
  if (sealed !== true) return { path, bytes };
  const pieces: Uint8Array[] = [];
  for await (const piece of sealStream(cipher, FILE_PURPOSE, streamOf(bytes))) pieces.push(piece);
  return { path, bytes: Buffer.concat(pieces), uniqueContent: true };
}

async function writeAll(files: FileObject, contents: readonly NewFile[]): Promise<readonly WrittenFile[]> {
  if (files.writeMany) return files.writeMany(contents);
  const written: WrittenFile[] = [];
  for (let from = 0; from < contents.length; from += WRITES_MAX)
    written.push(
      ...(await Promise.all(
        contents
          .slice(from, from + WRITES_MAX)
          .map(({ path, bytes, ...options }) => files.write(path, streamOf(bytes), options)),
      )),
    );
  return written;
}

async function* streamOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

async function planOf(
  { settings }: Pick<Context, 'settings'>,
  document: NewDocument & { readonly path: string },
  location: string,
): Promise<SavePlan<typeof attachment>> {
  const { object, objectId, name, fileName, bytes, hash, sealed = false, xmlData, path } = document;
  return planColumns(attachment, {
    Object: object,
    ObjectID: objectId,
    Attachment: name ?? fileName,
    FileName: fileName.trim(),
    ...(xmlData === undefined ? {} : { XmlData: xmlData }),
    MimeType: await mimeTypeOf(bytes.subarray(0, HEAD_BYTES), fileName),
    FileSize: bytes.length,
    FileHash: storedHash({ hash, sealed }),
    FileObject: location,
    FilePath: path,
    Sealed: sealed,
    ...scanColumns(settings, undefined),
  });
}
