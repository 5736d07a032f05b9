import { createHash } from 'node:crypto';
import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { manifestWriter, MANIFEST, type BackupEntry, type BackupHead } from './manifest.ts';
import type { BackupTarget } from './backup-target.ts';

/** Bytes read of a file at once. */
const READ_BYTES = 1024 * 1024;

/** Adds files to a backup and keeps its manifest. */
export interface Collector {
  /** Copies a file as it is now. Returns false if it no longer exists. */
  file(from: string, path: string): Promise<boolean>;
  /** Adds bytes. */
  bytes(path: string, content: Uint8Array): Promise<void>;
  /** Copies a folder, except for paths that `leaves` excludes and files that are deleted meanwhile. */
  folder(from: string, path: string, leaves: (path: string) => 'all' | 'its content' | undefined): Promise<void>;
  has(path: string): boolean;
  readonly files: number;
  readonly size: number;
  /** Writes the manifest. */
  finish(head: BackupHead): Promise<void>;
}

/** Returns a collector that writes into a target. */
export function collectInto(target: BackupTarget): Collector {
  const entries: BackupEntry[] = [];
  const paths = new Set<string>();
  /** Files with several names, by device and number: equal documents are stored once, and stay so. */
  const linked = new Map<string, string>();
  let size = 0;
  const put = async (path: string, length: number, content: AsyncIterable<Uint8Array>): Promise<void> => {
    const hash = createHash('sha256');
    await target.add(path, length, hashed(content, hash));
    entries.push({ path, size: length, sha256: hash.digest('hex') });
    paths.add(path);
    size += length;
  };
  const putOpened = async (handle: FileHandle, path: string): Promise<void> => {
    const found = await handle.stat({ bigint: true });
    // The inode number of a deleted file is reused, but not with the same modification time in nanoseconds.
    const name = `${found.dev}:${found.ino}:${found.mtimeNs}`;
    const same = found.nlink > 1n ? linked.get(name) : undefined;
    if (same !== undefined) {
      entries.push({ path, same });
      paths.add(path);
      return;
    }
    const length = Number(found.size);
    await put(path, length, exactly(handle, length));
    if (found.nlink > 1n) linked.set(name, path);
  };
  const file = async (from: string, path: string): Promise<boolean> => {
    const handle = await open(from, 'r').catch(noneWhenMissing);
    if (!handle) return false;
    try {
      await putOpened(handle, path);
      return true;
    } finally {
      await handle.close();
    }
  };
  return {
    file,
    bytes: (path, content) => put(path, content.length, once(content)),
    folder: (from, path, leaves) =>
      walk({ from, path, leaves, file, made: (folder) => void entries.push({ path: folder, folder: true }) }),
    has: (path) => paths.has(path),
    get files() {
      return paths.size;
    },
    get size() {
      return size;
    },
    finish: (head) => addManifest(target, head, entries),
  };
}

async function addManifest(target: BackupTarget, head: BackupHead, entries: readonly BackupEntry[]): Promise<void> {
  const writer = manifestWriter(head);
  const spool = await open(target.spool, 'wx', 0o600);
  try {
    await spool.appendFile(writer.first);
    for (const entry of entries) await spool.appendFile(writer.line(entry));
    await spool.appendFile(writer.last());
  } finally {
    await spool.close();
  }
  await target.add(MANIFEST, (await stat(target.spool)).size, createReadStream(target.spool));
}

interface Walk {
  readonly from: string;
  readonly path: string;
  readonly leaves: (path: string) => 'all' | 'its content' | undefined;
  readonly file: Collector['file'];
  readonly made: (folder: string) => void;
}

/** Visits a folder and its subfolders. */
async function walk(of: Walk): Promise<void> {
  const names = await readdir(of.from, { withFileTypes: true }).catch(noneWhenMissing);
  if (!names) return;
  of.made(of.path);
  for (const each of names) {
    const [from, path] = [join(of.from, each.name), `${of.path}/${each.name}`];
    const left = of.leaves(path);
    if (left === 'all') continue;
    if (each.isDirectory() && left === 'its content') of.made(path);
    else if (each.isDirectory()) await walk({ ...of, from, path });
    else if (each.isFile() && left === undefined) await of.file(from, path);
    else if (!each.isFile())
      throw new Error(`${from} is neither a file nor a folder, so it cannot be backed up; move it elsewhere`);
  }
}

/**
 * Yields exactly `size` bytes of a file that may grow or shrink while it is read. A shrunk file is padded with zeros;
 * the write-ahead log restores its end.
 */
async function* exactly(handle: FileHandle, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < size;) {
    const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, size - at));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    const piece = bytesRead === 0 ? buffer.fill(0) : buffer.subarray(0, bytesRead);
    at += piece.length;
    yield piece;
  }
}

async function* once(content: Uint8Array): AsyncIterable<Uint8Array> {
  yield content;
}

async function* hashed(
  content: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncIterable<Uint8Array> {
  for await (const piece of content) {
    hash.update(piece);
    yield piece;
  }
}

function noneWhenMissing(error: unknown): undefined {
  if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return undefined;
  throw error;
}
