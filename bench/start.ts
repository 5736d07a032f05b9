import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { BenchOptions } from './run.ts';

/** Targets: time from an empty folder to the first answer, and memory of an idle server. */
const READY_SECONDS_MAX = 6;
const IDLE_MEGABYTES_MAX = 300;
/** Idle time before the memory is read. */
const IDLE_SECONDS = 60;

const main = join(import.meta.dirname, '../src/app/main.ts');

/**
 * Time from an empty folder to the first answer, and memory of all server processes after a minute without calls.
 */
export async function bench(options: BenchOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'casewright-bench-'));
  const began = performance.now();
  const child = spawn(process.execPath, [main, '--no-demo'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, PORT: '0', CASEWRIGHT_DATA: folder },
  });
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  try {
    const url = await Promise.race([
      readyAt(child.stdout),
      ended.then(() => Promise.reject(new Error('the server ended before it was ready'))),
    ]);
    const answer = await fetch(`${url}/api/healthcheck`);
    if (answer.status !== 200) throw new Error(`the health check answered ${answer.status}`);
    const seconds = (performance.now() - began) / 1_000;
    await delay(IDLE_SECONDS * 1_000);
    const processes = treeOf(child.pid ?? 0);
    const megabytes = processes.reduce((sum, pid) => sum + proportionalKilobytes(pid), 0) / 1_024;
    const own = proportionalKilobytes(child.pid ?? 0) / 1_024;
    options.print(
      `start: empty folder to first answer ${seconds.toFixed(1)} s (at most ${READY_SECONDS_MAX}), ` +
        `idle after ${IDLE_SECONDS} s ${megabytes.toFixed(0)} MB in ${processes.length} processes, ` +
        `${own.toFixed(0)} of them Node (at most ${IDLE_MEGABYTES_MAX}) ` +
        (seconds <= READY_SECONDS_MAX && megabytes <= IDLE_MEGABYTES_MAX ? 'ok' : 'MISSED'),
    );
  } finally {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

function readyAt(out: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve) => {
    createInterface({ input: out }).on('line', (line) => {
      const url = /^casewright ready on (\S+)/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}

/** Returns a process and all its descendants. */
function treeOf(root: number): number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => parentOf(Number(name))),
  );
  const isOurs = (pid: number): boolean => pid === root || (parents.has(pid) && isOurs(parents.get(pid) ?? 0));
  return [...parents.keys()].filter(isOurs);
}

function parentOf(pid: number): [number, number][] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return [[pid, Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1])]];
  } catch {
    // The process exited in the meantime.
    return [];
  }
}

/** Returns the proportional set size, in which shared pages count once in total. */
function proportionalKilobytes(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
