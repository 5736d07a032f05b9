import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FilePart, FileParts, WrittenFile } from '../../../contracts/file-object.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { hashOf, READ_BYTES, type Contents } from './contents.ts';
import { codeOf, toStorageError, isMissing, fileNotFound, emptyWhenMissing, syncFolder } from './folders.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../private-modes.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Uploads in parts, in a folder beside the finished files. A finished part becomes a file by an extra hard link. */
export class LocalParts implements FileParts {
  private readonly folder: string;
  private readonly contents: Contents;
  private readonly inside: (path: string) => string;

  constructor(folder: string, contents: Contents, inside: (path: string) => string) {
    this.folder = folder;
    this.contents = contents;
    this.inside = inside;
  }

  async write(name: string, position: number, bytes: readonly Uint8Array[]): Promise<void> {
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
        await writeAll(file, bytes, position);
      } finally {
        // Shared storage shows written data to other machines once the file is closed.
        await file.close();
      }
    } catch (error) {
      throw isMissing(error) ? fileNotFound() : toStorageError(error);
    }
  }

  async *read(
    name: string,
    { start, end }: { readonly start: number; readonly end: number },
  ): AsyncIterable<Uint8Array> {
    if (end <= start) return;
    try {
      yield* createReadStream(this.pathOf(name), {
        start,
        end: end - 1,
        highWaterMark: READ_BYTES,
      }) as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw isMissing(error) ? fileNotFound() : error;
    }
  }

  async complete(name: string, size: number, path: string, look?: (piece: Uint8Array) => void): Promise<WrittenFile> {
    const target = this.inside(path);
    const part = this.pathOf(name);
    try {
      // The disk writes while the processor hashes.
      const [digest] = await Promise.all([hashOf(part, size, look), this.cutAndSync(part, size)]);
      await this.contents.keep(part, digest, target);
      await this.contents.share(target, part);
      return { size, hash: digest };
    } catch (error) {
      if (codeOf(error) === 'EEXIST')
        throw new PlatformError('DUPLICATE_KEY', { field: 'Path', message: 'Path: a file exists there already.' });
      throw isMissing(error) ? fileNotFound() : toStorageError(error);
    }
  }

  async delete(name: string): Promise<void> {
    await this.contents.delete(this.pathOf(name));
  }

  async *list(): AsyncIterable<FilePart> {
    for (const name of await readdir(this.folder).catch(emptyWhenMissing)) {
      const found = await stat(join(this.folder, name)).catch(() => undefined);
      if (found?.isFile() && UUID.test(name)) yield { name, modified: found.mtime.toISOString() };
    }
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
  private async cutAndSync(path: string, size: number): Promise<void> {
    const file = await open(path, 'r+');
    try {
      const found = await file.stat();
      if (found.size < size) throw fileNotFound();
      if (found.size > size) await file.truncate(size);
      await file.sync();
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
