import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, existsSync } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type {
  DiskSpace,
  FileEntry,
  FileObject,
  FileParts,
  FileStat,
  NewFile,
  ReadOptions,
  WriteOptions,
  WrittenFile,
} from '../../../contracts/file-object.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { Contents } from './contents.ts';
import { filePieces } from './file-pieces.ts';
import {
  codeOf,
  toStorageError,
  isMissing,
  linkDurably,
  fileNotFound,
  emptyWhenMissing,
  removeEmptyAbove,
  syncFolder,
} from './folders.ts';
import { LocalParts } from './local-parts.ts';
import { diskSpaceOf } from '../disk-space.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../private-modes.ts';
import { writeInThreads } from './write-threads.ts';

/** Internal folders of the location, which no path can enter. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['.parts', '.contents', '.uploads']);

/** A storage location in a folder of this machine, or of storage that all nodes share. Equal content is stored once. */
export class LocalFolder implements FileObject {
  readonly parts: FileParts;
  private readonly root: string;
  private realRoot: string | undefined;
  private readonly contents: Contents;

  constructor(root: string) {
    this.root = resolve(root);
    // Earlier versions created it readable by others.
    if (existsSync(this.root)) chmodSync(this.root, PRIVATE_FOLDER);
    this.contents = new Contents(this.root);
    this.parts = new LocalParts(join(this.root, '.uploads'), this.contents, (path) => this.resolvePath(path));
  }

  async write(
    path: string,
    bytes: AsyncIterable<Uint8Array>,
    { uniqueContent: unlike = false }: WriteOptions = {},
  ): Promise<WrittenFile> {
    const target = this.resolvePath(path);
    const parts = join(this.root, '.parts');
    const part = join(parts, randomUUID());
    try {
      await mkdir(parts, { recursive: true, mode: PRIVATE_FOLDER });
      const written = await writeSynced(part, bytes);
      await (unlike ? linkDurably(part, target) : this.contents.keep(part, written.hash, target));
      return written;
    } catch (error) {
      throw codeOf(error) === 'EEXIST' ? alreadyExists(path) : toStorageError(error);
    } finally {
      await rm(part, { force: true });
    }
  }

  async writeMany(files: readonly NewFile[]): Promise<readonly WrittenFile[]> {
    const placed = files.map((file) => ({ ...file, target: this.resolvePath(file.path) }));
    const { written, failure } = await writeInThreads(
      this.root,
      placed.map(({ target, bytes, uniqueContent = false }) => ({ target, bytes, isUnique: uniqueContent })),
    );
    if (!failure) return written.flatMap((one) => (one ? [one] : []));
    for (const [n, { path }] of placed.entries()) if (written[n]) await this.delete(path);
    throw codeOf(failure) === 'EEXIST'
      ? alreadyExists(files.map(({ path }) => path).join(' '))
      : toStorageError(failure);
  }

  space(): Promise<DiskSpace> {
    return diskSpaceOf(this.root);
  }

  async replace(path: string, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile> {
    const target = this.resolvePath(path);
    const part = join(this.root, '.parts', randomUUID());
    try {
      await mkdir(dirname(part), { recursive: true, mode: PRIVATE_FOLDER });
      const written = await writeSynced(part, bytes);
      if (!(await this.stat(path))) throw fileNotFound();
      await rename(part, target);
      await syncFolder(dirname(target));
      return written;
    } catch (error) {
      throw toStorageError(error);
    } finally {
      await rm(part, { force: true });
    }
  }

  async *read(path: string, options: ReadOptions = {}): AsyncIterable<Uint8Array> {
    const target = this.resolvePath(path);
    const found = await this.stat(path);
    if (!found) throw fileNotFound();
    yield* filePieces(target, { start: 0, end: found.size, ...options });
  }

  async stat(path: string): Promise<FileStat | undefined> {
    try {
      const target = this.resolvePath(path);
      const [found, isInside] = await Promise.all([lstat(target), this.isInsideRoot(target)]);
      return found.isFile() && isInside ? { size: found.size, modified: found.mtime.toISOString() } : undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async copy(from: string, to: string): Promise<void> {
    const [source, target] = [this.resolvePath(from), this.resolvePath(to)];
    try {
      // Files are never changed in place, so a second link to the same bytes is a copy.
      await this.contents.link(source, target);
    } catch (error) {
      throw codeOf(error) === 'EEXIST' ? alreadyExists(to) : toStorageError(error);
    }
  }

  async delete(path: string): Promise<void> {
    const target = this.resolvePath(path);
    await this.contents.delete(target);
    // Each document has its own folder, which would otherwise stay forever.
    await removeEmptyAbove(target, this.root);
  }

  async removeUnfinished(before: string): Promise<number> {
    const parts = join(this.root, '.parts');
    let removed = await this.contents.removeUnheld(before);
    for (const name of await readdir(parts).catch(emptyWhenMissing)) {
      const found = await stat(join(parts, name)).catch(() => undefined);
      if (!found || found.mtime.toISOString() >= before) continue;
      await rm(join(parts, name), { force: true });
      removed++;
    }
    return removed;
  }

  async *list(folder: string, options: { readonly depth?: number } = {}): AsyncIterable<string> {
    const { depth = 0 } = options;
    const entries = await readdir(this.resolvePath(folder), { withFileTypes: true }).catch(emptyWhenMissing);
    // Normalize, so that each file has one path: records refer to files by path.
    const base = folder.replace(/\/+/g, '/').replace(/\/$/, '');
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (RESERVED_NAMES.has(entry.name)) continue;
      if (entry.isFile()) yield `${base}/${entry.name}`;
      else if (entry.isDirectory() && depth > 0) yield* this.list(`${base}/${entry.name}`, { depth: depth - 1 });
    }
  }

  async *entries(folder: string, options: { readonly depth?: number } = {}): AsyncIterable<FileEntry> {
    for await (const path of this.list(folder, options)) {
      const found = await this.stat(path);
      if (found) yield { path, ...found };
    }
  }

  /** Whether a path is inside the root once links above it are followed. */
  private async isInsideRoot(target: string): Promise<boolean> {
    this.realRoot ??= await realpath(this.root);
    const folder = await realpath(dirname(target));
    return folder === this.realRoot || folder.startsWith(`${this.realRoot}${sep}`);
  }

  /**
   * Returns the file of a path below the root. Refuses, rather than cleans, names that climb, hide or have control
   * characters.
   */
  private resolvePath(path: string): string {
    const names = path.split('/').filter((name) => name !== '');

    const bad = names.find(
      (name) =>
        name === '.' ||
        name === '..' ||
        RESERVED_NAMES.has(name.toLowerCase()) ||
        /[\u0000-\u001f\\]/.test(name) ||
        Buffer.byteLength(name) > 255,
    );
    if (bad !== undefined || !path.startsWith('/'))
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Path',
        message: 'Path: expected an absolute path of plain names within the storage location.',
      });
    return join(this.root, ...names);
  }
}

/** Writes a new file that only its owner can read; resolves when it is on disk. */
async function writeSynced(path: string, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile> {
  const file = await open(path, 'wx', PRIVATE_FILE);
  const hash = createHash('sha256');
  let size = 0;
  try {
    for await (const piece of bytes) {
      hash.update(piece);
      size += piece.length;
      // Unlike write, this continues until every byte is written.
      await file.appendFile(piece);
    }
    await file.sync();
    return { size, hash: hash.digest('hex') };
  } finally {
    await file.close();
  }
}

function alreadyExists(path: string): PlatformError {
  return new PlatformError('DUPLICATE_KEY', {
    field: 'Path',
    message: `Path: ${path.slice(0, 200)} exists already.`,
  });
}
