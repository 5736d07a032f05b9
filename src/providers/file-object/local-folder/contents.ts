import { createHash, randomUUID } from 'node:crypto';
import { copyFile, link, mkdir, open, readdir, rename, rm, stat, unlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, isMissing, linkDurably, emptyWhenMissing, removeEmptyAbove } from './folders.ts';

/** Bytes that are read of a file at once, where they are handed on. */
export const READ_BYTES = 256 * 1024;
/** The same where they are only looked at: small enough for the processor's cache, and for other calls to have their turn. */
const HASH_BYTES = 512 * 1024;

/**
 * The contents of a location's files, each stored once: a content has a name of its own, its SHA-256, and every path that holds
 * it is a further hard link. The name is an index and nothing more: a path does not need it to be read, and where it is
 * lost, equal content is merely stored a second time. So it is not synced to disk, and losing a race over it does no harm.
 */
export class Contents {
  private readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /**
   * Gives a path the content of a file that is written and synced, or that of an equal one that is stored already. `name`
   * is the content's SHA-256. Equal is what is equal byte for byte: content that has been damaged on the disk, and still has
   * the name of what it was, gets no further paths, and the good content takes its name.
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
   * A new path for content that is stored already. All paths of a file have one time of change, and the new path is young: a
   * path that no record names yet must not look as old as what it equals.
   */
  private async linkExisting(known: string, written: string, target: string): Promise<boolean> {
    const { mtime } = await stat(written);
    await utimes(known, mtime, mtime).catch(ignoreMissing);
    return tryLink(known, target);
  }

  /** A further path for a stored file. Where it has as many as the file system allows, its content is stored anew. */
  async link(from: string, target: string): Promise<void> {
    if (await tryLink(from, target)) return;
    const copy = join(this.root, '.parts', randomUUID());
    await mkdir(dirname(copy), { recursive: true });
    try {
      await copyFile(from, copy);
      await syncFile(copy);
      await linkDurably(copy, target);
    } finally {
      await rm(copy, { force: true });
    }
  }

  /** Lets a file that has the content of another be one with it, so that its own bytes are given back. */
  async share(from: string, equalOne: string): Promise<void> {
    const [a, b] = await Promise.all([stat(from), stat(equalOne)]);
    if (a.ino !== b.ino) await this.replace(from, equalOne);
  }

  /** Removes a path, and the content where no other path holds it. */
  async delete(path: string): Promise<void> {
    // Its name must be found before the last path is gone; the content alone tells it.
    const last = await stat(path).then(
      (found) => found.isFile() && found.nlink === 2,
      () => false,
    );
    const known = last ? this.pathOf(await hashOf(path)) : undefined;
    await rm(path, { force: true });
    if (known === undefined) return;
    const left = await stat(known).catch(() => undefined);
    // Another path may have come in between. One that comes just now keeps its content, and loses the index only.
    if (left?.nlink !== 1) return;
    await rm(known, { force: true });
    await removeEmptyAbove(known, this.root);
  }

  /** Removes the names of contents that no path holds any more and that are older than an instant: what two deletions at one moment left. */
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

  /** Names a content, in the place of what had the name before. */
  private async nameContent(written: string, known: string): Promise<void> {
    try {
      await mkdir(dirname(known), { recursive: true });
      await this.replace(written, known);
    } catch (error) {
      // The path stands; without the name equal content is stored again.
      if (!isMissing(error) && !['EMLINK', 'ENOSPC', 'EDQUOT'].includes(codeOf(error))) throw error;
    }
  }

  /** Puts one more name of a file in the place of what has that name. */
  private async replace(from: string, target: string): Promise<void> {
    const fresh = join(this.root, '.parts', randomUUID());
    await mkdir(dirname(fresh), { recursive: true });
    await link(from, fresh);
    await rename(fresh, target);
    // A rename between two names of one file does nothing and leaves both.
    await unlink(fresh).catch(() => undefined);
  }
}

/** Links durably; answers false where the file has all the paths that it can have. */
async function tryLink(from: string, target: string): Promise<boolean> {
  try {
    await linkDurably(from, target);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EMLINK') return false;
    throw error;
  }
}

/** Of a content that lost its last path, and its name, just now. */
function falseWhenMissing(error: unknown): boolean {
  if (codeOf(error) === 'NOT_FOUND') return false;
  throw error;
}

/** What is gone is found to be gone by what comes next. */
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
 * SHA-256 of a file's first bytes (all of them), hexadecimal; `look` is shown them, each piece only until it answers. One buffer
 * serves for all: with a stream, which makes one for each piece, 200 MB took 0.8 s of processor time instead of 0.3.
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

/** Whether two files hold the same bytes; false where the first is not there. */
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
