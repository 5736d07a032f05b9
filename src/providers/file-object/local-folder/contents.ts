import { createHash, randomUUID } from 'node:crypto';
import { copyFile, link, mkdir, open, readdir, rename, rm, stat, unlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, isMissing, linkDurably, emptyWhenMissing, removeEmptyAbove } from './folders.ts';
import { PRIVATE_FOLDER } from '../private-modes.ts';

/** Bytes read from a file at a time when they are passed on. */
export const READ_BYTES = 256 * 1024;
/**
 * Bytes read at a time when they are only inspected: fits the processor's cache and lets other calls run in between.
 */
const HASH_BYTES = 512 * 1024;

/**
 * The contents of a location's files, each stored once. A content is named by its SHA-256, and every path with that
 * content is another hard link to it. The name is only an index: reading a path does not need it, and if it is lost,
 * equal content is merely stored a second time. So it is not synced to disk, and losing a race over it is harmless.
 */
export class Contents {
  private readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /**
   * Gives a path the content of a written and synced file, or that of an equal file already stored. `name` is the
   * content's SHA-256. Equality is checked byte for byte: content that was damaged on disk but still has its old name
   * gets no further paths, and the good content takes over the name.
   */
  async keep(written: string, name: string, target: string): Promise<void> {
    const known = this.pathOf(name);
    if (
      (await hasEqualContent(known, written)) &&
      (await this.linkExisting(known, written, target).catch(falseWhenMissing))
    )
      return;
    await linkDurably(written, target);
    await this.nameContent(written, known);
  }

  /**
   * Adds a path for stored content. All paths of a file share one change time, and a path that no record refers to yet
   * must not look as old as the content that it shares, so the time is updated.
   */
  private async linkExisting(known: string, written: string, target: string): Promise<boolean> {
    const { mtime } = await stat(written);
    await utimes(known, mtime, mtime).catch(ignoreMissing);
    return tryLink(known, target);
  }

  /** Adds a path for a stored file. If it has as many as the file system allows, stores the content again. */
  async link(from: string, target: string): Promise<void> {
    if (await tryLink(from, target)) return;
    const copy = join(this.root, '.parts', randomUUID());
    await mkdir(dirname(copy), { recursive: true, mode: PRIVATE_FOLDER });
    try {
      await copyFile(from, copy);
      await syncFile(copy);
      await linkDurably(copy, target);
    } finally {
      await rm(copy, { force: true });
    }
  }

  /** Replaces a file by a link to one with the same content, which frees its bytes. */
  async share(from: string, equalOne: string): Promise<void> {
    const [a, b] = await Promise.all([stat(from), stat(equalOne)]);
    if (a.ino !== b.ino) await this.replace(from, equalOne);
  }

  /** Removes a path, and the content if no other path has it. */
  async delete(path: string): Promise<void> {
    // Compute its name before the last path is removed; only the content yields it.
    const last = await stat(path).then(
      (found) => found.isFile() && found.nlink === 2,
      () => false,
    );
    const known = last ? this.pathOf(await hashOf(path)) : undefined;
    await rm(path, { force: true });
    if (known === undefined) return;
    const left = await stat(known).catch(() => undefined);
    // Another path may have been added in between. One added just now keeps its content and only loses the index.
    if (left?.nlink !== 1) return;
    await rm(known, { force: true });
    await removeEmptyAbove(known, this.root);
  }

  /**
   * Removes the names of contents that no path has and that are older than an instant: leftovers of concurrent
   * deletions.
   */
  async removeUnheld(before: string): Promise<number> {
    const folder = join(this.root, '.contents');
    let removed = 0;
    for (const start of await readdir(folder).catch(emptyWhenMissing)) {
      for (const name of await readdir(join(folder, start)).catch(emptyWhenMissing)) {
        const path = join(folder, start, name);
        const found = await stat(path).catch(() => undefined);
        if (found?.nlink !== 1 || found.ctime.toISOString() >= before) continue;
        await rm(path, { force: true });
        await removeEmptyAbove(path, this.root);
        removed++;
      }
    }
    return removed;
  }

  private pathOf(name: string): string {
    return join(this.root, '.contents', name.slice(0, 2), name);
  }

  /** Names a content, replacing what had the name before. */
  private async nameContent(written: string, known: string): Promise<void> {
    try {
      await mkdir(dirname(known), { recursive: true, mode: PRIVATE_FOLDER });
      await this.replace(written, known);
    } catch (error) {
      // The path exists; without the name equal content is stored again.
      if (!isMissing(error) && !['EMLINK', 'ENOSPC', 'EDQUOT'].includes(codeOf(error))) throw error;
    }
  }

  /** Atomically replaces a name by another link to a file. */
  private async replace(from: string, target: string): Promise<void> {
    const fresh = join(this.root, '.parts', randomUUID());
    await mkdir(dirname(fresh), { recursive: true, mode: PRIVATE_FOLDER });
    await link(from, fresh);
    await rename(fresh, target);
    // A rename between two links to one file does nothing and leaves both.
    await unlink(fresh).catch(() => undefined);
  }
}

/** Links durably; returns false if the file already has the maximum number of links. */
async function tryLink(from: string, target: string): Promise<boolean> {
  try {
    await linkDurably(from, target);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EMLINK') return false;
    throw error;
  }
}

/** The error for content that lost its last path, and its name, just now. */
function falseWhenMissing(error: unknown): boolean {
  if (codeOf(error) === 'NOT_FOUND') return false;
  throw error;
}

/** Ignores a missing file; the next step detects it. */
function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Returns the SHA-256 of a file's first bytes (by default all), hexadecimal. `look` receives each chunk, valid only
 * until it returns. One buffer serves all chunks: with a stream, which allocates one per chunk, 200 MB took 0.8 s of
 * processor time instead of 0.3 s.
 */
export async function hashOf(
  path: string,
  size = Number.MAX_SAFE_INTEGER,
  look?: (piece: Uint8Array) => void,
): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path);
  try {
    const buffer = Buffer.allocUnsafeSlow(HASH_BYTES);
    for (let at = 0; at < size;) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(HASH_BYTES, size - at), at);
      if (bytesRead === 0) break;
      const piece = buffer.subarray(0, bytesRead);
      hash.update(piece);
      look?.(piece);
      at += bytesRead;
    }
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}

/** Whether two files have the same bytes; false if the first does not exist. */
async function hasEqualContent(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([stat(one).catch(() => undefined), stat(other)]);
  if (a?.size !== b.size) return false;
  if (a.ino === b.ino && a.dev === b.dev) return true;
  const handles = await Promise.all([open(one).catch(() => undefined), open(other)]);
  try {
    const [first, second] = handles;
    if (!first) return false;
    const buffers = [Buffer.alloc(READ_BYTES), Buffer.alloc(READ_BYTES)] as const;
    for (let at = 0; at < b.size; at += READ_BYTES) {
      const [read, beside] = await Promise.all([
        first.read(buffers[0], 0, READ_BYTES, at),
        second.read(buffers[1], 0, READ_BYTES, at),
      ]);
      if (
        read.bytesRead !== beside.bytesRead ||
        !buffers[0].subarray(0, read.bytesRead).equals(buffers[1].subarray(0, beside.bytesRead))
      )
        return false;
    }
    return true;
  } finally {
    for (const handle of handles) await handle?.close();
  }
}
