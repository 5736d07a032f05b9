import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { MailParseError, mailLimits, type MailLimits, type ParsedMail } from './parsed-mail.ts';
import type { ParseAnswer, ParseTask } from './parse-thread.ts';

/** Most threads at once. A second one keeps a slow mail from delaying the others. */
const THREADS_MAX = 2;
/** Most time for several small mails together, of which each takes about a millisecond. */
const MANY_MILLISECONDS = 5_000;
/** A thread idle for this long is ended, which frees its memory. */
const IDLE_MILLISECONDS = 10_000;
/** Limits of a thread's engine, in megabytes. The limits of a mail keep it well below. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 64 };

interface Thread {
  readonly worker: Worker;
  idle: NodeJS.Timeout | undefined;
}

/** Parses mails in threads: with a limit on time and memory, so that no mail holds up or ends the process. */
class MailThreads {
  private threads = 0;
  private readonly free: Thread[] = [];
  private readonly waiting: ((thread: Thread) => void)[] = [];

  /** @throws MailParseError; whatever reading `source` throws */
  async parse(source: AsyncIterable<Uint8Array> | Uint8Array, given: MailLimits = {}): Promise<ParsedMail> {
    const limits = mailLimits(given);
    const bytes = await bytesOf(source, limits.sourceBytesMax);
    const answers = await this.run({ sources: [bytes], limits });
    if (answers instanceof MailParseError) throw answers;
    const parsed = answers.map(outcomeOf)[0] ?? new MailParseError('Unreadable', 'Parsing the mail failed.');
    if (parsed instanceof MailParseError) throw parsed;
    return parsed;
  }

  async parseMany(
    sources: readonly Uint8Array[],
    given: MailLimits = {},
  ): Promise<readonly (ParsedMail | MailParseError)[]> {
    const limits = mailLimits(given);
    const own = sources.map((source) => new Uint8Array(source));
    const milliseconds = Math.min(limits.milliseconds, MANY_MILLISECONDS);
    const answers = await this.run({ sources: own, limits: { ...limits, milliseconds } });
    if (!(answers instanceof MailParseError)) return answers.map(outcomeOf);
    // One of them takes too long or too much memory: the others must not suffer for it.
    const parsed: (ParsedMail | MailParseError)[] = [];
    for (const source of sources)
      parsed.push(
        await this.parse(source, given).catch((error: unknown) => {
          if (error instanceof MailParseError) return error;
          throw error;
        }),
      );
    return parsed;
  }

  /** Hands a task to a thread. Returns an error if the thread did not answer; it is ended then. */
  private async run(task: ParseTask): Promise<readonly ParseAnswer[] | MailParseError> {
    const thread = await this.thread();
    const answers = await execute(thread.worker, task);
    if (answers instanceof MailParseError) await this.end(thread);
    else this.release(thread);
    return answers;
  }

  private thread(): Promise<Thread> {
    const free = this.free.pop();
    if (free) {
      clearTimeout(free.idle);
      free.worker.ref();
      return Promise.resolve(free);
    }
    if (this.threads < THREADS_MAX) return Promise.resolve(this.start());
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private start(): Thread {
    const file = './parse-thread.ts'.replace(/\.ts$/, extname(import.meta.filename));
    const worker = new Worker(new URL(file, import.meta.url), {
      env: {},
      argv: [],
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: THREAD_LIMITS,
      name: 'mails',
    });
    // Without a listener the error of a thread would end the process. Its end is noticed by `execute`.
    worker.on('error', () => undefined);
    this.threads++;
    return { worker, idle: undefined };
  }

  private release(thread: Thread): void {
    const next = this.waiting.shift();
    if (next) return next(thread);
    thread.worker.unref();
    thread.idle = setTimeout(() => void this.end(thread), IDLE_MILLISECONDS).unref();
    this.free.push(thread);
  }

  private async end(thread: Thread): Promise<void> {
    clearTimeout(thread.idle);
    const at = this.free.indexOf(thread);
    if (at >= 0) this.free.splice(at, 1);
    await thread.worker.terminate();
    this.threads--;
    if (this.threads < THREADS_MAX) this.waiting.shift()?.(this.start());
  }
}

const threads = new MailThreads();

/**
 * Parses a mail: headers, text, files, invitations and reports.
 *
 * @throws MailParseError if it is too large or damaged beyond reading; whatever reading `source` throws
 */
export function parseMail(
  source: AsyncIterable<Uint8Array> | Uint8Array,
  limits: MailLimits = {},
): Promise<ParsedMail> {
  return threads.parse(source, limits);
}

/**
 * Parses small mails with one message to a thread. Returns them in order, or why one cannot be parsed. If one of them
 * exceeds the limits of time and memory, each is parsed alone.
 */
export function parseMails(
  sources: readonly Uint8Array[],
  limits: MailLimits = {},
): Promise<readonly (ParsedMail | MailParseError)[]> {
  return threads.parseMany(sources, limits);
}

function outcomeOf(answer: ParseAnswer): ParsedMail | MailParseError {
  return 'mail' in answer ? answer.mail : new MailParseError(answer.reason, answer.message);
}

/** Hands mails to a thread and waits for the answers, the limit of time or the end of the thread. */
function execute(worker: Worker, task: ParseTask): Promise<readonly ParseAnswer[] | MailParseError> {
  const { milliseconds } = task.limits;
  return new Promise((resolve) => {
    const settle = (answer: readonly ParseAnswer[] | MailParseError): void => {
      clearTimeout(timer);
      worker.off('message', settle).off('error', failed).off('exit', ended);
      resolve(answer);
    };
    const late = (): void =>
      settle(new MailParseError('TooSlow', `Parsing the mail took longer than ${milliseconds / 1_000} s.`));
    const failed = (error: unknown): void =>
      settle(
        error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? new MailParseError('TooMuchMemory', 'Parsing the mail exceeded the memory limit.')
          : new MailParseError('Unreadable', 'Parsing the mail failed.'),
      );
    const ended = (): void => settle(new MailParseError('Unreadable', 'Parsing the mail was ended.'));
    const timer = setTimeout(late, milliseconds);
    worker.on('message', settle).on('error', failed).on('exit', ended);
    worker.postMessage(
      task,
      task.sources.map(({ buffer }) => buffer as ArrayBuffer),
    );
  });
}

/** Returns the bytes of a mail in memory of their own. */
async function bytesOf(source: AsyncIterable<Uint8Array> | Uint8Array, bytesMax: number): Promise<Uint8Array> {
  const tooLarge = (): MailParseError =>
    new MailParseError('TooLarge', `The mail is larger than ${Math.floor(bytesMax / 1_048_576)} MB.`);
  if (source instanceof Uint8Array) {
    if (source.byteLength > bytesMax) throw tooLarge();
    return new Uint8Array(source);
  }
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of source) {
    length += piece.byteLength;
    if (length > bytesMax) throw tooLarge();
    pieces.push(piece);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}
