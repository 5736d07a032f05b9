import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.ts';
import type { CleanUp } from './database.ts';

/** Creates a folder that is removed at the end. Other users can enter it unless it is `closed`. */
export function temporaryFolder(cleanUp: CleanUp, mode: 'open' | 'closed' = 'open'): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'casewright-'));
  if (mode === 'open') chmodSync(folder, 0o755);
  atEnd(cleanUp, () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}
