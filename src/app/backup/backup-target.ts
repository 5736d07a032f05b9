import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { tarEnd, tarHeader, tarPadding } from './tar.ts';

/** The file or folder that a backup is written to. It gets its final name when it is complete. */
export interface BackupTarget {
  /** What is written to until the backup is finished. */
  readonly partial: string;
  /** A temporary file next to it for preparing content; deleted when the backup is finished or abandoned. */
  readonly spool: string;
  /** Adds a file of exactly `size` bytes. */
  add(path: string, size: number, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Makes the backup durable and gives it its name. */
  finish(): Promise<void>;
  /** Deletes what was written. */
  abandon(): Promise<void>;
}

/**
 * Opens a new folder, or an archive if the name ends in `.tar`. Overwrites nothing. An interrupted backup keeps its
 * `.partial-…` name, so it cannot be mistaken for a complete one.
 */
export async function openTarget(path: string): Promise<BackupTarget> {
  const target = resolve(path);
  if (existsSync(target))
    throw new Error(`${target} already exists. Nothing was changed; name a target that does not exist.`);
  await mkdir(dirname(target), { recursive: true });
  const partial = `${target}.partial-${randomBytes(4).toString('hex')}`;
  return target.endsWith('.tar') ? archive(target, partial) : folder(target, partial);
}

/** Returns the partial files and folders of other backups to the same target: interrupted ones or running ones. */
export async function leftovers(path: string): Promise<string[]> {
  const target = resolve(path);
  const names = await readdir(dirname(target)).catch(() => []);
  return names
    .filter((name) => name.startsWith(`${basename(target)}.partial-`))
    .map((name) => join(dirname(target), name));
}

async function folder(target: string, partial: string): Promise<BackupTarget> {
  await mkdir(partial, { mode: 0o700 });
  const folders = new Set([partial]);
  const spool = `${partial}.spool`;
  return {
    partial,
    spool,
    async add(path, _size, bytes) {
      const file = join(partial, path);
      for (let above = dirname(file); !folders.has(above); above = dirname(above)) folders.add(above);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const handle = await open(file, 'wx', 0o600);
      try {
        for await (const piece of bytes) await handle.appendFile(piece);
        await handle.sync();
      } finally {
        await handle.close();
      }
    },
    async finish() {
      await rm(spool, { force: true });
      for (const each of folders) await syncFolder(each);
      await named(partial, target);
    },
    async abandon() {
      await rm(partial, { recursive: true, force: true });
      await rm(spool, { force: true });
    },
  };
}

async function archive(target: string, partial: string): Promise<BackupTarget> {
  const handle: FileHandle = await open(partial, 'wx', 0o600);
  const spool = `${partial}.spool`;
  return {
    partial,
    spool,
    async add(path, size, bytes) {
      await handle.appendFile(tarHeader(path, size));
      for await (const piece of bytes) await handle.appendFile(piece);
      await handle.appendFile(tarPadding(size));
    },
    async finish() {
      await handle.appendFile(tarEnd());
      await handle.sync();
      await handle.close();
      await rm(spool, { force: true });
      await named(partial, target);
    },
    async abandon() {
      await handle.close().catch(() => undefined);
      await rm(partial, { force: true });
      await rm(spool, { force: true });
    },
  };
}

/** Refuses an existing target: a rename would replace an empty folder, or a file, created in the meantime. */
async function named(partial: string, target: string): Promise<void> {
  if (existsSync(target))
    throw new Error(
      `${target} was created by another process while the backup was written. Repeat the backup with ` +
        'another target.',
    );
  await rename(partial, target);
  await syncFolder(dirname(target));
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
