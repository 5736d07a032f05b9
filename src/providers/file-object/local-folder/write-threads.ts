import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FileToWrite, WriteReply, WriteTask, WrittenPart } from './write-thread.ts';

/** Most threads. Each waits for the disk most of the time. */
const THREADS_MAX = 2;
/** A thread idle for this long is ended, which frees its memory. */
const IDLE_MILLISECONDS = 10_000;
/** Most files that a thread has open at the same time. */
const TASK_FILES_MAX = 100;

/** A thread that writes files, with the tasks that it has not answered. */
interface WriteThread {
  readonly worker: Worker;
  readonly pending: Map<number, (reply: WriteReply) => void>;
  idle: NodeJS.Timeout | undefined;
}

/** What was written, in the order of the files; undefined for files that were not. */
export interface WrittenParts {
  readonly written: readonly (WrittenPart | undefined)[];
  /** The first failure, with the code of the file system. */
  readonly failure: Error | undefined;
}

let threads: readonly WriteThread[] = [];
let taskCount = 0;

/** Writes files below a root, and returns once those that could be written are on disk. */
export async function writeInThreads(root: string, files: readonly FileToWrite[]): Promise<WrittenParts> {
  const size = Math.min(TASK_FILES_MAX, Math.ceil(files.length / THREADS_MAX));
  const written: (WrittenPart | undefined)[] = [];
  let failure: Error | undefined;
  const pieces: (readonly FileToWrite[])[] = [];
  for (let from = 0; from < files.length; from += size) pieces.push(files.slice(from, from + size));
  const replies = await Promise.all(pieces.map((piece) => write(root, piece)));
  for (const [n, reply] of replies.entries()) {
    const piece = pieces[n] ?? [];
    if ('code' in reply) failure ??= Object.assign(new Error(reply.message), { code: reply.code });
    written.push(...('code' in reply ? piece.map(() => undefined) : reply.written));
  }
  return { written, failure };
}

/** Hands files to the thread that has the least to do. */
function write(root: string, files: readonly FileToWrite[]): Promise<WriteReply> {
  const thread = leastBusy();
  clearTimeout(thread.idle);
  thread.worker.ref();
  const id = ++taskCount;
  // Memory of their own, which is handed over; the bytes may be a small part of what they are in.
  const own = files.map((file) => ({ ...file, bytes: new Uint8Array(file.bytes) }));
  const task: WriteTask = { id, root, files: own };
  return new Promise((resolve) => {
    thread.pending.set(id, resolve);
    thread.worker.postMessage(
      task,
      own.map(({ bytes }) => bytes.buffer),
    );
  });
}

function leastBusy(): WriteThread {
  const [first, ...others] = [...threads].sort((a, b) => a.pending.size - b.pending.size);
  if (first && (first.pending.size === 0 || others.length + 1 >= THREADS_MAX)) return first;
  return start();
}

function start(): WriteThread {
  // If this file is compiled, the worker's compiled file is next to it.
  const file = './write-thread.ts'.replace(/\.ts$/, extname(import.meta.filename));
  const worker = new Worker(new URL(file, import.meta.url), { env: {}, argv: [], execArgv: [], name: 'files' });
  const thread: WriteThread = { worker, pending: new Map(), idle: undefined };
  threads = [...threads, thread];
  worker.on('message', (reply: WriteReply) => {
    thread.pending.get(reply.id)?.(reply);
    thread.pending.delete(reply.id);
    if (thread.pending.size > 0) return;
    worker.unref();
    thread.idle = setTimeout(() => void end(thread), IDLE_MILLISECONDS).unref();
  });
  // Without a listener the error of a thread would end the process. The tasks fail when it ends.
  worker.on('error', () => undefined);
  worker.on('exit', () => void end(thread));
  return thread;
}

/** Ends a thread; what it has not answered fails. */
async function end(thread: WriteThread): Promise<void> {
  clearTimeout(thread.idle);
  threads = threads.filter((other) => other !== thread);
  const unanswered = [...thread.pending];
  thread.pending.clear();
  for (const [id, resolve] of unanswered) resolve({ id, code: 'EIO', message: 'the thread that writes files ended' });
  await thread.worker.terminate();
}
