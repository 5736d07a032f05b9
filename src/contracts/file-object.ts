/** What is known of a stored file. */
export interface FileStat {
  readonly size: number;
  /** When it was last written, ISO 8601. */
  readonly modified: string;
}

/** What writing a file answers. */
export interface WrittenFile {
  readonly size: number;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly hash: string;
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
  /** Writes a new file, streaming; it is durable when this answers. An existing path is refused with DUPLICATE_KEY. */
  write(path: string, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile>;
  /** The bytes of a file, streaming, from `start` (0) to before `end` (its size). An unknown path is NOT_FOUND. */
  read(path: string, range?: { readonly start?: number; readonly end?: number }): AsyncIterable<Uint8Array>;
  stat(path: string): Promise<FileStat | undefined>;
  /** Gives the bytes of a file a second path, durably; an existing one is refused with DUPLICATE_KEY. */
  copy(from: string, to: string): Promise<void>;
  /** Removes a file, and the folders that this leaves empty; one that is not there is no error. */
  delete(path: string): Promise<void>;
  /** The paths of the files in a folder, in order; with `depth` those of so many levels of folders below it too. */
  list(folder: string, options?: { readonly depth?: number }): AsyncIterable<string>;
  /** Removes what writes that were cut off before an instant (ISO 8601) have left; answers how many there were. */
  removeUnfinished(before: string): Promise<number>;
}
