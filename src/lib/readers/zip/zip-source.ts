import { pipeline, Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { RandomAccessReader, type Entry, type ZipFile } from 'yauzl';

/** A stored zip archive, read from its end. */
export interface ZipSource {
  /** In bytes. */
  readonly size: number;
  /** Streams the bytes from `start` to before `end`. */
  part(start: number, end: number): AsyncIterable<Uint8Array>;
}

/**
 * Reads the inflated bytes of one file. The library locates them; it does not inflate them, because its stream chain is
 * not closed when a reader stops early.
 */
export async function* inflatedBytes(
  source: ZipSource,
  file: ZipFile,
  entry: Entry,
): AsyncGenerator<Buffer, void, undefined> {
  const { fileDataStart } = await file.readLocalFileHeaderPromise(entry, { minimal: true });
  const packed = copiedPart(source, fileDataStart, fileDataStart + entry.compressedSize);
  if (entry.compressionMethod === 0) return yield* packed;
  if (entry.compressionMethod !== 8)
    throw new Error(`${entry.fileName.slice(0, 100)} uses an unknown compression method`);
  const inflate = createInflateRaw();
  // Errors of either stream come out of the last one.
  pipeline(Readable.from(packed, { objectMode: false }), inflate, () => undefined);
  for await (const chunk of inflate as AsyncIterable<Buffer>) yield chunk;
}

/** Marks an error of the source, not of the archive: a lost connection says nothing about the document. */
export class SourceError extends Error {
  constructor(cause: unknown) {
    super('the source failed', { cause });
    this.name = 'SourceFailed';
  }
}

/** Bytes read at once for small reads: the directory is read in pieces of some fifty bytes. */
const WINDOW_BYTES = 64 * 1024;

export class SourceReader extends RandomAccessReader {
  private readonly source: ZipSource;
  private window: { readonly start: number; readonly bytes: Buffer } | undefined;

  constructor(source: ZipSource) {
    super();
    this.source = source;
  }

  // oxlint-disable-next-line max-params -- overrides the method of yauzl's RandomAccessReader
  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.fill(position, length).then(
      (bytes) => {
        bytes.copy(buffer, offset, 0, length);
        callback(bytes.length < length ? new Error('it ends too early') : null);
      },
      (error: unknown) => callback(error as Error),
    );
  }

  private async fill(position: number, length: number): Promise<Buffer> {
    const { window } = this;
    if (window && position >= window.start && position + length <= window.start + window.bytes.length)
      return window.bytes.subarray(position - window.start, position - window.start + length);
    const end = Math.min(this.source.size, position + Math.max(length, WINDOW_BYTES));
    const parts: Uint8Array[] = [];
    for await (const part of copiedPart(this.source, position, end)) parts.push(part);
    const bytes = Buffer.concat(parts);
    this.window = { start: position, bytes };
    return bytes.subarray(0, length);
  }
}

/** Copies each piece: the source may reuse its memory while a stream still holds it. */
async function* copiedPart(source: ZipSource, start: number, end: number): AsyncGenerator<Buffer, void, undefined> {
  try {
    for await (const piece of source.part(start, end)) yield Buffer.from(piece);
  } catch (cause) {
    throw new SourceError(cause);
  }
}
