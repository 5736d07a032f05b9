import { execFileSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { alone, type CleanUp } from '../database.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { startServerProcess } from './server-process.ts';

/**
 * The data folder of a server with a PostgreSQL of its own, after its first start: a copy of one that is made once in
 * a run of tests. A copy takes a tenth of a second; making the cluster, its schema and the standard configuration takes
 * three.
 */
export async function startedDataFolder(cleanUp: CleanUp): Promise<string> {
  const folder = join(temporaryFolder(cleanUp), 'data');
  const { CASEWRIGHT_TEST_FOLDER: shared } = process.env;
  if (shared === undefined) return folder;
  const prepared = join(shared, 'started-data');
  if (!existsSync(prepared)) await alone(() => prepare(prepared));
  // Under root the cluster belongs to another user, and has to in the copy.
  execFileSync('cp', ['-a', prepared, folder]);
  return folder;
}

async function prepare(prepared: string): Promise<void> {
  if (existsSync(prepared)) return;
  const cleanUps: (() => unknown)[] = [];
  const cleanUp = { after: (clean: () => unknown) => void cleanUps.push(clean) };
  try {
    const data = join(temporaryFolder(cleanUp), 'data');
    const server = await startServerProcess(cleanUp, { env: { CASEWRIGHT_DATA: data, CASEWRIGHT_LOG_LEVEL: 'error' } });
    const code = await server.stop();
    if (code !== 0) throw new Error(`the first start of a server ended with ${code}: ${server.log()}`);
    renameSync(data, prepared);
  } finally {
    for (const clean of cleanUps) await clean();
  }
}
