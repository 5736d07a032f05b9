import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { BenchOptions } from './run.ts';

/** What is promised: an empty folder serves within six seconds, and an idle server takes no more memory than this. */
const READY_SECONDS_MAX = 6;
const IDLE_MEGABYTES_MAX = 300;
/** How long a server stands idle before its memory is read. */
const IDLE_SECONDS = 60;

const main = join(import.meta.dirname, '../src/app/main.ts');

/**
 * From an empty folder to the first answer, and the memory of all processes of the server after a minute without calls.
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

/** A process and all that descend from it. */
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
    // It ended while the others were read.
    return [];
  }
}

/** The proportional set size: what is shared between processes counts once, in parts. */
function proportionalKilobytes(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
