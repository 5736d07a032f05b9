import type { ParameterFields } from '../kernel/declare/field-types.ts';
import { contract } from '../kernel/ports/providers.ts';
import type { ProviderType } from './provider-options.ts';

/** Size and time of a stored file. */
export interface FileStat {
  readonly size: number;
  /** When it was last written, ISO 8601. */
  readonly modified: string;
}

/** A file as a listing returns it. */
export interface FileEntry extends FileStat {
  readonly path: string;
}

/** Size of a disk and what is free of it, in bytes. */
export interface DiskSpace {
  readonly size: number;
  readonly free: number;
}

/** Result of writing a file. */
export interface WrittenFile {
  readonly size: number;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly hash: string;
}

/** Result of completing a file. */
export interface CompletedFile extends WrittenFile {
  /** CRC-32 of the bytes. */
  readonly checksum: number;
}

/** Options of a write. */
export interface WriteOptions {
  /** The content is unique, such as sealed bytes: do not search for equal content. */
  readonly uniqueContent?: boolean;
}

/** A small file to be written with others. */
export interface NewFile extends WriteOptions {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Options of reading. */
export interface ReadOptions {
  /** The first byte, 0 by default. */
  readonly start?: number;
  /** The byte before which to end, by default the size of the file. */
  readonly end?: number;
  /** The location may use the memory of a piece again once the next one is requested: for readers that keep none. */
  readonly reuse?: boolean;
}

/** An unfinished file. */
export interface FilePart {
  readonly name: string;
  /** When it was last written, ISO 8601. */
  readonly modified: string;
}

/**
 * Files that are uploaded in pieces, each by its own call and perhaps through another process. A name is a UUID. The
 * parts are not visible among the location's files until they are completed. The caller must prevent two writers of one
 * part at the same moment; the location does not.
 */
export interface FileParts {
  /**
   * Writes a piece at a position, over existing bytes; at position 0 it creates the part. Afterwards every process sees
   * the piece, and it outlives this process, but it need not be on disk before the part is completed: after a power
   * failure it may be missing or hold other bytes, which the caller must detect. `before` is the CRC-32 of all bytes
   * before the position (0 at the beginning); returns the CRC-32 continued over the piece.
   * @throws NOT_FOUND if bytes before the position are missing, STATE_REFUSES for a completed part, UNAVAILABLE without
   * space: the piece may be written in part
   */
  write(name: string, position: number, bytes: readonly Uint8Array[], before?: number): Promise<number>;
  /**
   * Streams the bytes from `start` to before `end`.
   * @throws NOT_FOUND for an unknown name
   */
  read(name: string, range: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>;
  /**
   * Gives the first `size` bytes a path as a file, durably, and returns their hash and CRC-32. With `checksum`, the
   * CRC-32 that the writes returned, bytes that this process has written and hashed need not be read again. The part
   * stays, so that this can be repeated, but is no longer written.
   */
  complete(name: string, size: number, path: string, checksum?: number): Promise<CompletedFile>;
  /** Deletes a part; a missing one is no error. The completed file stays. */
  delete(name: string): Promise<void>;
  list(): AsyncIterable<FilePart>;
}

/**
 * A named storage location. Paths are absolute within it, with `/` between names (`/Foreclosure/12/…/deed.pdf`). A path
 * that leads out of the location's root, however it is written, is refused with BAD_PARAMETER. A file is stored as a
 * whole or not at all: a failed or interrupted write leaves nothing under the path.
 *
 * @example
 * const files = ctx.providers.get(FILE_OBJECT, 'Local');
 * const { hash } = await files.write('/Loan/7/a1/note.txt', bytes);
 */
export interface FileObject {
  /**
   * Writes a new file from a stream; it is durable on return.
   * @throws DUPLICATE_KEY for an existing path, UNAVAILABLE without space
   */
  write(path: string, bytes: AsyncIterable<Uint8Array>, options?: WriteOptions): Promise<WrittenFile>;
  /**
   * Writes several small new files in one step; all are durable on return, or none is stored. Returns the results in
   * the order of the files. Absent if the location writes them one by one in any case.
   * @throws as {@link write} does
   */
  writeMany?(files: readonly NewFile[]): Promise<readonly WrittenFile[]>;
  /**
   * Streams the bytes of a file from `start` (0) to before `end` (its size).
   * @throws NOT_FOUND for an unknown path
   */
  read(path: string, options?: ReadOptions): AsyncIterable<Uint8Array>;
  stat(path: string): Promise<FileStat | undefined>;
  /**
   * Gives the bytes of a file a second path, durably.
   * @throws DUPLICATE_KEY for an existing path
   */
  copy(from: string, to: string): Promise<void>;
  /**
   * Deletes a file; a missing one is no error. Deletes folders that become empty, except in a shared location, where a
   * sender would miss the folder.
   */
  delete(path: string): Promise<void>;
  /** Lists the paths of the files in a folder, in order; `depth` includes that many levels of subfolders. */
  list(folder: string, options?: { readonly depth?: number }): AsyncIterable<string>;
  /** Lists the same files with size and time; skips those removed meanwhile. */
  entries(folder: string, options?: { readonly depth?: number }): AsyncIterable<FileEntry>;
  /** Deletes what writes interrupted before an instant (ISO 8601) have left. Returns how many. */
  removeUnfinished(before: string): Promise<number>;
  /**
   * Replaces a file's bytes, durably: a reader gets all of the old ones or all of the new ones. Other paths of the file
   * keep theirs. Absent if the location cannot; sealed files there keep the key that sealed them.
   * @throws NOT_FOUND for an unknown path
   */
  replace?(path: string, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile>;
  /** Files uploaded in pieces; absent if the location cannot. */
  readonly parts?: FileParts;
  /**
   * Files here need not belong to documents: others put and take them. The platform deletes no file for lack of a
   * document.
   */
  readonly shared?: true;
  /** Others write here piece by piece: a listed file may be incomplete. */
  readonly gradual?: true;
  /**
   * Checks that the location can be reached and used as configured.
   * @throws an error that explains the problem to an administrator
   */
  check?(): Promise<void>;
  /** Returns how large the disk of the location is, and how much of it is free; absent if that is not known. */
  space?(): Promise<DiskSpace>;
  /** Releases resources such as connections, once pending work has ended. */
  close?(): Promise<void>;
}

/**
 * A type of storage for saved locations, registered by name under {@link FILE_OBJECT_TYPE}.
 *
 * @example
 * const files = ctx.providers.get(FILE_OBJECT_TYPE, 's3').open(saved);
 */
export type FileObjectType<O extends ParameterFields = ParameterFields> = ProviderType<FileObject, O>;

/** Storage locations by name; the first is where documents are stored. */
export const FILE_OBJECT = contract<FileObject>('file-object');

/** Types of storage for saved locations. */
export const FILE_OBJECT_TYPE = contract<FileObjectType>('file-object-type');
