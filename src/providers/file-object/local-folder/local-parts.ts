import { createHash, type Hash } from 'node:crypto';
import { mkdir, open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { CompletedFile, FilePart, FileParts } from '../../../contracts/file-object.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { Cache } from '../../../kernel/time/cache.ts';
import { hashOf, READ_BYTES, type Contents } from './contents.ts';
import { filePieces } from './file-pieces.ts';
import { codeOf, toStorageError, isMissing, fileNotFound, emptyWhenMissing, syncFolder } from './folders.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../private-modes.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Most parts whose hash is continued from piece to piece; those of others are read again when they are completed. */
const HASHES_MAX = 1_000;

/** Hash and CRC-32 of a part up to a position, if this process has written all of it, in order. */
interface PartHash {
  readonly position: number;
  readonly sha256: Hash;
  readonly checksum: number;
}

/** Uploads in parts, in a folder beside the finished files. A finished part becomes a file by an extra hard link. */
export class LocalParts implements FileParts {
  private readonly hashes = new Cache<string, PartHash>({ max: HASHES_MAX });
  /** Parts whose last sync failed: the system takes their bytes for written from then on. */
  private readonly unsynced = new Set<string>();
  private readonly folder: string;
  private readonly contents: Contents;
  private readonly inside: (path: string) => string;

  constructor(folder: string, contents: Contents, inside: (path: string) => string) {
    this.folder = folder;
    this.contents = contents;
    this.inside = inside;
  }

  async write(name: string, position: number, bytes: readonly Uint8Array[], before = 0): Promise<number> {
    const known = position === 0 ? emptyHash() : this.hashes.get(name);
    this.hashes.delete(name);
    const checksum = await this.writeTo(name, position, bytes, before);
    // Another process may have written the bytes before these.
    if (known?.position === position && known.checksum === before) this.hashLater(name, known, bytes, checksum);
    return checksum;
  }

  private async writeTo(name: string, position: number, bytes: readonly Uint8Array[], before: number): Promise<number> {
    try {
      const file = position === 0 ? await this.make(name) : await open(this.pathOf(name), 'r+');
      try {
        const { size, nlink } = await file.stat();
        // A hole would be read as zeros: somebody has removed the beginning.
        if (size < position) throw fileNotFound();
        // It is a file's content already, possibly that of several.
        if (nlink > 1)
          throw new PlatformError('STATE_REFUSES', {
            message: 'The upload is complete; it cannot be written any more.',
          });
        const writing = writeAll(file, bytes, position);
        // The disk writes while the processor computes.
        const checksum = bytes.reduce((sum, piece) => crc32(piece, sum), before);
        await writing;
        return checksum;
      } finally {
        // Shared storage shows written data to other machines once the file is closed.
        await file.close();
      }
    } catch (error) {
      throw isMissing(error) ? fileNotFound() : toStorageError(error);
    }
  }

  async *read(name: string, range: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array> {
    try {
      yield* filePieces(this.pathOf(name), range);
    } catch (error) {
      throw isMissing(error) ? fileNotFound() : error;
    }
  }

  async complete(name: string, size: number, path: string, checksum?: number): Promise<CompletedFile> {
    const target = this.inside(path);
    const part = this.pathOf(name);
    try {
      const [digests] = await Promise.all([this.digestsOf(name, size, checksum), this.cutAndSync(name, size)]);
      await this.contents.keep(part, digests.hash, target);
      await this.contents.share(target, part);
      return { size, ...digests };
    } catch (error) {
      if (codeOf(error) === 'EEXIST')
        throw new PlatformError('DUPLICATE_KEY', { field: 'Path', message: 'Path: a file exists there already.' });
      throw isMissing(error) ? fileNotFound() : toStorageError(error);
    }
  }

  async delete(name: string): Promise<void> {
    this.hashes.delete(name);
    this.unsynced.delete(name);
    await this.contents.delete(this.pathOf(name));
  }

  async *list(): AsyncIterable<FilePart> {
    for (const name of await readdir(this.folder).catch(emptyWhenMissing)) {
      const found = await stat(join(this.folder, name)).catch(() => undefined);
      if (found?.isFile() && UUID.test(name)) yield { name, modified: found.mtime.toISOString() };
    }
  }

  /**
   * Continues the hash of a part once the caller's next message to the database is sent: one turn of the event loop
   * collects what is sent, the next one sends it. So the processor hashes while the caller waits for its commit. A
   * caller that has freed the memory of the bytes before is no error: the part is read when it is completed.
   */
  private hashLater(name: string, known: PartHash, bytes: readonly Uint8Array[], checksum: number): void {
    const length = lengthOf(bytes);
    const update = (): void => {
      if (lengthOf(bytes) !== length) return;
      for (const piece of bytes) known.sha256.update(piece);
      this.hashes.set(name, { position: known.position + length, sha256: known.sha256, checksum });
    };
    setImmediate(() => setImmediate(update));
  }

  /**
   * Returns hash and CRC-32 of a part. What this process has hashed as it wrote is not read again: as long as it
   * runs, a failure to bring the bytes to disk is an error of the sync.
   */
  private async digestsOf(name: string, size: number, expected?: number): Promise<Omit<CompletedFile, 'size'>> {
    const known = this.hashes.get(name);
    if (known?.position === size && known.checksum === expected)
      return { hash: known.sha256.copy().digest('hex'), checksum: known.checksum };
    let checksum = 0;
    const hash = await hashOf(this.pathOf(name), size, (piece) => (checksum = crc32(piece, checksum)));
    return { hash, checksum };
  }

  private async make(name: string): Promise<FileHandle> {
    const path = this.pathOf(name);
    await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
    try {
      const file = await open(path, 'wx+', PRIVATE_FILE);
      await syncFolder(dirname(path));
      return file;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      return open(path, 'r+');
    }
  }

  /** Removes what an unacknowledged chunk left beyond the end, and syncs the rest to disk. */
  private async cutAndSync(name: string, size: number): Promise<void> {
    const file = await open(this.pathOf(name), 'r+');
    try {
      const found = await file.stat();
      if (found.size < size) throw fileNotFound();
      if (found.size > size) await file.truncate(size);
      if (this.unsynced.has(name)) await rewrite(file, size);
      await file.sync();
      this.unsynced.delete(name);
    } catch (error) {
      // The next attempt reads all of it again.
      this.unsynced.add(name);
      this.hashes.delete(name);
      throw error;
    } finally {
      await file.close();
    }
  }

  private pathOf(name: string): string {
    if (!UUID.test(name))
      throw new PlatformError('BAD_PARAMETER', { field: 'Name', message: 'Name: expected a UUID in lower case.' });
    return join(this.folder, name);
  }
}

/** Writes the bytes of a file to where they are, so that a sync has all of them to write again. */
async function rewrite(file: FileHandle, size: number): Promise<void> {
  const buffer = Buffer.alloc(READ_BYTES);
  for (let at = 0; at < size;) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(READ_BYTES, size - at), at);
    if (bytesRead === 0) throw fileNotFound();
    await writeAll(file, [buffer.subarray(0, bytesRead)], at);
    at += bytesRead;
  }
}

function emptyHash(): PartHash {
  return { position: 0, sha256: createHash('sha256'), checksum: 0 };
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** Writes every byte, in as many calls as it takes. */
async function writeAll(file: FileHandle, pieces: readonly Uint8Array[], position: number): Promise<void> {
  let [left, at] = [pieces.filter((piece) => piece.length > 0), position];
  while (left.length > 0) {
    const { bytesWritten } = await file.writev(left, at);
    at += bytesWritten;
    left = skipBytes(left, bytesWritten);
  }
}

/** Truncates what chunks left beyond a number of bytes. */
function skipBytes(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skipped = bytes;
  return pieces.flatMap((piece) => {
    const skip = Math.min(skipped, piece.length);
    skipped -= skip;
    return skip === piece.length ? [] : [piece.subarray(skip)];
  });
}
