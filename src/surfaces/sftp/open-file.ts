import { close, fdatasync, fstat, ftruncate, read, write, type Stats } from 'node:fs';
import { promisify } from 'node:util';
import { refused } from './failure.ts';
import type { Opening } from './file-rows.ts';

const statOf = promisify(fstat);
const truncate = promisify(ftruncate);
const sync = promisify(fdatasync);
const closed = promisify(close);

/** Bytes that a file may grow before the usage of the home is checked again. */
const GRANT_BYTES = 64 * 1024 * 1024;
/** Most bytes of one read; a client that wants more asks again. */
const READ_BYTES_MAX = 64 * 1024;

/** Limits for a file being written. */
export interface SizeLimits {
  readonly fileBytesMax: number;
  /** Returns how many bytes are left in the home. */
  bytesLeft(): Promise<number>;
}

/** A file that a session has open. */
export class OpenFile {
  /** The row of its upload; undefined for a file opened to read. */
  readonly upload: (Opening & { readonly room: SizeLimits }) | undefined;
  private readonly fd: number;
  private readonly appends: boolean;
  private readonly canRead: boolean;
  private size: number;
  /** The size up to which room is known to exist. */
  private granted: number;
  private granting: Promise<void> | undefined;
  private failed = false;
  private isClosed = false;
  /** Requests in progress; the file is closed after them. */
  private readonly running = new Set<Promise<unknown>>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    fd: number,
    of: {
      readonly size: number;
      readonly appends: boolean;
      readonly canRead: boolean;
      readonly upload?: OpenFile['upload'];
    },
  ) {
    this.fd = fd;
    this.size = of.size;
    this.granted = of.size;
    this.appends = of.appends;
    this.canRead = of.canRead;
    this.upload = of.upload;
  }

  /** Reads bytes from an offset; none at the end. */
  read(offset: number, length: number): Promise<Buffer> {
    if (!this.canRead) return Promise.reject(refused('The file is not open for reading'));
    if (!Number.isSafeInteger(offset + length)) return Promise.reject(refused('There is no such place in a file'));
    const buffer = Buffer.allocUnsafe(Math.min(length, READ_BYTES_MAX));
    return this.track(
      new Promise((resolve, reject) =>
        read(this.fd, buffer, 0, buffer.length, offset, (error, bytes) =>
          error ? reject(error) : resolve(buffer.subarray(0, bytes)),
        ),
      ),
    );
  }

  /**
   * Writes at an offset or, for a file opened to append, at the end: then one write after the other, in order of
   * arrival.
   */
  write(offset: number, data: Buffer): Promise<void> {
    const { upload } = this;
    if (!upload) return Promise.reject(refused('The file is not open for writing'));
    if (!Number.isSafeInteger(offset + data.length)) return Promise.reject(refused('There is no such place in a file'));
    if (this.failed) return Promise.reject(refused('An earlier part of the file could not be written'));
    const end = this.appends ? this.size + data.length : offset + data.length;
    this.size = Math.max(this.size, end);
    if (end <= this.granted && !this.appends) return this.track(this.writeAll(data, offset));
    const turn = this.last
      .then(() => this.ensureRoom(end, upload.room))
      .then(() => this.writeAll(data, this.appends ? null : offset));
    this.last = turn.catch(() => undefined);
    return this.track(turn);
  }

  /** Marks the file as one of which something was not taken: closing it does not complete it. */
  markFailed(): void {
    this.failed = true;
  }

  /** Truncates the file, or extends it with zeros. */
  async truncate(size: number): Promise<void> {
    if (!this.upload) throw refused('The file is not open for writing');
    await this.whenIdle();
    if (size > this.size) await this.ensureRoom(size, this.upload.room);
    await this.track(truncate(this.fd, size));
    this.size = size;
  }

  stat(): Promise<Stats> {
    return statOf(this.fd);
  }

  /**
   * Closes the file. Returns its size if everything is on disk, undefined if something failed or nothing was to be
   * written.
   */
  async close(): Promise<number | undefined> {
    await this.whenIdle();
    if (this.isClosed) return undefined;
    this.isClosed = true;
    try {
      if (!this.upload || this.failed) return undefined;
      await sync(this.fd);
      return (await this.stat()).size;
    } finally {
      await closed(this.fd);
    }
  }

  private writeAll(data: Buffer, offset: number | null): Promise<void> {
    return new Promise((resolve, reject) => {
      write(this.fd, data, 0, data.length, offset, (error, written) => {
        if (error) reject(error);
        else if (written === data.length) resolve();
        else this.writeAll(data.subarray(written), offset === null ? null : offset + written).then(resolve, reject);
      });
    });
  }

  /**
   * Throws if the file may not grow to a size. Checked once for many megabytes, so that writing does not walk the home
   * each time.
   */
  private async ensureRoom(end: number, room: SizeLimits): Promise<void> {
    while (this.granting) await this.granting;
    if (end <= this.granted) return;
    if (end > room.fileBytesMax) throw refused('The file is larger than is taken here');
    this.granting = (async () => {
      const { size } = await this.stat();
      const left = await room.bytesLeft();
      this.granted = Math.min(room.fileBytesMax, size + left, Math.max(end, size + GRANT_BYTES));
    })().finally(() => (this.granting = undefined));
    await this.granting;
    if (end > this.granted) throw refused('The home is full');
  }

  private track<T>(work: Promise<T>): Promise<T> {
    this.running.add(work);
    const done = (): void => void this.running.delete(work);
    work.then(done, () => {
      this.failed = true;
      done();
    });
    return work;
  }

  private async whenIdle(): Promise<void> {
    while (this.running.size > 0) await Promise.allSettled([...this.running]);
  }
}
