import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readTar } from './tar.ts';

/** A file of a backup. */
export interface BackupFile {
  readonly path: string;
  readonly size: number;
  /** Must be read to its end before the next file. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Yields every file of a backup, a folder or an archive, in any order. */
export async function* backupFiles(backup: string): AsyncIterable<BackupFile> {
  const found = await stat(backup).catch(() => undefined);
  if (!found) throw new Error(`no backup found at ${backup}: expected a folder or a .tar file`);
  if (/\.partial-[0-9a-f]{8}$/.test(backup))
    throw new Error(`${backup} was left by an interrupted backup and is incomplete; use a complete backup`);
  if (found.isDirectory()) yield* folderFiles(backup, '');
  else yield* readTar(createReadStream(backup, { highWaterMark: 1024 * 1024 }));
}

async function* folderFiles(folder: string, path: string): AsyncIterable<BackupFile> {
  for (const each of await readdir(join(folder, path), { withFileTypes: true })) {
    const inside = path === '' ? each.name : `${path}/${each.name}`;
    if (each.isDirectory()) yield* folderFiles(folder, inside);
    else if (each.isFile())
      yield {
        path: inside,
        size: (await stat(join(folder, inside))).size,
        bytes: createReadStream(join(folder, inside), { highWaterMark: 1024 * 1024 }),
      };
  }
}
