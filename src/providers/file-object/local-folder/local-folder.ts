import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, open, readdir, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { FileObject, FileStat, WrittenFile } from '../../../contracts/file-object.ts';
import { PlatformError } from '../../../kernel/errors.ts';

/** How often a folder is made again that others remove when it is empty. */
const LINK_ATTEMPTS_MAX = 5;

/** A storage location in a folder of this machine, or of storage that all nodes share. */
export class LocalFolder implements FileObject {
  private readonly root: string;

  constructor(root: string) {
    this.root = resolve(root);
  }

  async write(path: string, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile> {
    const target = this.inside(path);
    const parts = join(this.root, '.parts');
    await mkdir(parts, { recursive: true });
    const part = join(parts, randomUUID());
    const file = await open(part, 'wx', 0o600);
    const hash = createHash('sha256');
    let size = 0;
    try {
      for await (const piece of bytes) {
        hash.update(piece);
        size += piece.length;
        // Unlike write, this goes on until every byte is written.
        await file.appendFile(piece);
      }
      await file.sync();
      await file.close();
      // A link refuses an existing name, which a rename would silently replace.
      await this.link(part, target, path);
      await unlink(part);
      return { size, hash: hash.digest('hex') };
    } catch (error) {
      await file.close().catch(() => undefined);
      await rm(part, { force: true });
      throw error;
    }
  }

  async *read(path: string, range: { readonly start?: number; readonly end?: number } = {}): AsyncIterable<Uint8Array> {
    const target = this.inside(path);
    const found = await this.stat(path);
    if (!found) throw new PlatformError('NOT_FOUND', { message: 'The stored file is not there.' });
    const { start = 0, end = found.size } = range;
    if (end <= start) return;
    yield* createReadStream(target, { start, end: end - 1 }) as AsyncIterable<Uint8Array>;
  }

  async stat(path: string): Promise<FileStat | undefined> {
    try {
      const found = await stat(this.inside(path));
      return found.isFile() ? { size: found.size, modified: found.mtime.toISOString() } : undefined;
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return undefined;
      throw error;
    }
  }

  async copy(from: string, to: string): Promise<void> {
    const target = this.inside(to);
    // Files are never changed in place, so a second name for the same bytes is a copy.
    await this.link(this.inside(from), target, to);
  }

  async delete(path: string): Promise<void> {
    const target = this.inside(path);
    await rm(target, { force: true });
    // Each document has a folder of its own, which would stay for ever. One that is not empty refuses to go.
    for (let folder = dirname(target); folder.length > this.root.length; folder = dirname(folder)) {
      if (!(await rmdir(folder).then(() => true, () => false))) return;
    }
  }

  async removeUnfinished(before: string): Promise<number> {
    const parts = join(this.root, '.parts');
    let removed = 0;
    for (const name of await readdir(parts).catch(noneWhenMissing)) {
      const found = await stat(join(parts, name)).catch(() => undefined);
      if (!found || found.mtime.toISOString() >= before) continue;
      await rm(join(parts, name), { force: true });
      removed++;
    }
    return removed;
  }

  async *list(folder: string, options: { readonly depth?: number } = {}): AsyncIterable<string> {
    const { depth = 0 } = options;
    const entries = await readdir(this.inside(folder), { withFileTypes: true }).catch(noneWhenMissing);
    const base = folder.replace(/\/+$/, '');
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name === '.parts') continue;
      if (entry.isFile()) yield `${base}/${entry.name}`;
      else if (entry.isDirectory() && depth > 0) yield* this.list(`${base}/${entry.name}`, { depth: depth - 1 });
    }
  }

  /** Gives a file a name in a folder that is made where it is missing; all of it is durable when this answers. */
  private async link(from: string, target: string, path: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const first = await mkdir(dirname(target), { recursive: true });
      try {
        await link(from, target);
        for (let folder = dirname(target); ; folder = dirname(folder)) {
          await syncFolder(folder);
          // A new folder is a new name in the one above.
          if (first === undefined || folder.length < first.length) return;
        }
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'EEXIST') throw existing(path);
        const missing = code === 'ENOENT' && (await stat(from).then(() => true, () => false));
        // Somebody who deleted the last file of the folder took it away in between.
        if (!missing || attempt >= LINK_ATTEMPTS_MAX) throw code === 'ENOENT' ? new PlatformError('NOT_FOUND', { message: 'The stored file is not there.' }) : error;
      }
    }
  }

  /** The place of a path below the root. Names that climb, hide or carry control characters are refused rather than cleaned. */
  private inside(path: string): string {
    const names = path.split('/').filter((name) => name !== '');
     
    const bad = names.find((name) => name === '.' || name === '..' || name === '.parts' || /[\u0000-\u001f\\]/.test(name) || Buffer.byteLength(name) > 255);
    if (bad !== undefined || !path.startsWith('/')) throw new PlatformError('BAD_PARAMETER', { field: 'Path', message: 'Path: expected an absolute path of plain names within the storage location.' });
    return join(this.root, ...names);
  }
}

function existing(path: string): PlatformError {
  return new PlatformError('DUPLICATE_KEY', { field: 'Path', message: `Path: ${path.slice(0, 200)} is there already.` });
}

function noneWhenMissing(error: unknown): never[] {
  if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return [];
  throw error;
}

/** Makes a new name in a folder durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
