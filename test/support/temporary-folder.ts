import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.ts';
import type { CleanUp } from './database.ts';

/** A new folder that is removed at the end; others can enter it unless it is to be `closed`. */
export function temporaryFolder(cleanUp: CleanUp, mode: 'open' | 'closed' = 'open'): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'casewright-'));
  if (mode === 'open') chmodSync(folder, 0o755);
  atEnd(cleanUp, () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}
