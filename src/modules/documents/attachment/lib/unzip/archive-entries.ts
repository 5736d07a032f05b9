import { fromRandomAccessReaderPromise, getFileNameLowLevel, type Entry, type ZipFile } from 'yauzl';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { SourceError, SourceReader, type ZipSource } from '../../../../../lib/readers/zip/zip-source.ts';
import { plainFileName } from '../file-content.ts';

/** Limits of an archive. */
export interface ArchiveLimits {
  readonly filesMax: number;
  /** Of all files together, unpacked. */
  readonly bytesMax: number;
}

/**
 * Largest ratio. Text shrinks to a tenth, a picture of one color to a hundredth, a bomb to a thousandth. Small files
 * may shrink further.
 */
const RATIO_MAX = 250;
const RATIO_FROM_BYTES = 4 * 1024 * 1024;
/** Longest path, which becomes the document's name. */
const PATH_CHARACTERS_MAX = 255;
/** Folders in which macOS keeps what it knows about the files of an archive. */
const RESOURCE_FOLDER = '__MACOSX/';

/** Type of a symbolic link in the mode that Unix archives store in the upper half of the attributes. */
const LINK_MODE = 0o120000;
const MODE_MASK = 0o170000;

/** A file in an archive. */
export interface ArchiveEntry {
  readonly entry: Entry;
  /** With its folders: `letters/2026/deed.pdf`. */
  readonly path: string;
  readonly fileName: string;
}

/** A file that keeps its archive from being unpacked. */
export interface EntryProblem {
  readonly path: string;
  /** What is wrong with it: "is encrypted". */
  readonly problem: string;
}

/** The files of an archive, or what is wrong with them. */
export interface ArchiveListing {
  readonly zip: ZipFile;
  readonly entries: readonly ArchiveEntry[];
  readonly problems: readonly EntryProblem[];
}

/** Thrown for a file that is no zip archive, is damaged, or has too many files; the message says which. */
export class UnreadableArchive extends Error {}

/** Lists an archive by the directory at its end, without unpacking anything. @throws UnreadableArchive */
export async function listArchive(source: ZipSource, limits: ArchiveLimits): Promise<ArchiveListing> {
  const entries: ArchiveEntry[] = [];
  const problems: EntryProblem[] = [];
  const paths = new Set<string>();
  let [unpacked, packed] = [0, 0];
  try {
    const zip = await fromRandomAccessReaderPromise(new SourceReader(source), source.size, {
      lazyEntries: true,
      autoClose: false,
      // Names are judged below, so that all bad ones are reported, not the first.
      decodeStrings: false,
    });
    if (zip.entryCount > limits.filesMax)
      throw new UnreadableArchive(
        `has ${zip.entryCount} files; at most ${limits.filesMax} are unpacked (UnzipFilesMax)`,
      );
    for await (const entry of zip.eachEntry()) {
      const path = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true);
      if (path.endsWith('/') || path.startsWith(RESOURCE_FOLDER)) continue;
      unpacked += entry.uncompressedSize;
      packed += entry.compressedSize;
      const fileName = plainFileName(path.slice(path.lastIndexOf('/') + 1));
      const problem = problemOf(entry, path, fileName) ?? (paths.has(path) ? 'is in the archive twice' : undefined);
      paths.add(path);
      if (problem !== undefined) problems.push({ path: path.slice(0, PATH_CHARACTERS_MAX), problem });
      else if (fileName !== undefined) entries.push({ entry, path, fileName });
    }
    if (unpacked > limits.bytesMax)
      throw new UnreadableArchive(
        `unpacks to ${unpacked} bytes; at most ${limits.bytesMax} are unpacked (UnzipMegabytesMax)`,
      );
    if (packed > source.size) throw new UnreadableArchive('has overlapping files, as zip bombs do');
    return { zip, entries, problems };
  } catch (error) {
    throw archiveError(error);
  }
}

/** Returns the error to throw for one of reading an archive: those of the storage location are passed on. */
export function archiveError(error: unknown): unknown {
  if (error instanceof SourceError) return error.cause;
  if (error instanceof UnreadableArchive || error instanceof PlatformError || !(error instanceof Error)) return error;
  if (/central directory/i.test(error.message)) return new UnreadableArchive('is not a whole zip archive');
  return new UnreadableArchive(`is damaged (${error.message.slice(0, 200)})`);
}

function problemOf(entry: Entry, path: string, fileName: string | undefined): string | undefined {
  return nameProblem(path, fileName) ?? contentProblem(entry);
}

function nameProblem(path: string, fileName: string | undefined): string | undefined {
  if (/^\/|^[a-z]:/i.test(path)) return 'has an absolute path';
  const folders = path.split('/').slice(0, -1);
  if (path.includes('\\')) return 'has a backslash in its name';
  if (folders.some((folder) => folder === '..' || folder === '.')) return 'leads out of its folder';
  if (fileName === undefined || folders.some((folder) => plainFileName(folder) === undefined))
    return 'has a name that files cannot have';
  return path.length > PATH_CHARACTERS_MAX ? `has a path of more than ${PATH_CHARACTERS_MAX} characters` : undefined;
}

function contentProblem(entry: Entry): string | undefined {
  if (entry.isEncrypted()) return 'is encrypted; unpack it with its password and upload the files';
  if (((entry.externalFileAttributes >>> 16) & MODE_MASK) === LINK_MODE) return 'is a link, not a file';
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) return 'is compressed by an unknown method';
  const isBomb =
    entry.uncompressedSize > RATIO_FROM_BYTES && entry.uncompressedSize > RATIO_MAX * Math.max(1, entry.compressedSize);
  return isBomb ? `unpacks to more than ${RATIO_MAX} times its size` : undefined;
}
