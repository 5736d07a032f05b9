import { fork, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { UnreadableFile, type OpenText, type TextFile, type TextReader } from '../../contracts/text-reader.ts';
import { formats, type FormatName } from './formats/formats.ts';
import type { ReaderReply, ReaderRequest } from './reader-messages.ts';

/** Bounds of {@link ReaderProcesses}. */
export interface ReaderLimits {
  /** Most processes at a time. Default: one for each processor. */
  readonly processesMax?: number;
  /** How long opening a file, or reading some of its pages, may take. */
  readonly requestMilliseconds?: number;
}

const REQUEST_MILLISECONDS = 60_000;
/** Files after which a process is replaced, and the memory: that of PDFium never shrinks. */
const FILES_MAX = 50;
const MEMORY_BYTES_MAX = 400 * 1024 * 1024;
/** A process that has nothing to do for this long is ended. */
const IDLE_MILLISECONDS = 20_000;
/** Memory of a process's own engine, in megabytes; that of PDFium is beside it. */
const ENGINE_MEGABYTES = 768;
/** Bytes of a file per message. */
const PIECE_BYTES = 1024 * 1024;

const ROOT = join(import.meta.dirname, '../../..');

/**
 * Processes in which files are read, one file each at a time. They start when they are needed. One that takes too long
 * or ends unexpectedly concerns only its file.
 */
export class ReaderProcesses {
  private readonly limits: Required<ReaderLimits>;
  private readonly idle: ReaderProcess[] = [];
  private readonly all = new Set<ReaderProcess>();
  private readonly waiting: (() => void)[] = [];
  private isStopped = false;

  constructor(limits: ReaderLimits = {}) {
    this.limits = {
      processesMax: limits.processesMax ?? availableParallelism(),
      requestMilliseconds: limits.requestMilliseconds ?? REQUEST_MILLISECONDS,
    };
  }

  /** Returns the reader of a format. */
  reader(format: FormatName): TextReader {
    return { mediaTypes: formats[format].mediaTypes, open: (file) => this.open(format, file) };
  }

  /** Ends all processes; what they read fails. */
  stop(): void {
    this.isStopped = true;
    for (const each of this.all) each.end();
  }

  private async open(format: FormatName, file: TextFile): Promise<OpenText> {
    const reader = await this.take();
    try {
      const { pageCount, isPaged, hasImages } = await reader.open(format, file);
      return {
        pageCount,
        isPaged,
        pages: async (first, count) => (await reader.request({ kind: 'pages', first, count }, 'pages')).pages,
        ...(hasImages && {
          image: async (page, width) => (await reader.request({ kind: 'image', page, width }, 'image')).image,
        }),
        picture: async (page) => (await reader.request({ kind: 'picture', page }, 'picture')).picture,
        close: () => this.release(reader),
      };
    } catch (error) {
      await this.release(reader);
      throw error;
    }
  }

  private async take(): Promise<ReaderProcess> {
    for (;;) {
      if (this.isStopped) throw new Error('the readers of text were stopped');
      const free = this.idle.pop();
      if (free?.isAlive) return free.takeUp();
      if (free) continue;
      if (this.all.size < this.limits.processesMax) {
        const started = new ReaderProcess(this.limits.requestMilliseconds, () => this.onEnd(started));
        this.all.add(started);
        return started;
      }
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  private async release(reader: ReaderProcess): Promise<void> {
    const isUsable = await reader.close();
    if (isUsable && !this.isStopped) {
      this.idle.push(reader);
      this.waiting.shift()?.();
    } else reader.end();
  }

  private onEnd(reader: ReaderProcess): void {
    this.all.delete(reader);
    const at = this.idle.indexOf(reader);
    if (at !== -1) this.idle.splice(at, 1);
    this.waiting.shift()?.();
  }
}

type ReplyOf<K extends ReaderReply['kind']> = Extract<ReaderReply, { kind: K }>;

class ReaderProcess {
  private readonly child: ChildProcess;
  private readonly milliseconds: number;
  private files = 0;
  private settle: ((reply: ReaderReply | Error) => void) | undefined;
  private idleTimer: NodeJS.Timeout | undefined;
  isAlive = true;

  constructor(milliseconds: number, onEnd: () => void) {
    this.milliseconds = milliseconds;
    this.child = fork(join(import.meta.dirname, 'reader-process.ts'), [], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // It needs nothing of the environment, which may contain keys.
      env: {},
      execArgv: [`--max-old-space-size=${ENGINE_MEGABYTES}`, '--permission', `--allow-fs-read=${ROOT}`],
    });
    this.child.on('message', (reply: ReaderReply) => this.settle?.(reply));
    const ended = (): void => {
      if (!this.isAlive) return;
      this.isAlive = false;
      clearTimeout(this.idleTimer);
      this.settle?.(new Error('the process that read the file ended'));
      onEnd();
    };
    this.child.on('exit', ended).on('error', ended);
  }

  takeUp(): this {
    clearTimeout(this.idleTimer);
    return this;
  }

  async open(format: FormatName, { name, bytes }: TextFile): Promise<ReplyOf<'opened'>> {
    this.files++;
    const answer = this.request({ kind: 'open', format, name, size: bytes.length }, 'opened');
    // A file that does not arrive shows in the answer, which is awaited.
    answer.catch(() => undefined);
    for (let at = 0; at < bytes.length && this.isAlive; at += PIECE_BYTES)
      await this.send({ kind: 'bytes', piece: bytes.subarray(at, at + PIECE_BYTES) });
    return answer;
  }

  /** Sends a request and returns its answer. Throws {@link UnreadableFile} for a file that cannot be read. */
  async request<K extends ReaderReply['kind']>(request: ReaderRequest, expected: K): Promise<ReplyOf<K>> {
    if (!this.isAlive) throw new Error('the process that read the file ended');
    const reply = await new Promise<ReaderReply | Error>((resolve) => {
      const timer = setTimeout(() => {
        resolve(new UnreadableFile(`Reading the file took longer than ${Math.round(this.milliseconds / 1_000)} s.`));
        this.end();
      }, this.milliseconds);
      this.settle = (value) => {
        clearTimeout(timer);
        resolve(value);
      };
      void this.send(request);
    });
    this.settle = undefined;
    if (reply instanceof Error) throw reply;
    if (reply.kind === 'unreadable') throw new UnreadableFile(reply.message);
    if (reply.kind !== expected) throw new Error(reply.kind === 'failed' ? reply.message : 'unexpected answer');
    return reply as ReplyOf<K>;
  }

  /** Closes the file. Returns whether the process can read another one. */
  async close(): Promise<boolean> {
    if (!this.isAlive) return false;
    try {
      const { memory } = await this.request({ kind: 'close' }, 'closed');
      if (this.files >= FILES_MAX || memory > MEMORY_BYTES_MAX) return false;
    } catch {
      return false;
    }
    this.idleTimer = setTimeout(() => this.end(), IDLE_MILLISECONDS).unref();
    this.child.unref();
    this.child.channel?.unref();
    return true;
  }

  end(): void {
    this.child.kill('SIGKILL');
  }

  private send(message: ReaderRequest): Promise<void> {
    this.child.ref();
    this.child.channel?.ref();
    return new Promise((resolve) => {
      this.child.send(message, () => resolve());
    });
  }
}
