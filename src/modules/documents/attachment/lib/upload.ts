import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { FILE_OBJECT, type FileObject, type FileParts } from '../../../../contracts/file-object.ts';
import { readPieces } from '../../../../kernel/parameters/body-parameters.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import type { Providers } from '../../../../kernel/ports/providers.ts';
import { planOptions, planSave } from '../../../../kernel/records/save/plan.ts';
import { assertSaveAllowed } from '../../../../kernel/records/save/save-authorization.ts';
import { assertSaveResolvable } from '../../../../kernel/records/save/resolve-references.ts';
import { uploadMegabytesMax, uploadsOpenMax } from '../settings.ts';
import { plainFileName } from './file-content.ts';
import { reserveBytes, countOpenUploads, findUpload, insertUpload, storeChecksum, type Upload } from './upload-rows.ts';

/** Most bytes of one chunk: 500 KB of 1,024 bytes. */
const CHUNK_BYTES_MAX = 500 * 1024;

/** A chunk as parameters or headers describe it. */
export interface Chunk {
  readonly fileName: string | undefined;
  readonly size: number | undefined;
  readonly guid: string | undefined;
  /** Its offset, if the sender names it. */
  readonly offset: number | undefined;
  readonly hash: string | undefined;
  readonly fields: Parameters;
}

/** Returns the storage for uploads: the first that accepts files in parts. */
function chunkStorage(providers: Providers): {
  readonly name: string;
  readonly files: FileObject;
  readonly parts: FileParts;
} {
  for (const name of providers.names(FILE_OBJECT)) {
    const files = providers.get(FILE_OBJECT, name);
    if (files.parts) return { name, files, parts: files.parts };
  }
  throw new PlatformError('UNKNOWN_PROVIDER', {
    message: 'No storage location of this installation supports chunked uploads.',
  });
}

/** Returns the part storage of an upload. */
export function partsOf(ctx: Pick<Context, 'providers'>, upload: Pick<Upload, 'fileObject'>): FileParts {
  return ctx.providers.get(FILE_OBJECT, upload.fileObject).parts ?? chunkStorage(ctx.providers).parts;
}

/**
 * Throws if the fields could not be saved. Checked with the first chunk, so that an upload does not fail at its end.
 */
export async function assertFields(ctx: Context, fields: Parameters): Promise<void> {
  const plan = planSave(ctx.registry, ctx.record, fields, planOptions(ctx));
  await assertSaveAllowed(ctx, plan);
  await assertSaveResolvable(ctx, plan);
}

/** Accepts the first chunk. Checks everything that can be refused before reading a byte. */
export async function beginUpload(ctx: Context, chunk: Chunk): Promise<Upload> {
  await assertFields(ctx, chunk.fields);
  const size = requireSize(ctx, chunk);
  const fileName = requireFileName(chunk);
  if ((chunk.offset ?? 0) !== 0)
    throw bad('FileOffset', '0 for the first chunk; a later chunk names its upload in X-File-GUID');
  const bytes = await readChunk(ctx);
  if (bytes.length > size) throw tooManyBytes(size);
  const { name, parts } = chunkStorage(ctx.providers);
  const guid = randomUUID();
  return ctx.inTransaction(async (own) => {
    const most = own.settings.get(uploadsOpenMax);
    if ((await countOpenUploads(own)) >= most)
      throw new PlatformError('TOO_MANY', {
        message: `You have ${most} unfinished uploads. Finish one, or wait until the oldest expires.`,
      });
    const upload = await insertUpload(own, {
      guid,
      fileName,
      size,
      received: bytes.length,
      checksum: checksumOf(bytes.pieces, 0),
      fileObject: name,
      hash: chunk.hash ?? null,
      fields: chunk.fields,
    });
    own.onUndo(() => parts.delete(guid));
    // The row is rolled back if the bytes cannot be written; bytes without a row are swept.
    await parts.write(guid, 0, bytes.pieces);
    return upload;
  });
}

/**
 * Accepts a later chunk. One without an offset follows the bytes that were there when the call arrived: of two
 * concurrent calls one is refused.
 */
export async function continueUpload(ctx: Context, guid: string, chunk: Chunk): Promise<Upload> {
  // Both run at once; both are awaited, so that no body is being read when an error is sent.
  const [found, read] = await Promise.allSettled([
    chunk.offset === undefined ? requireUpload(ctx, guid) : undefined,
    readChunk(ctx),
  ]);
  if (found.status === 'rejected') throw found.reason;
  if (read.status === 'rejected') throw read.reason;
  const [seen, bytes] = [found.value, read.value];
  const position = chunk.offset ?? seen?.received ?? 0;
  const taken =
    bytes.length > 0 && isGuid(guid)
      ? await ctx.inTransaction((own) => appendChunk(own, { guid, position, bytes }, chunk))
      : undefined;
  if (taken) {
    releaseMemory(bytes);
    return taken;
  }
  const upload = await requireUpload(ctx, guid);
  assertSameFile(upload, chunk);
  // Nothing follows a complete file: a chunk without an offset can only be its end again.
  await assertAlreadyReceived(
    ctx,
    upload,
    seen?.received === upload.size ? upload.size - bytes.length : position,
    bytes,
  );
  return upload;
}

async function appendChunk(
  own: Context,
  { guid, position, bytes }: { readonly guid: string; readonly position: number; readonly bytes: ChunkBytes },
  chunk: Chunk,
): Promise<Upload | undefined> {
  const { pieces, length } = bytes;
  const upload = await reserveBytes(own, guid, position, length);
  if (!upload) return undefined;
  assertSameFile(upload, chunk);
  // The row is undone where the bytes cannot be written.
  const checksum = await partsOf(own, upload).write(guid, position, pieces, upload.checksum);
  await storeChecksum(own, guid, checksum);
  return { ...upload, checksum };
}

/** Returns the CRC-32 continued over more bytes. */
function checksumOf(pieces: readonly Uint8Array[], before: number): number {
  return pieces.reduce((sum, piece) => crc32(piece, sum), before);
}

function isGuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** Returns an upload of the user. Throws NOT_FOUND. */
export async function requireUpload(ctx: Context, guid: string): Promise<Upload> {
  const upload = isGuid(guid) ? await findUpload(ctx, guid) : undefined;
  if (!upload)
    throw new PlatformError('NOT_FOUND', {
      field: 'FileGUID',
      message: 'FileGUID: you have no such upload. It may have expired since its last chunk.',
    });
  return upload;
}

/** Throws if a later chunk describes another file than the first. */
function assertSameFile(upload: Upload, { size, fileName, hash }: Chunk): void {
  if (size !== undefined && size !== upload.size) throw bad('FileSize', `${upload.size}, as in the first chunk`);
  if (fileName !== undefined && plainFileName(fileName) !== upload.fileName)
    throw bad('FileName', 'the name given in the first chunk');
  if (hash !== undefined && upload.hash !== null && hash !== upload.hash)
    throw bad('FileHash', 'the hash given in the first chunk');
}

/** Throws unless the bytes of a refused chunk are stored already; an empty chunk always is. */
async function assertAlreadyReceived(ctx: Context, upload: Upload, position: number, bytes: ChunkBytes): Promise<void> {
  const end = position + bytes.length;
  if (position >= 0 && end <= upload.received) {
    const stored: Uint8Array[] = [];
    for await (const piece of partsOf(ctx, upload).read(upload.guid, { start: position, end })) stored.push(piece);
    if (Buffer.concat(stored).equals(Buffer.concat(bytes.pieces))) return;
  }
  if (end > upload.size || position < 0) throw tooManyBytes(upload.size);
  const details = { Received: upload.received };
  throw new PlatformError('CONCURRENT_CHANGE', {
    field: 'FileOffset',
    details,
    message:
      `The upload has ${upload.received} bytes; this chunk, at ${position}, is neither the next one nor a ` +
      'repeated one.',
  });
}

function tooManyBytes(size: number): PlatformError {
  return bad('FileSize', `no more than the ${size} bytes announced`);
}

function requireSize(ctx: Context, { size }: Chunk): number {
  if (size === undefined)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'FileSize',
      message: 'FileSize (X-File-Size), the size of the whole file, is required with the first chunk.',
    });
  if (size < 0) throw bad('FileSize', 'the size of the whole file, 0 or more');
  const megabytes = ctx.settings.get(uploadMegabytesMax);
  if (size > megabytes * 1024 * 1024)
    throw new PlatformError('TOO_LARGE', {
      field: 'FileSize',
      message: `FileSize: files can have at most ${megabytes} megabytes (setting UploadMegabytesMax).`,
    });
  return size;
}

function requireFileName({ fileName }: Chunk): string {
  if (fileName === undefined)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'FileName',
      message: 'FileName (X-File-Name) is required with the first chunk.',
    });
  const plain = plainFileName(fileName);
  if (plain === undefined) throw bad('FileName', 'a file name without a path');
  return plain;
}

/** The bytes of a chunk in the pieces in which they arrived; joining them would double their memory. */
interface ChunkBytes {
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
}

/** Reads one whole chunk: it is small, so no row lock waits for its sender. */
async function readChunk(ctx: Context): Promise<ChunkBytes> {
  const pieces = ctx.body ? await readPieces(ctx.body.bytes, CHUNK_BYTES_MAX) : [];
  return { pieces, length: pieces.reduce((sum, piece) => sum + piece.length, 0) };
}

/**
 * Frees the memory of written bytes at once. A chunk is a few large buffers and little else; the garbage collector,
 * triggered when external memory has grown by a share of its heap, ran a full cycle every 25 chunks, 30 ms each. A
 * buffer that shares its memory is left alone.
 */
function releaseMemory({ pieces }: ChunkBytes): void {
  for (const piece of pieces)
    if (piece.byteOffset === 0 && piece.byteLength === piece.buffer.byteLength && piece.buffer instanceof ArrayBuffer)
      piece.buffer.transfer(0);
}
