import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSameProcess, processIdentity } from '../process-identity.ts';
import { EmbeddedPostgresError } from './error.ts';

/** The content of `owner.json`: which process uses the data folder. */
interface Owner {
  readonly pid: number;
  readonly identity: string;
  readonly since: string;
  /** Tells two takings by one process apart. */
  readonly token: string;
}

/** A data folder that is ours until released. */
export interface Ownership {
  release(): void;
}

/**
 * Makes this process the one owner of a data folder, or refuses and names the process that is.
 *
 * The file is put in place with link(), which fails when one is there and never shows half a file. A file left behind
 * by a killed process is recognised by the start time of its pid and replaced. Processes are looked for on this machine
 * (and in this container) only: two containers must not be given one folder.
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
    // Each round either takes the folder, or refuses, or removes one stale file; others may do the same in between.
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
 * Takes a stale file away. Between judging and renaming, another process may have replaced it by its own: then what we
 * renamed is not what we judged, and it is put back.
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

/** For file systems without hard links: exclusive as well, though a kill in between can leave an unreadable file. */
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
    // Falls through: a file that a power failure left empty names nobody.
  }
  return 'unreadable';
}
