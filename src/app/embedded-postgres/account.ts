import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { lchownSync, readdirSync, statSync, type Stats } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { EmbeddedPostgresError } from './error.ts';

/** The user that runs the server's programs, if not ours. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The conventional "nobody": PostgreSQL refuses to run as root, and this uid exists without creating a user. */
const unprivileged: Account = { uid: 65534, gid: 65534 };

/**
 * Chooses the server's user: ours (undefined) unless we are root.
 *
 * As root it is the owner of the existing cluster, else uid 65534. A cluster that belongs to root (such as a copy
 * restored by root) is given to uid 65534, since no server could open it otherwise.
 */
export function chooseAccount(clusterFolder: string): Account | undefined {
  const own = process.getuid?.();
  const found = statIfThere(clusterFolder);
  if (own !== 0) {
    if (found && own !== undefined && found.uid !== own) {
      throw new EmbeddedPostgresError(
        'folder',
        `${clusterFolder} belongs to uid ${found.uid}, but this process runs as uid ${own}. ` +
          `Start Casewright as the user who owns it (or as root), or give it another data folder.`,
      );
    }
    return undefined;
  }
  if (!found) return unprivileged;
  if (found.uid !== 0) return { uid: found.uid, gid: found.gid };
  giveTo(clusterFolder, unprivileged);
  return unprivileged;
}

/** Whether the account can enter a folder, by the permissions of the folder and of each one above it. */
export function canReach(folder: string, account: Account | undefined): boolean {
  if (!account) return true;
  for (let at = folder; ; at = dirname(at)) {
    const found = statIfThere(at);
    if (!found) return false;
    if (!mayEnter(found, account)) return false;
    if (at === dirname(at)) return true;
  }
}

function mayEnter({ uid, gid, mode }: Stats, account: Account): boolean {
  if (uid === account.uid) return (mode & 0o100) !== 0;
  return (mode & (gid === account.gid ? 0o010 : 0o001)) !== 0;
}

function giveTo(folder: string, account: Account): void {
  lchownSync(folder, account.uid, account.gid);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    lchownSync(join(entry.parentPath, entry.name), account.uid, account.gid);
  }
}

/**
 * Starts a program as the account, with a minimal environment: the server needs none of ours, which contains secrets
 * and perhaps PG* variables that would change its behavior.
 */
export function spawnAs(
  account: Account | undefined,
  file: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  return spawn(file, args, {
    ...options,
    ...(account ? { uid: account.uid, gid: account.gid } : {}),
    // TZ saves initdb its search through all time zones; the messages must be in English to be parsed.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
  });
}

/** The result of a finished program. */
export interface ProgramResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
}

/** Runs a program as the account until it ends. Rejects only if it cannot be started. */
export function runAs(
  account: Account | undefined,
  file: string,
  args: readonly string[],
  cwd: string,
): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawnAs(account, file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, output }));
  });
}

/** Returns the name of our user; undefined if the system has no entry for our uid. */
export function ownUserName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
