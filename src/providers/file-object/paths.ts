import { createHash, type Hash } from 'node:crypto';
import { PlatformError } from '../../kernel/door/errors.ts';

/** Longest path: the limit of an object store's key and of a document's path column. */
const PATH_BYTES_MAX = 1_000;
const NAME_BYTES_MAX = 255;
/** Prefix of files being written, until they get their final name. */
const PART_NAME = /^\.casewright-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.part$/;

/** Whether a name is that of a file being written. */
export function isPartName(name: string): boolean {
  return PART_NAME.test(name);
}

/** Returns a name for a file being written; `id` is a UUID. */
export function partName(id: string): string {
  return `.casewright-${id}.part`;
}

/** Whether a name is plain: it does not climb, hide or have control characters. */
export function isPlainName(name: string): boolean {
  return (
    name !== '' &&
    name !== '.' &&
    name !== '..' &&
    !/[\u0000-\u001f\u007f/\\]/.test(name) &&
    name.isWellFormed() &&
    Buffer.byteLength(name) <= NAME_BYTES_MAX &&
    !isPartName(name)
  );
}

/**
 * Returns the names of a path within a location, outermost first; none for `/`. Refuses, rather than cleans, an invalid
 * path.
 */
export function pathNames(path: string): readonly string[] {
  const names = path.split('/').filter((name) => name !== '');
  if (!path.startsWith('/') || !names.every(isPlainName) || Buffer.byteLength(path) > PATH_BYTES_MAX) throw badPath();
  return names;
}

/** Returns the names of a file's path; refuses `/` alone. */
export function filePathNames(path: string): readonly string[] {
  const names = pathNames(path);
  if (names.length === 0) throw badPath();
  return names;
}

function badPath(): PlatformError {
  return new PlatformError('BAD_PARAMETER', {
    field: 'Path',
    message: 'Path: expected an absolute path of plain names within the storage location.',
  });
}

/** The error for a path at which something is stored already. */
export function alreadyExists(path: string): PlatformError {
  return new PlatformError('DUPLICATE_KEY', {
    field: 'Path',
    message: `Path: ${path.slice(0, 200)} exists already.`,
  });
}

/** The error for a path at which nothing is stored. */
export function fileNotFound(): PlatformError {
  return new PlatformError('NOT_FOUND', { message: 'The stored file is missing.' });
}

/** The error for a location without free space. */
export function storageFull(cause?: unknown): PlatformError {
  return new PlatformError('UNAVAILABLE', {
    message: 'The storage location is full at the moment; send the call again once there is space.',
    cause,
  });
}

/** The error for a location that does not respond, or refuses access. */
export function locationUnavailable(location: string, what: string, cause?: unknown): PlatformError {
  return new PlatformError('UNAVAILABLE', { message: `The storage location ${location} ${what}.`, cause });
}

/** Counts and hashes the bytes that pass through. */
export class ContentDigest {
  size = 0;
  private readonly hash: Hash = createHash('sha256');

  add(piece: Uint8Array): void {
    this.size += piece.length;
    this.hash.update(piece);
  }

  /** Returns the totals; no bytes can be added afterwards. */
  written(): { readonly size: number; readonly hash: string } {
    return { size: this.size, hash: this.hash.digest('hex') };
  }
}

/** Collects a stream into chunks of one size; the last may be shorter. Each has its own memory. */
export async function* fixedSizePieces(bytes: AsyncIterable<Uint8Array>, size: number): AsyncIterable<Buffer> {
  let held: Uint8Array[] = [];
  let length = 0;
  for await (const piece of bytes) {
    for (let at = 0; at < piece.length;) {
      const taken = piece.subarray(at, at + size - length);
      held.push(taken);
      length += taken.length;
      at += taken.length;
      if (length < size) continue;
      yield Buffer.concat(held, length);
      [held, length] = [[], 0];
    }
  }
  if (length > 0) yield Buffer.concat(held, length);
}
