import { link, mkdir, open, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { PRIVATE_FOLDER } from '../private-modes.ts';

/** How often a folder is created again when others remove it while empty. */
export const LINK_ATTEMPTS_MAX = 20;

/** Returns the code of a failed file operation. */
export function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException | null | undefined)?.code);
}

/** Whether an error means that the path does not exist. */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
}

/** The listing of a missing folder. */
export function emptyWhenMissing(error: unknown): never[] {
  if (isMissing(error)) return [];
  throw error;
}

/** The error for a path without a stored file. */
export function fileNotFound(): PlatformError {
  return new PlatformError('NOT_FOUND', { message: 'The stored file is missing.' });
}

/** Maps a full disk, an exhausted quota and a read-only disk to one error; returns other failures unchanged. */
export function toStorageError(error: unknown): unknown {
  if (!['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG'].includes(codeOf(error))) return error;
  return new PlatformError('UNAVAILABLE', {
    message: 'Document storage is full at the moment; send the call again once there is space.',
    cause: error,
  });
}

/** Makes a new name in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Links a file durably under another name, creating the folder if missing. Throws EEXIST if the name exists (a rename
 * would silently replace it), and NOT_FOUND if the file is missing.
 */
export async function linkDurably(from: string, target: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const first = await mkdir(dirname(target), { recursive: true, mode: PRIVATE_FOLDER });
      await link(from, target);
      for (let folder = dirname(target); ; folder = dirname(folder)) {
        await syncFolder(folder);
        // A new folder is a new name in its parent.
        if (first === undefined || folder.length < first.length) return;
      }
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      if (
        !(await stat(from).then(
          () => true,
          () => false,
        ))
      )
        throw fileNotFound();
      // Deleting the folder's last file removed it in between; then creating the folder can fail too, not only linking.
      if (attempt >= LINK_ATTEMPTS_MAX) throw error;
    }
  }
}

/** Removes empty folders above a path, up to but excluding the root. */
export async function removeEmptyAbove(path: string, root: string): Promise<void> {
  for (let folder = dirname(path); folder.length > root.length; folder = dirname(folder)) {
    if (
      !(await rmdir(folder).then(
        () => true,
        () => false,
      ))
    )
      return;
  }
}
