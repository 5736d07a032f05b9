import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Checks that all that was created in a folder is readable only by its owner. Returns the number of entries. */
export function assertPrivate(folder: string): number {
  const entries = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
  for (const path of entries) {
    const stats = statSync(path);
    assert.equal((stats.mode & 0o777).toString(8), stats.isDirectory() ? '700' : '600', path);
  }
  return entries.length;
}
