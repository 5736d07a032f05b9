import { createHash } from 'node:crypto';
import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { manifestWriter, MANIFEST, type BackupEntry, type BackupHead } from './manifest.ts';
import type { BackupTarget } from './backup-target.ts';

/** Bytes that are read of a file at once. */
const READ_BYTES = 1024 * 1024;

/** Puts files into a backup and keeps its manifest. */
export interface Collector {
  /** Copies a file as it is now; answers false where it is not there any more. */
  file(from: string, path: string): Promise<boolean>;
  /** Puts in bytes that are at hand. */
  bytes(path: string, content: Uint8Array): Promise<void>;
  /** Copies a folder with all that is in it and is not left out; what vanishes meanwhile is passed over. */
  folder(from: string, path: string, leaves: (path: string) => 'all' | 'its content' | undefined): Promise<void>;
  has(path: string): boolean;
  readonly files: number;
  readonly size: number;
  /** Writes the manifest. */
  finish(head: BackupHead): Promise<void>;
}

/** A collector that writes into a target. */
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
  const collector: Collector = {
    async file(from, path) {
      const handle = await open(from, 'r').catch(noneWhenMissing);
      if (!handle) return false;
      try {
        const found = await handle.stat({ bigint: true });
        // The number of a deleted file is given to another one, which was not written at the same nanosecond.
        const name = `${found.dev}:${found.ino}:${found.mtimeNs}`;
        const same = found.nlink > 1n ? linked.get(name) : undefined;
        if (same !== undefined) {
          entries.push({ path, same });
          paths.add(path);
          return true;
        }
        const length = Number(found.size);
        await put(path, length, exactly(handle, length));
        if (found.nlink > 1n) linked.set(name, path);
        return true;
      } finally {
        await handle.close();
      }
    },
    bytes: (path, content) =>
      put(
        path,
        content.length,
        (async function* () {
          yield content;
        })(),
      ),
    folder: (from, path, leaves) =>
      walk({
        from,
        path,
        leaves,
        file: collector.file,
        made: (folder) => void entries.push({ path: folder, folder: true }),
      }),
    has: (path) => paths.has(path),
    get files() {
      return paths.size;
    },
    get size() {
      return size;
    },
    async finish(head) {
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
    },
  };
  return collector;
}

interface Walk {
  readonly from: string;
  readonly path: string;
  readonly leaves: (path: string) => 'all' | 'its content' | undefined;
  readonly file: Collector['file'];
  readonly made: (folder: string) => void;
}

/** Goes through a folder, and the folders in it. */
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
    else if (!each.isFile()) throw new Error(`${from} is neither a file nor a folder; a backup cannot hold it`);
  }
}

/** So many bytes of a file that may grow or shrink while it is read. What is gone at its end is made good by the log of changes. */
async function* exactly(handle: FileHandle, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < size;) {
    const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, size - at));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    const piece = bytesRead === 0 ? buffer.fill(0) : buffer.subarray(0, bytesRead);
    at += piece.length;
    yield piece;
  }
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
