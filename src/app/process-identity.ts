import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Returns a text that identifies the process of a pid, or undefined if there is none.
 *
 * A pid alone does not identify a process after a crash: pids are reused, in a container quickly. The text contains the
 * time at which the process started (and the boot), so two processes with one pid differ. A process that ended but was
 * not yet reaped by its parent counts as gone.
 */
export function processIdentity(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return process.platform === 'linux' ? identityFromProc(pid) : identityFromPs(pid);
}

/** Whether a pid is still the process of this identity. */
export function isSameProcess(pid: number, identity: string): boolean {
  return processIdentity(pid) === identity;
}

/** Returns a process's command line, separated by blanks; empty if it cannot be read. */
export function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}

function identityFromProc(pid: number): string | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The program's name is in parentheses and may itself contain blanks and parentheses: count from the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const startTicks = fields[19];
  if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined;
  return `${bootId()}:${startTicks}`;
}

function identityFromPs(pid: number): string | undefined {
  try {
    const text = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    const [state = '', ...started] = text.split(/\s+/);
    return state === '' || state.startsWith('Z') ? undefined : started.join(' ');
  } catch {
    return undefined;
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Some sandboxes hide the file; the start time alone must do.
    return 'unknown-boot';
  }
}
