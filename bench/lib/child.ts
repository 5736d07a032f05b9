import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** CPU of all threads of a process since its start, in microseconds. */
export interface CpuUsage {
  readonly user: number;
  readonly system: number;
}

/** The requests that a child handles: names to functions of one plain argument. */
export type Handlers = Readonly<Record<string, (argument: never) => unknown>>;

interface Question {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

interface Reply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** A child process with its request handlers. */
export interface Child<H extends Handlers> {
  readonly pid: number;
  ask<N extends keyof H & string>(name: N, argument: Parameters<H[N]>[0]): Promise<Awaited<ReturnType<H[N]>>>;
  stop(): Promise<void>;
}

/** Node options with which the starter runs the product, see `tools/run.mjs`. */
const STARTER_OPTIONS = ['--max-semi-space-size=8', '--heap-growing-percent=100'];

/** Starts a script in a process: a file of this folder or an absolute path, preceded by Node options. */
export async function startChild<H extends Handlers>(
  script: string,
  nodeOptions: readonly string[] = [],
): Promise<Child<H>> {
  const child = fork(resolve(import.meta.dirname, script), {
    execArgv: [...STARTER_OPTIONS, ...nodeOptions],
    serialization: 'advanced',
    // Standard output is dropped: it is the product's log, a line for each call.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let requestCount = 0;
  child.on('message', (reply: Reply) => {
    const waiter = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (reply.error === undefined) waiter?.resolve(reply.value as never);
    else waiter?.reject(new Error(`${script}: ${reply.error}`));
  });
  child.on('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`${script} ended (${String(code ?? signal)})`));
    waiting.clear();
  });
  await once(child, 'spawn');
  return {
    pid: child.pid ?? 0,
    ask: (name, argument) =>
      new Promise((resolve, reject) => {
        const id = ++requestCount;
        waiting.set(id, { resolve, reject });
        child.send({ id, name, argument } satisfies Question);
      }),
    stop: () => endOf(child),
  };
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.disconnect();
  await ended;
}

/** The child's side: handles requests until the parent has exited or disconnected, then runs `end` and exits. */
export function answerParent(handlers: Handlers, end: () => Promise<void> | void = () => undefined): void {
  const send = (reply: Reply): void => void process.send?.(reply);
  process.on('message', ({ id, name, argument }: Question) => {
    void (async () => {
      try {
        const handler = handlers[name];
        if (!handler) throw new Error(`there is no question ${name}`);
        send({ id, value: await handler(argument as never) });
      } catch (error) {
        send({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      }
    })();
  });
  process.on('disconnect', () => {
    void Promise.resolve(end()).finally(() => process.exit(0));
  });
}
