import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSameProcess, processIdentity } from '../process-identity.ts';
import { EmbeddedPostgresError } from './error.ts';

/** The content of `owner.json`: the process that uses the data folder. */
interface Owner {
  readonly pid: number;
  readonly identity: string;
  readonly since: string;
  /** Distinguishes two acquisitions by one process. */
  readonly token: string;
}

/** An owned data folder, until released. */
export interface Ownership {
  release(): void;
}

/**
 * Makes this process the only owner of a data folder. Throws, naming the owner, if there is one.
 *
 * The file is put in place by link(), which fails if it exists and never shows a partial file. A file left by a killed
 * process is recognized by the start time of its pid and replaced. Only processes of this machine (and container) are
 * seen: two containers must not share a folder.
 */
export function takeOwnership(dataFolder: string): Ownership {
  const file = join(dataFolder, 'owner.json');
  const mine: Owner = {
    pid: process.pid,
    identity: processIdentity(process.pid) ?? 'unknown',
    since: new Date().toISOString(),
    token: randomUUID(),
  };
  const draft = `${file}.${mine.token}`;
  writeFileSync(draft, `${JSON.stringify(mine)}\n`, { mode: 0o644 });
  try {
    // Each round takes the folder, refuses, or removes one stale file; others may do the same in between.
    for (let round = 0; round < 10; round++) {
      if (tryLink(draft, file)) return { release: () => release(file, mine) };
      const found = readOwner(file);
      if (found === 'absent') continue;
      if (found !== 'unreadable' && isSameProcess(found.pid, found.identity)) throw refusal(dataFolder, found);
      removeStale(file, found);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  throw new EmbeddedPostgresError(
    'owned',
    `Several processes are trying to take the data folder ${dataFolder} at this moment. Start only one of them.`,
  );
}

function refusal(dataFolder: string, owner: Owner): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'owned',
    `The data folder ${dataFolder} is in use by process ${owner.pid} since ${owner.since}. ` +
      `Stop that process first, or give this one another data folder.`,
  );
}

/**
 * Removes a stale file. Another process may have replaced it since it was judged; then the renamed file is not the one
 * judged, and is put back.
 */
function removeStale(file: string, judged: Owner | 'unreadable'): void {
  const aside = `${file}.stale-${randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = readOwner(aside);
  const same = judged === 'unreadable' ? moved === judged : typeof moved === 'object' && moved.token === judged.token;
  if (!same) tryLink(aside, file);
  rmSync(aside, { force: true });
}

function release(file: string, mine: Owner): void {
  const found = readOwner(file);
  if (typeof found === 'object' && found.token === mine.token) rmSync(file, { force: true });
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EEXIST') return false;
    if (code === 'EPERM' || code === 'ENOTSUP') return tryExclusiveCopy(from, to);
    throw error;
  }
}

/** For file systems without hard links: also exclusive, though a kill in between can leave an unreadable file. */
function tryExclusiveCopy(from: string, to: string): boolean {
  try {
    writeFileSync(to, readFileSync(from), { flag: 'wx', mode: 0o644 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function readOwner(file: string): Owner | 'absent' | 'unreadable' {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'absent';
    throw error;
  }
  try {
    const owner = JSON.parse(text) as Partial<Owner>;
    const { pid, identity, since, token } = owner;
    if (
      typeof pid === 'number' &&
      typeof identity === 'string' &&
      typeof since === 'string' &&
      typeof token === 'string'
    ) {
      return { pid, identity, since, token };
    }
  } catch {
    // Continues below: a file left empty by a power failure names nobody.
  }
  return 'unreadable';
}
