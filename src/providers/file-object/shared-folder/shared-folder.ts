import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, lstat, open, readdir, rename, unlink, type FileHandle } from 'node:fs/promises';
import type {
  DiskSpace,
  FileEntry,
  FileObject,
  FileObjectType,
  FileStat,
  WrittenFile,
} from '../../../contracts/file-object.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import {
  alreadyExists,
  filePathNames,
  isPartName,
  isPlainName,
  fileNotFound,
  pathNames,
  partName,
  ContentDigest,
  locationUnavailable,
  storageFull,
} from '../paths.ts';
import { Folder } from './folder.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import type { ParameterFields } from '../../../kernel/declare/field-types.ts';
import { diskSpaceOf } from '../disk-space.ts';
import { PRIVATE_FILE } from '../private-modes.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
/** Bytes read from a file at a time. */
const READ_BYTES = 256 * 1024;
/** Levels of folders searched for interrupted parts. */
const DEPTH_MAX = 32;

/**
 * A folder of this machine, or of storage that all nodes share, where others drop and pick up files. No link in it is
 * followed: otherwise anyone who can write there could make the platform read any file.
 */
class SharedFolder implements FileObject {
  readonly shared = true;
  readonly gradual = true;
  private readonly name: string;
  private readonly root: string;
  private readonly names: readonly string[];

  /** `root` is the operator's own and may be a link; `folder`, a path below it, must not contain any. */
  constructor(name: string, root: string, folder: string) {
    this.name = name;
    this.root = root;
    this.names = pathNames(folder.startsWith('/') ? folder : `/${folder}`);
  }

  async check(): Promise<void> {
    // The folder is created, so that files can be put there.
    await this.inFolder([], true, (folder) => readdir(folder.here));
  }

  space(): Promise<DiskSpace> {
    return diskSpaceOf(this.root);
  }

  write(path: string, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile> {
    return this.put(path, bytes, async (folder, part, name) => {
      // Unlike a rename this refuses an existing name.
      await link(folder.at(part), folder.at(name)).catch((error: unknown) => {
        throw codeOf(error) === 'EEXIST' ? alreadyExists(path) : error;
      });
    });
  }

  replace(path: string, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile> {
    return this.put(path, bytes, async (folder, part, name) => {
      if (!(await lstat(folder.at(name)).catch(() => undefined))?.isFile()) throw fileNotFound();
      await rename(folder.at(part), folder.at(name));
    });
  }

  async *read(path: string, range: { readonly start?: number; readonly end?: number } = {}): AsyncIterable<Uint8Array> {
    const names = filePathNames(path);
    const file = await this.inFolder(names.slice(0, -1), false, (folder) => opened(folder, names.at(-1) ?? ''));
    if (!file) throw fileNotFound();
    try {
      const { size } = await file.stat();
      const { start = 0, end = size } = range;
      for (let at = start; at < end;) {
        const { bytesRead, buffer } = await file.read(
          Buffer.allocUnsafe(Math.min(READ_BYTES, end - at)),
          0,
          undefined,
          at,
        );
        if (bytesRead === 0) break;
        yield buffer.subarray(0, bytesRead);
        at += bytesRead;
      }
    } finally {
      await file.close();
    }
  }

  async stat(path: string): Promise<FileStat | undefined> {
    const names = filePathNames(path);
    return this.inFolder(names.slice(0, -1), false, (folder) => statOf(folder, names.at(-1) ?? ''));
  }

  async copy(from: string, to: string): Promise<void> {
    if (await this.stat(to)) throw alreadyExists(to);
    if (!(await this.stat(from))) throw fileNotFound();
    await this.write(to, this.read(from));
  }

  async delete(path: string): Promise<void> {
    const names = filePathNames(path);
    await this.inFolder(names.slice(0, -1), false, async (folder) => {
      const name = names.at(-1) ?? '';
      if (!(await statOf(folder, name))) return;
      await unlink(folder.at(name)).catch(ignoreMissing);
      await folder.handle.sync();
    });
  }

  async *list(folder: string, options: { readonly depth?: number } = {}): AsyncIterable<string> {
    for await (const { path } of this.entries(folder, options)) yield path;
  }

  async *entries(folder: string, { depth = 0 }: { readonly depth?: number } = {}): AsyncIterable<FileEntry> {
    const names = pathNames(folder);
    const openPlainFile = await this.inFolder(names, false, (each) => this.reopen(each));
    if (openPlainFile) yield* walk(openPlainFile, names.map((name) => `/${name}`).join(''), depth);
  }

  async removeUnfinished(before: string): Promise<number> {
    const opened = await this.inFolder([], false, (each) => this.reopen(each));
    return opened ? removeParts(opened, before, DEPTH_MAX) : 0;
  }

  private async put(
    path: string,
    bytes: AsyncIterable<Uint8Array>,
    name: (folder: Folder, part: string, name: string) => Promise<void>,
  ): Promise<WrittenFile> {
    const names = filePathNames(path);
    const written = await this.inFolder(names.slice(0, -1), true, async (folder) => {
      const part = partName(randomUUID());
      try {
        const result = await writeSynced(folder.at(part), bytes);
        await name(folder, part, names.at(-1) ?? '');
        await folder.handle.sync();
        return result;
      } finally {
        await unlink(folder.at(part)).catch(ignoreMissing);
      }
    });
    if (!written) throw locationUnavailable(this.name, 'does not exist and cannot be created');
    return written;
  }

  /** Runs work in a folder of the location; returns undefined if the folder does not exist or is a link. */
  private async inFolder<T>(
    names: readonly string[],
    make: boolean,
    work: (folder: Folder) => Promise<T>,
  ): Promise<T | undefined> {
    let folder: Folder | undefined;
    try {
      folder = await Folder.open(this.root, [...this.names, ...names], make);
      return await work(folder);
    } catch (error) {
      if (!folder && ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error)) && !make) return undefined;
      throw this.toStorageError(error);
    } finally {
      await folder?.close();
    }
  }

  /** Opens the folder again, for a walk that outlives the first handle. */
  private reopen(folder: Folder): Promise<Folder> {
    return Folder.open(folder.here, []);
  }

  private toStorageError(error: unknown): unknown {
    const code = codeOf(error);
    if (['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG'].includes(code)) return storageFull(error);
    if (['EACCES', 'EPERM', 'ELOOP', 'ENOTDIR', 'ENOENT', 'EIO', 'ESTALE', 'ETIMEDOUT', 'EHOSTDOWN'].includes(code))
      return locationUnavailable(this.name, `cannot be used: ${code}`, error);
    return error;
  }
}

/** Lists a folder's files in order, and those of its subfolders. Closes the folder at the end. */
async function* walk(folder: Folder, base: string, depth: number): AsyncIterable<FileEntry> {
  try {
    const found = await readdir(folder.here, { withFileTypes: true });
    for (const entry of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (!isPlainName(entry.name)) continue;
      const path = `${base}/${entry.name}`;
      if (entry.isFile()) {
        const stat = await statOf(folder, entry.name);
        if (stat) yield { path, ...stat };
      } else if (entry.isDirectory() && depth > 0) {
        const below = await folder.enter(entry.name).catch(undefinedWhenInaccessible);
        if (below) yield* walk(below, path, depth - 1);
      }
    }
  } finally {
    await folder.close();
  }
}

async function removeParts(folder: Folder, before: string, depth: number): Promise<number> {
  let removed = 0;
  try {
    for (const entry of await readdir(folder.here, { withFileTypes: true })) {
      if (entry.isDirectory() && depth > 0) {
        const below = await folder.enter(entry.name).catch(undefinedWhenInaccessible);
        if (below) removed += await removeParts(below, before, depth - 1);
      }
      if (!isPartName(entry.name)) continue;
      const found = await lstat(folder.at(entry.name)).catch(() => undefined);
      if (!found?.isFile() || found.mtime.toISOString() >= before) continue;
      await unlink(folder.at(entry.name)).catch(ignoreMissing);
      removed++;
    }
    return removed;
  } finally {
    await folder.close();
  }
}

async function statOf(folder: Folder, name: string): Promise<FileStat | undefined> {
  const found = await lstat(folder.at(name)).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined;
    throw error;
  });
  return found?.isFile() ? { size: found.size, modified: found.mtime.toISOString() } : undefined;
}

/** Opens a regular file. A pipe would block forever, and a link is refused. */
async function opened(folder: Folder, name: string): Promise<FileHandle | undefined> {
  const file = await open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(codeOf(error))) return undefined;
    throw error;
  });
  if (!file || (await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}

/** Writes a new file; resolves when it is on disk. */
async function writeSynced(path: string, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile> {
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, PRIVATE_FILE);
  const passed = new ContentDigest();
  try {
    for await (const piece of bytes) {
      passed.add(piece);
      // Unlike write, this continues until every byte is written.
      await file.appendFile(piece);
    }
    await file.sync();
    return passed.written();
  } finally {
    await file.close();
  }
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException | null | undefined)?.code);
}

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}

/** A folder that was removed, or that this process may not enter, has no files. */
function undefinedWhenInaccessible(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(codeOf(error))) throw error;
  return undefined;
}

/** Options of a folder. */
const sharedFolderOptions = {
  Folder: required(f.text({ doc: "A folder below the installation's folder of storages.", max: 500, exact: true })),
} as const satisfies ParameterFields;

/** Folders below the installation's folder of storages, as a kind of location. */
export function sharedFolders(root: string): FileObjectType<typeof sharedFolderOptions> {
  return {
    options: sharedFolderOptions,
    validate({ options: { Folder: folder } }) {
      const names = folder.split('/').filter((name) => name !== '');
      if (names.length === 0 || !names.every((name) => isPlainName(name) && !name.startsWith('.')))
        throw bad(
          'Folder',
          "the path of a folder below the installation's folder of storages (CASEWRIGHT_STORAGES), of plain " +
            'names, such as inbox/acme',
        );
    },
    open: ({ name, options: { Folder: folder } }) => new SharedFolder(name, root, folder),
  };
}
