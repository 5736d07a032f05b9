import { createHash } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MANIFEST, readManifest, type Manifest } from './manifest.ts';
import { backupFiles, type BackupFile } from './backup-files.ts';

/** Most names in one message. */
const NAMES_MAX = 20;

interface Unpacked {
  readonly size: number;
  readonly sha256: string;
}

/**
 * Unpacks a backup into an empty folder and compares every file with the manifest. Throws with the names of missing or
 * damaged files. Deletes files that the manifest does not list.
 */
export async function unpack(backup: string, folder: string): Promise<Manifest> {
  const found = new Map<string, Unpacked>();
  try {
    for await (const file of backupFiles(backup)) {
      const path = plainPath(file.path);
      if (path === undefined) throw outsidePath(file.path);
      found.set(path, await write(file, join(folder, path)));
    }
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('the archive is')) throw error;
    throw new Error(
      `${backup}: ${error.message}. ${found.size} files were read before. Nothing was restored; use another backup.`,
      { cause: error },
    );
  }
  if (!found.has(MANIFEST)) throw new Error(`${backup} has no ${MANIFEST}: it is not a complete backup`);
  const manifest = readManifest(await readFile(join(folder, MANIFEST), 'utf8'));
  await compare(backup, folder, manifest, found);
  return manifest;
}

/** Returns a normalized path below the backup; undefined if it would lead out of it. */
function plainPath(path: string): string | undefined {
  const names = path.split('/');
  return path.startsWith('/') ||
    names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\u0000'))
    ? undefined
    : path;
}

async function write(file: BackupFile, to: string): Promise<Unpacked> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const handle = await open(to, 'wx', 0o600);
  const hash = createHash('sha256');
  let size = 0;
  try {
    for await (const piece of file.bytes) {
      hash.update(piece);
      size += piece.length;
      await handle.appendFile(piece);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { size, sha256: hash.digest('hex') };
}

async function compare(
  backup: string,
  folder: string,
  { entries }: Manifest,
  found: ReadonlyMap<string, Unpacked>,
): Promise<void> {
  const wrong: string[] = [];
  const known = new Set<string>([MANIFEST]);
  for (const entry of entries) {
    const path = plainPath(entry.path);
    if (path === undefined) throw outsidePath(entry.path);
    known.add(path);
    if ('folder' in entry) await mkdir(join(folder, path), { recursive: true, mode: 0o700 });
    else if ('same' in entry) continue;
    else {
      const file = found.get(path);
      if (!file) wrong.push(`${path} is missing`);
      else if (file.size !== entry.size || file.sha256 !== entry.sha256) wrong.push(`${path} is damaged`);
    }
  }
  if (wrong.length > 0) throw damagedBackup(backup, wrong);
  for (const entry of entries) if ('same' in entry) await linkSame(folder, plainPath(entry.same), entry.path);
  for (const path of found.keys()) if (!known.has(path)) await rm(join(folder, path), { force: true });
}

function outsidePath(path: string): Error {
  return new Error(`the backup contains a path outside its folder, ${path}. Nothing was restored; use another backup.`);
}

function damagedBackup(backup: string, wrong: readonly string[]): Error {
  const more = wrong.length > NAMES_MAX ? ` and ${wrong.length - NAMES_MAX} more` : '';
  return new Error(
    `the backup ${backup} is damaged: ${wrong.slice(0, NAMES_MAX).join(', ')}${more}. ` +
      'Nothing was restored; use another backup.',
  );
}

/** Links a document whose content equals another one's to that file, as in the original. */
async function linkSame(folder: string, same: string | undefined, path: string): Promise<void> {
  if (same === undefined) throw outsidePath(path);
  await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
  await link(join(folder, same), join(folder, path));
}
