import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DiskSpace } from '../../contracts/file-object.ts';

/** Returns the size and the free bytes of the disk of a folder, or of the nearest folder above it that exists. */
export async function diskSpaceOf(folder: string): Promise<DiskSpace> {
  let existing = folder;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  const { bsize, blocks, bfree, bavail } = await statfs(existing);
  // What is reserved for the system's own account counts as used, as in `df`.
  return { size: (blocks - bfree + bavail) * bsize, free: bavail * bsize };
}
