import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandLine, isSameProcess, processIdentity } from '../process-identity.ts';
import type { ClusterPaths } from './cluster.ts';
import { EmbeddedPostgresError } from './error.ts';

/**
 * Cleans up after a killed owner. Called by the new owner of the data folder before it starts its server.
 *
 * A running server of this cluster is shut down (fast) rather than adopted: only a child process reports when it ends.
 * A postmaster.pid that names no living process is left to PostgreSQL, which also checks its shared memory; one that
 * names a process that is not PostgreSQL (a reused pid) would make the server refuse to start, and is deleted once no
 * process of the cluster is left.
 */
export async function stopOrphan(
  places: ClusterPaths,
  log: (line: string, detail?: Record<string, unknown>) => void,
): Promise<void> {
  const lockFile = join(places.clusterFolder, 'postmaster.pid');
  const pid = readPid(lockFile);
  if (pid === undefined) return;
  const identity = processIdentity(pid);
  switch (identity === undefined ? 'gone' : recognise(pid, places)) {
    case 'gone':
      // A zombie still answers to kill(pid, 0), by which PostgreSQL would consider the lock held.
      if (isAlive(pid)) await removeLock(lockFile, places);
      return;
    case 'other':
      await removeLock(lockFile, places);
      return;
    case 'unclear':
      throw new EmbeddedPostgresError(
        'start',
        `${lockFile} names process ${pid}, a PostgreSQL server; it cannot be determined whether it serves ` +
          'this cluster. ' +
          `If it does, stop it; if it does not, delete that file. Then start again.`,
      );
    case 'ours':
      log('Stopping the PostgreSQL server that an earlier, killed Casewright left running', { pid });
      await stopProcess(pid, identity as string);
  }
}

/** Decides by the process's working folder, which is the cluster's; if that cannot be read, by its command line. */
function recognise(pid: number, places: ClusterPaths): 'ours' | 'other' | 'unclear' {
  const command = commandLine(pid);
  if (!command.includes('postgres')) return 'other';
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === places.clusterFolder ? 'ours' : 'other';
  } catch {
    if (command.includes(`cluster_name=${places.clusterName}`)) return 'ours';
    // Another embedded cluster has another name, but so would a folder that was moved while its server ran.
    return 'unclear';
  }
}

async function stopProcess(pid: number, identity: string): Promise<void> {
  // SIGINT is a fast shutdown, SIGQUIT an immediate one, after which the next start recovers from the write-ahead log.
  for (const [signal, seconds] of [
    ['SIGINT', 20],
    ['SIGQUIT', 10],
  ] as const) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
      throw error;
    }
    if (await eventuallyTrue(() => !isSameProcess(pid, identity), seconds)) return;
  }
  throw new EmbeddedPostgresError(
    'start',
    `The PostgreSQL server left running as process ${pid} does not stop. End it, then start again.`,
  );
}

async function removeLock(lockFile: string, places: ClusterPaths): Promise<void> {
  // Every process of the cluster shows its name; without the main process they end within moments.
  if (!(await eventuallyTrue(() => !clusterProcessLives(places.clusterName), 10))) {
    throw new EmbeddedPostgresError(
      'start',
      `Processes of the PostgreSQL cluster ${places.clusterName} (${places.clusterFolder}) still run without their ` +
        `main process. End them, then start again.`,
    );
  }
  rmSync(lockFile, { force: true });
}

function clusterProcessLives(clusterName: string): boolean {
  if (process.platform !== 'linux') return false;
  return readdirSync('/proc').some(
    (name) => /^\d+$/.test(name) && isPostgresOf(clusterName, commandLine(Number(name))),
  );
}

function isPostgresOf(clusterName: string, command: string): boolean {
  return command.startsWith(`postgres: ${clusterName}: `) || command.includes(`cluster_name=${clusterName}`);
}

function readPid(lockFile: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(lockFile, 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Polls every 20 ms, since processes that are not our children do not report their end. */
async function eventuallyTrue(condition: () => boolean, seconds: number): Promise<boolean> {
  const deadline = performance.now() + seconds * 1000;
  while (performance.now() < deadline) {
    if (condition()) return true;
    await delay(20);
  }
  return condition();
}
