/** What is known of a stored file. */
export interface FileStat {
  readonly size: number;
  /** When it was last written, ISO 8601. */
  readonly modified: string;
}

/** A file as a listing shows it. */
export interface FileEntry extends FileStat {
  readonly path: string;
}

/** What writing a file answers. */
export interface WrittenFile {
  readonly size: number;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly hash: string;
}

/** How a file is written. */
export interface WriteOptions {
  /** The bytes are like no others', such as sealed ones: looking for equal content is a waste. */
  readonly uniqueContent?: boolean;
}

/** A file that is not finished, by its name. */
export interface FilePart {
  readonly name: string;
  /** When it was last written, ISO 8601. */
  readonly modified: string;
}

/**
 * Files that come in pieces, each with a call of its own and perhaps through another process. A name is a UUID. Nobody sees
 * them among the location's files until they are kept. Two writers of one part at the same moment must be kept apart by who
 * calls: the location does not.
 */
export interface FileParts {
  /**
   * Writes a piece at a position, over what is there; at position 0 it makes the part. When this answers every process sees
   * the piece, and it outlives this one. On the disk it need not be before the part is kept: after a loss of power
   * it may be missing or hold other bytes, which who calls must find out.
   * Bytes before the position must be there: NOT_FOUND otherwise. A part that has been kept is STATE_REFUSES. UNAVAILABLE
   * where there is no room: the piece may be written in part.
   */
  write(name: string, position: number, bytes: readonly Uint8Array[]): Promise<void>;
  /** The bytes from `start` to before `end`, streaming. An unknown name is NOT_FOUND. */
  read(name: string, range: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>;
  /**
   * Gives the first `size` bytes a path as a file, durably, and says their hash; `look` is shown them all, in order. The part
   * stays, so that this can be done again; it is not written any more.
   */
  complete(name: string, size: number, path: string, look?: (piece: Uint8Array) => void): Promise<WrittenFile>;
  /** Removes a part; one that is not there is no error. What was kept of it stays. */
  delete(name: string): Promise<void>;
  list(): AsyncIterable<FilePart>;
}

/**
 * A named storage location. Paths are absolute within it, with `/` between names (`/Foreclosure/12/…/deed.pdf`); no path,
 * however it is written, leads out of the location's root: such a one is refused with BAD_PARAMETER.
 * A file is there whole or not at all: a write that fails or is cut off leaves nothing under the path.
 *
 * @example
 * const files = ctx.providers.get<FileObject>('file-object', 'Local');
 * const { hash } = await files.write('/Loan/7/a1/note.txt', bytes);
 */
export interface FileObject {
  /**
   * Writes a new file, streaming; it is durable when this answers. An existing path is refused with DUPLICATE_KEY. Where the
   * location has no room it is UNAVAILABLE.
   */
  write(path: string, bytes: AsyncIterable<Uint8Array>, options?: WriteOptions): Promise<WrittenFile>;
  /** The bytes of a file, streaming, from `start` (0) to before `end` (its size). An unknown path is NOT_FOUND. */
  read(path: string, range?: { readonly start?: number; readonly end?: number }): AsyncIterable<Uint8Array>;
  stat(path: string): Promise<FileStat | undefined>;
  /** Gives the bytes of a file a second path, durably; an existing one is refused with DUPLICATE_KEY. */
  copy(from: string, to: string): Promise<void>;
  /**
   * Removes a file; one that is not there is no error. Folders that this leaves empty go too, but not where the location is
   * shared: whoever sends files to a folder would find it gone.
   */
  delete(path: string): Promise<void>;
  /** The paths of the files in a folder, in order; with `depth` those of so many levels of folders below it too. */
  list(folder: string, options?: { readonly depth?: number }): AsyncIterable<string>;
  /** The same files, each with its size and time. One that is removed meanwhile is left out. */
  entries(folder: string, options?: { readonly depth?: number }): AsyncIterable<FileEntry>;
  /** Removes what writes that were cut off before an instant (ISO 8601) have left; answers how many there were. */
  removeUnfinished(before: string): Promise<number>;
  /**
   * Puts other bytes in the place of a file's, durably: a reader gets the old ones whole, or the new ones. Its other paths keep
   * theirs. An unknown path is NOT_FOUND. Absent where the location cannot: sealed files there keep the key that sealed them.
   */
  replace?(path: string, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile>;
  /** Takes files that come in pieces; absent where the location cannot. */
  readonly parts?: FileParts;
  /** Files here need not belong to documents: others put and take them, or copies stand by themselves. The platform removes nothing because no document points to it. */
  readonly shared?: true;
  /** Others write here piece by piece: a file that is listed may not be whole yet. */
  readonly gradual?: true;
  /** Looks whether the location can be reached and used as it is configured. @throws what is wrong, in words for an administrator */
  check?(): Promise<void>;
  /** Gives back what is held, such as connections, once what is under way has ended. */
  close?(): Promise<void>;
}

/** A saved storage location: what an administrator says of it, its secrets opened. Absent is what was left empty. */
export interface FileLocation {
  readonly id: number;
  readonly name: string;
  /** A folder: below the installation's folder of storages, the server's folder, or the beginning of all keys. */
  readonly folder?: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly bucket?: string;
  readonly pathStyle?: boolean;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly host?: string;
  readonly port?: number;
  readonly userName?: string;
  readonly password?: string;
  readonly privateKey?: string;
  readonly passphrase?: string;
  readonly hostKey?: string;
  readonly connectionsMax?: number;
  readonly timeoutSeconds?: number;
}

/** A column of a saved location that a kind of storage may use. */
export type LocationOption = Exclude<keyof FileLocation, 'id' | 'name'>;

/**
 * A kind of storage that saved locations may be of, registered by name under the contract `file-object-type`.
 *
 * @example
 * const files = ctx.providers.get<FileObjectType>('file-object-type', 's3').open(location);
 */
export interface FileObjectType {
  readonly required: readonly LocationOption[];
  readonly optional: readonly LocationOption[];
  /** Refuses what can never be a location, before it is saved. @throws BAD_PARAMETER that names the column */
  validate(location: FileLocation): void;
  /** The location as a file object. Nothing is connected before it is used. */
  open(location: FileLocation): FileObject;
}
