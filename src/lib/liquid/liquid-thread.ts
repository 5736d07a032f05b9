/** Renders Liquid templates in a thread of their own, which ends with its task if that takes too long. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { LiquidReply, LiquidTask } from './liquid-task.ts';

/** Longest time for the texts of one message, by the clock. */
const TASK_MILLISECONDS = 10_000;
/** A thread that is idle for this long ends. */
const IDLE_MILLISECONDS = 60_000;
/** Most tasks that wait: more are refused. */
const WAITING_MAX = 256;
const LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

let thread: Worker | undefined;
let idle: NodeJS.Timeout | undefined;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a task after those before it.
 * @throws UNAVAILABLE if too many wait
 */
export function runLiquid(task: LiquidTask): Promise<LiquidReply> {
  if (waiting >= WAITING_MAX)
    throw new PlatformError('UNAVAILABLE', { message: 'Too many Liquid templates are waiting; try again later.' });
  waiting++;
  const run = last.then(() => reply(task)).finally(() => waiting--);
  last = run.catch(() => undefined);
  return run;
}

async function reply(task: LiquidTask): Promise<LiquidReply> {
  clearTimeout(idle);
  const worker = (thread ??= start());
  worker.ref();
  const answer = await answerOf(worker, task);
  if (typeof answer === 'string') {
    thread = undefined;
    await worker.terminate();
    const [text] = task.texts;
    return { problem: { name: text?.name ?? '', message: answer } };
  }
  worker.unref();
  idle = setTimeout(() => {
    if (thread === worker) thread = undefined;
    void worker.terminate();
  }, IDLE_MILLISECONDS).unref();
  return answer;
}

/** Returns the thread's reply, or why there is none. */
function answerOf(worker: Worker, task: LiquidTask): Promise<LiquidReply | string> {
  return new Promise((resolve) => {
    const settle = (answer: LiquidReply | string): void => {
      clearTimeout(timer);
      worker.off('message', settle).off('exit', ended);
      resolve(answer);
    };
    const ended = (): void => settle('it exceeds the memory limit of templates');
    const timer = setTimeout(
      () => settle(`it takes longer than ${TASK_MILLISECONDS / 1_000} seconds`),
      TASK_MILLISECONDS,
    );
    worker.on('message', settle).on('exit', ended);
    worker.postMessage(task);
  });
}

function start(): Worker {
  // If this file is compiled, the worker's compiled file is next to it.
  const file = './liquid-worker.ts'.replace(/\.ts$/, extname(import.meta.filename));
  const worker = new Worker(new URL(file, import.meta.url), {
    env: {},
    argv: [],
    execArgv: [],
    resourceLimits: LIMITS,
    name: 'liquid',
  });
  // Without a listener the error of a thread would end the process; its exit is the answer.
  worker.on('error', () => undefined);
  worker.on('exit', () => {
    if (thread === worker) thread = undefined;
  });
  return worker;
}
