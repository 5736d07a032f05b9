import { link, mkdir, open, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PlatformError } from '../../../kernel/door/errors.ts';

/** How often a folder is made again that others remove when it is empty. */
const LINK_ATTEMPTS_MAX = 20;

/** The code of a failed file operation. */
export function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException | null | undefined)?.code);
}

/** Whether a failure says that there is nothing under a path. */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
}

/** The content of a folder that is not there. */
export function emptyWhenMissing(error: unknown): never[] {
  if (isMissing(error)) return [];
  throw error;
}

/** The refusal of a path under which nothing is stored. */
export function fileNotFound(): PlatformError {
  return new PlatformError('NOT_FOUND', { message: 'The stored file is not there.' });
}

/** What a full disk, an exhausted quota and a disk that takes no writes are told as; other failures as they are. */
export function toStorageError(error: unknown): unknown {
  if (!['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG'].includes(codeOf(error))) return error;
  return new PlatformError('UNAVAILABLE', {
    message: 'The storage of documents has no room at the moment; send the call again when it has.',
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
 * Gives a file a further name, in a folder that is made where it is missing; all of it is durable when this answers. An
 * existing name is refused, which a rename would silently replace: EEXIST. A missing file is NOT_FOUND.
 */
export async function linkDurably(from: string, target: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const first = await mkdir(dirname(target), { recursive: true });
      await link(from, target);
      for (let folder = dirname(target); ; folder = dirname(folder)) {
        await syncFolder(folder);
        // A new folder is a new name in the one above.
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
      // Somebody who deleted the last file of the folder took it away in between; making it fails then too, not linking alone.
      if (attempt >= LINK_ATTEMPTS_MAX) throw error;
    }
  }
}

/** Removes the folders above a path as long as they are empty, up to but without the root. One that is not empty refuses to go. */
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
