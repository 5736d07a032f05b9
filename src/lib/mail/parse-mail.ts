import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { MailParseError, mailLimits, type MailLimits, type ParsedMail } from './parsed-mail.ts';
import type { ParseAnswer, ParseTask } from './parse-thread.ts';

/** Most threads at once. A second one keeps a slow mail from delaying the others. */
const THREADS_MAX = 2;
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
    const thread = await this.thread();
    const answer = await execute(thread.worker, { source: bytes, limits });
    if (answer instanceof MailParseError) {
      await this.end(thread);
      throw answer;
    }
    this.release(thread);
    if ('mail' in answer) return answer.mail;
    throw new MailParseError(answer.reason, answer.message);
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

/** Hands a mail to a thread and waits for the answer, the limit of time or the end of the thread. */
function execute(worker: Worker, task: ParseTask): Promise<ParseAnswer | MailParseError> {
  const { milliseconds } = task.limits;
  return new Promise((resolve) => {
    const settle = (answer: ParseAnswer | MailParseError): void => {
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
    worker.postMessage(task, [task.source.buffer as ArrayBuffer]);
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
