import type { Attributes, FileEntryWithStats, SFTPWrapper, Stats } from 'ssh2';
import { NO_RESPONSE, type SftpChannel } from './connections.ts';
import { PRIVATE_FOLDER } from '../private-modes.ts';

/** The server's response to a request that failed. */
export const STATUS = { noSuchFile: 2, permissionDenied: 3, failure: 4, connectionLost: 7 } as const;

/** One request with its own timeout: a server that stops responding would otherwise block its caller forever. */
export class SftpRequests {
  private readonly line: SftpChannel;
  private readonly milliseconds: number;

  constructor(line: SftpChannel, milliseconds: number) {
    this.line = line;
    this.milliseconds = milliseconds;
  }

  private get sftp(): SFTPWrapper {
    return this.line.sftp;
  }

  open(path: string, flags: 'r' | 'wx', attributes: { readonly mode?: number } = {}): Promise<Buffer> {
    return this.request((done) => this.sftp.open(path, flags, attributes as Attributes, done));
  }

  close(handle: Buffer): Promise<void> {
    return this.run((done) => this.sftp.close(handle, done));
  }

  write(handle: Buffer, bytes: Uint8Array, position: number): Promise<void> {
    return this.run((done) => this.sftp.write(handle, bytes as Buffer, 0, bytes.length, position, done));
  }

  /** Returns up to `length` bytes from a position; none at the end of the file. */
  read(handle: Buffer, position: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length);
    return this.request<Buffer>((done) => {
      this.sftp.read(handle, buffer, 0, length, position, (error, bytesRead) => {
        if (error && (error as { code?: unknown }).code !== 1) return done(error, buffer);
        done(undefined, buffer.subarray(0, error ? 0 : bytesRead));
      });
    });
  }

  /** Returns the attributes of a path without following links; undefined if it does not exist. */
  async lstat(path: string): Promise<Stats | undefined> {
    return this.undefinedWhenMissing(this.request<Stats>((done) => this.sftp.lstat(path, done)));
  }

  /** Returns where a path leads once links are followed; undefined if it leads nowhere. */
  async realPath(path: string): Promise<string | undefined> {
    return this.undefinedWhenMissing(this.request<string>((done) => this.sftp.realpath(path, done)));
  }

  fstat(handle: Buffer): Promise<Stats> {
    return this.request((done) => this.sftp.fstat(handle, done));
  }

  async entries(path: string): Promise<readonly FileEntryWithStats[] | undefined> {
    return this.undefinedWhenMissing(this.request<FileEntryWithStats[]>((done) => this.sftp.readdir(path, done)));
  }

  makeFolder(path: string): Promise<void> {
    return this.run((done) => this.sftp.mkdir(path, { mode: PRIVATE_FOLDER }, done));
  }

  remove(path: string): Promise<void> {
    return this.run((done) => this.sftp.unlink(path, done));
  }

  /** Renames a file; the protocol refuses an existing target. */
  rename(from: string, to: string): Promise<void> {
    return this.run((done) => this.sftp.rename(from, to, done));
  }

  /** Renames over an existing target, if the server can. */
  renameOver(from: string, to: string): Promise<void> {
    return this.run((done) => this.sftp.ext_openssh_rename(from, to, done));
  }

  /** Syncs a file to the server's disk; does nothing if the server does not support it. */
  async sync(handle: Buffer): Promise<void> {
    await this.run((done) => this.sftp.ext_openssh_fsync(handle, done)).catch(ignoreUnsupported);
  }

  /** Returns the free space in bytes, if the server reports it. */
  async freeBytes(path: string): Promise<number | undefined> {
    interface FileSystemStats {
      readonly f_bavail: bigint | number;
      readonly f_frsize: bigint | number;
    }
    const known = await this.request<FileSystemStats>((done) =>
      this.sftp.ext_openssh_statvfs(path, done as never),
    ).catch(() => undefined);
    return known === undefined ? undefined : Number(known.f_bavail) * Number(known.f_frsize);
  }

  private run(request: (done: (error?: Error | null) => void) => unknown): Promise<void> {
    return this.request<undefined>((done) => request((error) => done(error, undefined)));
  }

  private request<T>(request: (done: (error: Error | null | undefined, value: T) => void) => unknown): Promise<T> {
    const { line } = this;
    const { pending, isDead } = line;
    if (isDead) return Promise.reject(new Error(NO_RESPONSE));
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        pending.delete(fail);
      };
      const fail = (error: Error): void => {
        end();
        reject(error);
      };
      const timer = setTimeout(() => {
        fail(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' }));
        line.abandon();
      }, this.milliseconds);
      pending.add(fail);
      try {
        request((error, value) => {
          if (error) return fail(error);
          end();
          resolve(value);
        });
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  private async undefinedWhenMissing<T>(request: Promise<T>): Promise<T | undefined> {
    try {
      return await request;
    } catch (error) {
      if (statusOf(error) === STATUS.noSuchFile) return undefined;
      throw error;
    }
  }
}

/** Returns the status that the server responded with, or undefined without a response. */
export function statusOf(error: unknown): unknown {
  return (error as { code?: unknown } | null | undefined)?.code;
}

function ignoreUnsupported(error: unknown): void {
  if (!(error instanceof Error) || !/not support/i.test(error.message)) throw error;
}
