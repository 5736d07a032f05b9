import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { PlatformError } from '../../door/errors.ts';
import type { Log } from '../../ports/log.ts';
import type { FaultReply, SandboxOutput, SandboxAnswer, SandboxReply, SandboxTask } from './sandbox-task.ts';
import { nextMessage, unusedMilliseconds, type Thread } from './sandbox-thread.ts';
import { ScopeTurns } from './scope-turns.ts';
import {
  badXPath,
  checkExpression,
  EXPRESSIONS_MAX,
  expressionAt,
  expressionSheet,
  expressionValues,
  hasDoctype,
} from './sandbox-xpath.ts';

/** Bounds of a {@link Sandbox}; what is not given is the default of the constant of that name. */
export interface SandboxLimits {
  readonly threadsMax?: number;
  readonly runMilliseconds?: number;
  readonly waitMilliseconds?: number;
  readonly waitingMax?: number;
  readonly waitingOfScopeMax?: number;
  readonly idleMilliseconds?: number;
  readonly inputCharactersMax?: number;
  readonly outputBytesMax?: number;
}

/**
 * Most stylesheets running at once per process, for one scope too. A thread takes about 30 MB. One more is started for
 * a scope that has none while others hold all, so that no firm keeps the others waiting by slow stylesheets.
 */
const THREADS_MAX = 2;
/**
 * Processor time that one stylesheet may take. The slowest sensible one, over the thousand rows of the largest page,
 * takes a tenth of it.
 */
const RUN_MILLISECONDS = 5_000;
/** How long a task waits for a thread before it is refused: longer than one may run. */
const WAIT_MILLISECONDS = 8_000;
/** Most waiting tasks; {@link WAITING_OF_SCOPE_MAX} limits those of one scope, so that no firm keeps the others out. */
const WAITING_MAX = 64;
/** See {@link WAITING_MAX}. */
const WAITING_OF_SCOPE_MAX = 16;
/** A thread idle for this long is ended, which frees its memory. */
const IDLE_MILLISECONDS = 60_000;
/** How long a thread may take to start before it counts as failed. */
const START_MILLISECONDS = 15_000;
/** The longest input: a tree of it takes eight times as much, which the memory of a thread still holds. */
const INPUT_CHARACTERS_MAX = 16 * 1024 * 1024;
/** The longest output, in bytes. */
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
/**
 * Limits of the thread's own engine, in megabytes; the library's memory has a limit of its own. The stack is for deep
 * recursion of stylesheets.
 */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 16 };

/** What a stylesheet is asked to make, and for whom. */
export interface TransformTask {
  readonly stylesheet: string;
  readonly xml: string;
  /** Whose data it is, such as a firm: work of different scopes never shares memory. */
  readonly scope: string;
  /** The output must be well-formed XML. */
  readonly wellFormed: boolean;
}

/** XPath expressions over one document, and for whom. */
export interface EvaluateTask {
  readonly xml: string;
  readonly expressions: readonly string[];
  /** See {@link TransformTask}. */
  readonly scope: string;
}

/** Several stylesheets over one document. */
export interface TransformEachTask {
  readonly stylesheets: readonly string[];
  readonly xml: string;
  /** The most that one may make, where it is less than the sandbox's own limit. */
  readonly outputBytesMax?: number;
  /** After this time no further stylesheet is started, and fewer outputs are returned. Default: all are run. */
  readonly softDeadlineMs?: number;
  /** See {@link TransformTask}. */
  readonly scope: string;
}

/** Runs user-written stylesheets and XPath. */
export interface Sandbox {
  /** Compiles a stylesheet and runs nothing. @throws BAD_STYLESHEET with the line in `details` */
  compile(stylesheet: string, scope: string): Promise<void>;
  /**
   * Runs a stylesheet over a document. @throws BAD_OUTPUT where it fails or goes beyond a limit; TOO_MANY, UNAVAILABLE
   * where no thread is free
   */
  transform(task: TransformTask): Promise<string>;
  /**
   * Runs several stylesheets over one document, in the order given, in one thread and one go, which costs about as much
   * as one alone. The outputs are in the same order; a stylesheet that failed has its reason there. @throws TOO_MANY,
   * UNAVAILABLE where no thread is free; BAD_OUTPUT with `details.index` of the one that ran when their time was over
   */
  transformEach(task: TransformEachTask): Promise<readonly SandboxOutput[]>;
  /**
   * What each XPath 1.0 expression finds in a document: the text of the first node in document order, or the string,
   * number or boolean that it computes; undefined where it finds no node. Names stand without prefixes, variables do
   * not exist.
   *
   * @example `await ctx.sandbox.evaluate({ xml: '<a><b>1</b></a>', expressions: ['//b', 'count(//c)', '//c'], scope })`
   * is `['1', '0', undefined]`
   * @throws BAD_XPATH with `details.index` of the expression that is none or fails, or without where all together go
   * beyond a limit;
   *   TOO_MANY, UNAVAILABLE where no thread is free
   */
  evaluate(task: EvaluateTask): Promise<readonly (string | undefined)[]>;
  /**
   * Checks expressions that are saved as configuration, and evaluates nothing. @throws BAD_XPATH as {@link evaluate}
   * does
   */
  checkXPath(expressions: readonly string[]): Promise<void>;
  /** Ends all threads; what runs or waits is refused. */
  stop(): Promise<void>;
}

interface WaitingTask {
  readonly scope: string;
  readonly take: (thread: Thread) => void;
  readonly refuse: (error: PlatformError) => void;
}

/**
 * Threads in which user-written XSLT runs: with a limit on time, memory, input and output, without files or network.
 * They are started on first use. A thread that exceeded its time, failed unexpectedly or holds memory that it cannot
 * free is terminated, and the next task gets a new one.
 */
export class ThreadSandbox implements Sandbox {
  private readonly log: Log;
  private readonly limits: Required<SandboxLimits>;
  private readonly onThread: ((worker: Worker) => void) | undefined;
  private readonly threads = new Set<Thread>();
  /** In the order in which they came; {@link nextWaiting} chooses among the scopes. */
  private readonly waiting: WaitingTask[] = [];
  private readonly turns = new ScopeTurns();
  private stopped = false;

  /** Calls `onThread` with each thread that it starts. */
  constructor(log: Log, limits: SandboxLimits = {}, onThread?: (worker: Worker) => void) {
    this.log = log;
    this.limits = {
      threadsMax: THREADS_MAX,
      runMilliseconds: RUN_MILLISECONDS,
      waitMilliseconds: WAIT_MILLISECONDS,
      waitingMax: WAITING_MAX,
      waitingOfScopeMax: WAITING_OF_SCOPE_MAX,
      idleMilliseconds: IDLE_MILLISECONDS,
      inputCharactersMax: INPUT_CHARACTERS_MAX,
      outputBytesMax: OUTPUT_BYTES_MAX,
      ...limits,
    };
    this.onThread = onThread;
  }

  async compile(stylesheet: string, scope: string): Promise<void> {
    const reply = await this.run({ kind: 'compile', stylesheet, scope });
    if (!('fault' in reply)) return;
    const line = reply.line === undefined ? '' : `line ${reply.line}: `;
    throw new PlatformError('BAD_STYLESHEET', {
      field: 'Stylesheet',
      message: `Stylesheet: ${line}it ${reply.message}.`,
      details: reply.line === undefined ? {} : { line: reply.line },
    });
  }

  async transform(task: TransformTask): Promise<string> {
    const { inputCharactersMax, outputBytesMax } = this.limits;
    if (task.xml.length > inputCharactersMax)
      throw badOutput(
        `the answer is longer than ${inputCharactersMax} characters, the most that a stylesheet can read; ` +
          'request fewer rows or columns',
      );
    const reply = await this.run({ kind: 'transform', ...task, outputBytesMax });
    if (!('fault' in reply)) return reply.output;
    throw badOutput(`the stylesheet ${reply.line === undefined ? '' : `(line ${reply.line}) `}${reply.message}`);
  }

  async transformEach(task: TransformEachTask): Promise<readonly SandboxOutput[]> {
    const { inputCharactersMax, outputBytesMax } = this.limits;
    if (task.xml.length > inputCharactersMax)
      throw badOutput(`the document is longer than the ${inputCharactersMax} characters that a stylesheet can read`);
    const turn = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const failed = ({ message }: { readonly message: string }): PlatformError =>
      new PlatformError('BAD_OUTPUT', { field: 'Transform', message, details: { index: Atomics.load(turn, 0) } });
    const reply = await this.run({
      kind: 'each',
      ...task,
      outputBytesMax: Math.min(outputBytesMax, task.outputBytesMax ?? outputBytesMax),
      turn,
    }).catch((error: unknown) => {
      throw error instanceof PlatformError && error.code === 'BAD_OUTPUT' ? failed(error) : error;
    });
    if ('outputs' in reply) return reply.outputs;
    throw failed({ message: `Transform: a stylesheet ${'fault' in reply ? reply.message : 'failed'}.` });
  }

  async evaluate({ xml, expressions, scope }: EvaluateTask): Promise<readonly (string | undefined)[]> {
    if (expressions.length === 0) return [];
    checkExpressions(expressions);
    const { inputCharactersMax, outputBytesMax } = this.limits;
    if (xml.length > inputCharactersMax)
      throw badXPath(`the document is longer than the ${inputCharactersMax} characters that expressions can read`);
    // Entities would be put in, which nobody who writes data needs.
    if (hasDoctype(xml))
      throw new PlatformError('BAD_XML', {
        message: 'The document that expressions are evaluated on has a DOCTYPE, which is not accepted.',
      });
    const reply = await this.run({
      kind: 'transform',
      stylesheet: expressionSheet(expressions),
      xml,
      scope,
      wellFormed: false,
      outputBytesMax,
    }).catch(asBadXPath);
    if ('output' in reply) return expressionValues(reply.output, expressions.length);
    throw xPathFault(reply, expressions);
  }

  async checkXPath(expressions: readonly string[]): Promise<void> {
    if (expressions.length === 0) return;
    checkExpressions(expressions);
    const reply = await this.run({
      kind: 'compile',
      stylesheet: expressionSheet(expressions),
      scope: CONFIGURATION_SCOPE,
    }).catch(asBadXPath);
    if ('fault' in reply) throw xPathFault(reply, expressions);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    for (const { refuse } of this.waiting.splice(0))
      refuse(unavailable('The server is shutting down; send ' + 'the call again.'));
    await Promise.all([...this.threads].map((thread) => this.end(thread)));
  }

  private run(task: Exclude<SandboxTask, { readonly kind: 'each' }>): Promise<SandboxOutput>;
  private run(task: SandboxTask): Promise<SandboxReply>;
  private async run(task: SandboxTask): Promise<SandboxReply> {
    const thread = await this.threadFor(task.scope);
    clearTimeout(thread.idle);
    thread.worker.ref();
    let answer: SandboxAnswer;
    try {
      answer = await this.execute(thread, task);
    } catch (error) {
      await this.end(thread);
      throw error;
    }
    const { reply, isSpent } = answer;
    const isBroken = 'fault' in reply && reply.fault === 'broken';
    if (isBroken) this.log.warn('a thread of the sandbox failed and is ended', { failure: reply.message });
    if (isBroken || isSpent) await this.end(thread);
    else this.release(thread);
    return reply;
  }

  /** Hands a task over and waits for the reply, the limit of time or the end of the thread. */
  private async execute(thread: Thread, task: SandboxTask): Promise<SandboxAnswer> {
    const { runMilliseconds } = this.limits;
    const what = { compile: 'compiling the stylesheet', transform: 'the stylesheet', each: 'the stylesheets' }[
      task.kind
    ];
    const message = nextMessage(thread.worker, runMilliseconds, () => unusedMilliseconds(thread, runMilliseconds));
    thread.worker.postMessage(task);
    const got = await message;
    if (typeof got !== 'string') return got;
    if (this.stopped) throw unavailable('The server is shutting down; send the call again.');
    throw badOutput(
      got === 'late'
        ? `${what} took longer than ${runMilliseconds / 1000} s and ${task.kind === 'each' ? 'were' : 'was'} stopped`
        : `${what} ended unexpectedly; send the call again`,
    );
  }

  private async threadFor(scope: string): Promise<Thread> {
    if (this.stopped) throw unavailable('The server is shutting down; send the call again.');
    const idle = [...this.threads].filter((thread) => !thread.busy);
    const free = idle.find((thread) => thread.scope === scope) ?? idle[0];
    if (this.busyThreads(scope) >= this.limits.threadsMax) return this.wait(scope);
    if (free) return this.give(free, scope);
    if (!this.mayStart(scope)) return this.wait(scope);
    this.turns.mark(scope);
    return this.start(scope);
  }

  private busyThreads(scope: string): number {
    return [...this.threads].filter((thread) => thread.busy && thread.scope === scope).length;
  }

  /** Whether another thread may be started for a scope: one more than usual for a scope that has none. */
  private mayStart(scope: string): boolean {
    return this.threads.size < this.limits.threadsMax + (this.busyThreads(scope) === 0 ? 1 : 0);
  }

  private give(thread: Thread, scope: string): Thread {
    thread.busy = true;
    thread.scope = scope;
    this.turns.mark(scope);
    return thread;
  }

  private nextWaiting(): WaitingTask | undefined {
    const scope = this.turns.next(
      this.waiting.map((task) => task.scope),
      (each) => this.busyThreads(each),
      this.limits.threadsMax,
    );
    return this.waiting.find((task) => task.scope === scope);
  }

  private wait(scope: string): Promise<Thread> {
    const { waitingMax, waitingOfScopeMax, waitMilliseconds } = this.limits;
    if (
      this.waiting.length >= waitingMax ||
      this.waiting.filter((each) => each.scope === scope).length >= waitingOfScopeMax
    ) {
      throw new PlatformError('TOO_MANY', {
        field: 'Transform',
        message: 'Transform: too many stylesheets are waiting to be run; try again later.',
        details: { RetryAfterSeconds: Math.ceil(waitMilliseconds / 1_000) },
      });
    }
    const { promise, resolve, reject } = Promise.withResolvers<Thread>();
    const leave = (): void => {
      clearTimeout(timer);
      const at = this.waiting.indexOf(entry);
      if (at >= 0) this.waiting.splice(at, 1);
    };
    const entry: WaitingTask = {
      scope,
      take: (thread) => {
        leave();
        resolve(thread);
      },
      refuse: (error) => {
        leave();
        reject(error);
      },
    };
    const timer = setTimeout(
      () =>
        entry.refuse(
          unavailable(`Transform: no thread became free for the stylesheet within ${waitMilliseconds} milliseconds.`),
        ),
      waitMilliseconds,
    );
    this.waiting.push(entry);
    return promise;
  }

  private async start(scope: string): Promise<Thread> {
    // If this file is compiled, the worker's compiled file is next to it.
    const taskBegan = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
    const worker = new Worker(
      new URL('./sandbox-worker.ts'.replace(/\.ts$/, extname(import.meta.filename)), import.meta.url),
      {
        env: {},
        argv: [],
        execArgv: [],
        stdin: false,
        stdout: true,
        stderr: true,
        resourceLimits: THREAD_LIMITS,
        name: 'stylesheets',
        workerData: taskBegan,
      },
    );
    const thread: Thread = { worker, taskBegan, scope, busy: true, idle: undefined };
    this.threads.add(thread);
    // Without a listener the error of a thread would end the process.
    worker.on('error', (error) =>
      this.log.warn('a thread of the sandbox ended', {
        failure: error instanceof Error ? error.message.slice(0, 200) : 'unknown',
      }),
    );
    worker.on('exit', () => this.forget(thread));
    this.onThread?.(worker);
    const ready = await nextMessage(worker, START_MILLISECONDS);
    if (typeof ready !== 'string' && !this.stopped) return thread;
    await this.end(thread);
    throw unavailable(
      this.stopped
        ? 'The server is shutting down; send the call again.'
        : 'Transform: no thread for the ' + 'stylesheet could be started.',
    );
  }

  /** Gives a free thread to the first waiting task, or keeps it for a while. */
  private release(thread: Thread): void {
    if (!this.threads.has(thread)) return;
    thread.busy = false;
    const next = this.nextWaiting();
    if (next) return next.take(this.give(thread, next.scope));
    thread.worker.unref();
    thread.idle = setTimeout(() => void this.end(thread), this.limits.idleMilliseconds).unref();
  }

  private async end(thread: Thread): Promise<void> {
    await thread.worker.terminate();
    this.forget(thread);
  }

  /** A thread is gone: who waits for one gets a new one. */
  private forget(thread: Thread): void {
    clearTimeout(thread.idle);
    if (!this.threads.delete(thread) || this.stopped || this.waiting.length === 0) return;
    const next = this.nextWaiting();
    if (!next || !this.mayStart(next.scope)) return;
    this.start(next.scope).then(
      (made) => this.release(made),
      (error: unknown) => this.nextWaiting()?.refuse(error as PlatformError),
    );
  }
}

/** Whose work it is to check what is saved as configuration: it sees no data. */
const CONFIGURATION_SCOPE = 'configuration';

function checkExpressions(expressions: readonly string[]): void {
  if (expressions.length > EXPRESSIONS_MAX)
    throw badXPath(`there are ${expressions.length} expressions; at most ${EXPRESSIONS_MAX} are evaluated at once`);
  expressions.forEach((expression, i) => checkExpression(expression, i, expressions.length));
}

function xPathFault({ fault, message, line }: FaultReply, expressions: readonly string[]): PlatformError {
  if (fault === 'answer')
    return new PlatformError('BAD_XML', {
      message: 'The document that expressions are evaluated on cannot be read.',
    });
  const index = expressionAt(line);
  const expression = index === undefined ? undefined : expressions[index];
  const what =
    fault === 'stylesheet' ? 'it is not an XPath 1.0 expression' : `it ${message.replace(/; at variable; .*$/s, '')}`;
  return expression === undefined ? badXPath(what) : badXPath(what, index, expressions.length, expression);
}

/** What a task of stylesheets is refused with, in the words of expressions. */
function asBadXPath(error: unknown): never {
  if (error instanceof PlatformError && error.code === 'BAD_OUTPUT')
    throw badXPath(
      error.message.replace(/^Transform: (?:compiling the stylesheet|the stylesheet) (.*?)\.?$/, 'evaluating it $1'),
    );
  throw error;
}

function badOutput(message: string): PlatformError {
  return new PlatformError('BAD_OUTPUT', { field: 'Transform', message: `Transform: ${message}.` });
}

function unavailable(message: string): PlatformError {
  return new PlatformError('UNAVAILABLE', { field: 'Transform', message, details: { RetryAfterSeconds: 5 } });
}

/**
 * Whether work was refused, or what needed it, because no thread was free in time; which says nothing of the work:
 * later it may be done.
 */
export function isSandboxBusy(error: unknown): boolean {
  return (
    error instanceof PlatformError &&
    ((error.field === 'Transform' && (error.code === 'TOO_MANY' || error.code === 'UNAVAILABLE')) ||
      isSandboxBusy(error.cause))
  );
}
