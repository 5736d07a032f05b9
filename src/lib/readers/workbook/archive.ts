import { crc32 } from 'node:zlib';
import { fromRandomAccessReaderPromise, type Entry, type ZipFile } from 'yauzl';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { ImportSource } from '../../../contracts/import-engine.ts';
import { documentError } from '../columns.ts';
import { formatCount } from '../limits.ts';
import { inflatedBytes, SourceError, SourceReader } from '../zip/zip-source.ts';

/** Most files in a workbook: two for each worksheet, some for pictures and styles. */
const ENTRIES_MAX = 10_000;
/** Largest unpacked part of a workbook: a million rows of some hundred columns. */
const INFLATED_BYTES_MAX = 16 * 1024 * 1024 * 1024;
/**
 * Largest ratio. A worksheet shrinks to a tenth, one of equal cells to a hundredth, a bomb to a thousandth. Small files
 * may shrink further.
 */
const RATIO_MAX = 250;
const RATIO_FROM_BYTES = 4 * 1024 * 1024;

/** The files in a workbook, by name ignoring case, read on demand. */
export interface Archive {
  /** File names as written, in order. */
  readonly names: readonly string[];
  has(name: string): boolean;
  /**
   * Reads the inflated bytes of a file.
   * @throws BAD_PARAMETER if it is damaged or too large
   */
  read(name: string): AsyncIterable<Uint8Array>;
}

/** Whether these are the first bytes of a ZIP archive. */
export function isArchive(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
}

/** Whether these are the first bytes of an encrypted workbook or one from before 2007. */
export function isCompoundFile(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, 8)).equals(Buffer.from('d0cf11e0a1b11ae1', 'hex'));
}

/**
 * Opens a workbook by the directory at its end.
 * @throws BAD_PARAMETER if it is cut off or not an archive
 */
export async function openArchive(source: ImportSource): Promise<Archive> {
  let file: ZipFile;
  const entries = new Map<string, Entry>();
  try {
    file = await fromRandomAccessReaderPromise(new SourceReader(source), source.size, {
      lazyEntries: true,
      autoClose: false,
    });
    if (file.entryCount > ENTRIES_MAX)
      throw documentError(
        `The workbook contains ${formatCount(file.entryCount)} files; at most ${formatCount(ENTRIES_MAX)} are read.`,
      );
    for await (const entry of file.eachEntry()) {
      const name = entry.fileName.toLowerCase();
      if (entries.has(name))
        throw documentError(`The workbook contains two files named ${entry.fileName.slice(0, 100)}.`);
      entries.set(name, entry);
    }
  } catch (error) {
    throw archiveError(error);
  }
  return {
    names: [...entries.values()].map(({ fileName }) => fileName),
    has: (name) => entries.has(name.toLowerCase()),
    async *read(name) {
      const entry = entries.get(name.toLowerCase());
      if (!entry)
        throw documentError(`The workbook lacks its part ${name.slice(0, 100)}: it is damaged or not a workbook.`);
      if (entry.isEncrypted()) throw documentError('The workbook is encrypted; send it without a password.');
      // The declared sizes are checked against the actual bytes below, so nothing is unpacked to find them out.
      if (entry.uncompressedSize > RATIO_FROM_BYTES && entry.uncompressedSize > RATIO_MAX * entry.compressedSize)
        throw documentError(
          `A part of the workbook unpacks to more than ${RATIO_MAX} times its size, which no worksheet does.`,
        );
      let own = 0;
      let check = 0;
      try {
        for await (const chunk of inflatedBytes(source, file, entry)) {
          own += chunk.length;
          check = crc32(chunk, check);
          if (own > INFLATED_BYTES_MAX)
            throw documentError(
              `A part of the workbook unpacks to more than ${formatCount(INFLATED_BYTES_MAX)} bytes, which ` +
                'no worksheet does.',
            );
          if (own > entry.uncompressedSize) break;
          yield chunk;
        }
        if (own !== entry.uncompressedSize || check !== entry.crc32)
          throw new Error(`${entry.fileName.slice(0, 100)} does not match its directory entry`);
      } catch (error) {
        throw archiveError(error);
      }
    },
  };
}

/** Errors of the source are passed on; any other error means that the archive is damaged. */
function archiveError(error: unknown): unknown {
  if (error instanceof SourceError) return error.cause;
  if (error instanceof PlatformError || !(error instanceof Error)) return error;
  // Where the directory of the archive is missing, the file was cut off; its name says nothing to a sender.
  const detail = /central directory/i.test(error.message) ? '' : ` (${error.message.slice(0, 200)})`;
  return new PlatformError('BAD_PARAMETER', {
    message: `The workbook cannot be read; it was cut off or is damaged${detail}. Save it and send the whole file.`,
    cause: error,
  });
}
