import { randomUUID } from 'node:crypto';
import type { FileEntry, FileObject, FileStat, WrittenFile } from '../../../contracts/file-object.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import {
  alreadyExists,
  filePathNames,
  isPartName,
  isPlainName,
  fileNotFound,
  pathNames,
  partName,
  ContentDigest,
  fixedSizePieces,
  locationUnavailable,
  storageFull,
} from '../paths.ts';
import { isConnectionLost, type SftpConnections } from './connections.ts';
import { SftpRequests, STATUS, statusOf } from './requests.ts';
import { PRIVATE_FILE } from '../private-modes.ts';

/** Bytes per request: accepted by every server. */
const PACKET_BYTES = 32 * 1024;
/** Requests in flight per file: enough to fill the connection, with bounded memory. */
const PACKETS_AT_ONCE = 32;
/** Levels of folders searched for interrupted parts. */
const DEPTH_MAX = 16;
/** A server with less free space than this counts as full. */
const ROOM_BYTES_MIN = 64 * 1024;

/** A folder on a server reached by sFTP. Does not follow links, as far as the server reports them. */
export class SftpFolder implements FileObject {
  readonly shared = true;
  readonly gradual = true;
  private readonly name: string;
  private readonly connections: SftpConnections;
  private readonly folder: string;
  private readonly milliseconds: number;

  /** `folder` is absolute on the server, or relative to the user's start folder. */
  constructor(name: string, connections: SftpConnections, folder: string, milliseconds: number) {
    this.name = name;
    this.connections = connections;
    this.folder = folder;
    this.milliseconds = milliseconds;
  }

  async check(): Promise<void> {
    await this.withConnection(async (ask) => {
      if (!(await ask.entries(await this.root(ask))))
        throw locationUnavailable(this.name, `has no folder ${this.folder}`);
    });
  }

  async close(): Promise<void> {
    this.connections.close();
  }

  write(path: string, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile> {
    return this.put(path, () => bytes, renameToNew(path));
  }

  replace(path: string, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile> {
    return this.put(
      path,
      () => bytes,
      async (ask, part, target) => {
        if (!(await ask.lstat(target))?.isFile()) throw fileNotFound();
        await ask.renameOver(part, target);
      },
    );
  }

  async *read(path: string, range: { readonly start?: number; readonly end?: number } = {}): AsyncIterable<Uint8Array> {
    filePathNames(path);
    const pieces = new PieceHandoff<Buffer>();
    let isBegun = false;
    const reading = this.withConnection(
      async (ask) => {
        for await (const piece of this.readWith(ask, path, range)) {
          isBegun = true;
          if (!(await pieces.give(piece))) break;
        }
      },
      () => !isBegun,
    ).then(
      () => {
        pieces.end();
      },
      (error: unknown) => {
        pieces.fail(error);
      },
    );
    try {
      yield* pieces;
    } finally {
      pieces.stop();
      await reading;
    }
  }

  async stat(path: string): Promise<FileStat | undefined> {
    return this.withConnection(async (ask) => {
      const target = await this.inside(ask, filePathNames(path));
      const found = target === undefined ? undefined : await ask.lstat(target);
      return found?.isFile() ? { size: found.size, modified: new Date(found.mtime * 1_000).toISOString() } : undefined;
    });
  }

  async copy(from: string, to: string): Promise<void> {
    filePathNames(from);
    // Both use one connection: copies that each held one and waited for another would deadlock.
    await this.put(to, (ask) => this.readWith(ask, from, {}), renameToNew(to));
  }

  async delete(path: string): Promise<void> {
    await this.withConnection(async (ask) => {
      const target = await this.inside(ask, filePathNames(path));
      if (target === undefined || !(await ask.lstat(target))?.isFile()) return;
      await ask.remove(target).catch((error: unknown) => {
        if (statusOf(error) !== STATUS.noSuchFile) throw error;
      });
    });
  }

  async *list(folder: string, options: { readonly depth?: number } = {}): AsyncIterable<string> {
    for await (const { path } of this.entries(folder, options)) yield path;
  }

  async *entries(folder: string, { depth = 0 }: { readonly depth?: number } = {}): AsyncIterable<FileEntry> {
    const names = pathNames(folder);
    const found = await this.withConnection(async (ask) => {
      const target = await this.inside(ask, names);
      return target === undefined ? [] : ((await ask.entries(target)) ?? []);
    });
    const base = names.map((name) => `/${name}`).join('');
    for (const { filename, attrs } of [...found].sort((a, b) => (a.filename < b.filename ? -1 : 1))) {
      if (!isPlainName(filename)) continue;
      if (attrs.isFile())
        yield { path: `${base}/${filename}`, size: attrs.size, modified: new Date(attrs.mtime * 1_000).toISOString() };
      else if (attrs.isDirectory() && depth > 0) yield* this.entries(`${base}/${filename}`, { depth: depth - 1 });
    }
  }

  async removeUnfinished(before: string): Promise<number> {
    return this.withConnection(async (ask) => removeParts(ask, await this.root(ask), before, DEPTH_MAX));
  }

  private async put(
    path: string,
    bytes: (ask: SftpRequests) => AsyncIterable<Uint8Array>,
    name: NamePart,
  ): Promise<WrittenFile> {
    const names = filePathNames(path);
    return this.withConnection(
      async (ask) => {
        const folder = await this.ensureFolder(ask, names.slice(0, -1));
        const part = `${folder}/${partName(randomUUID())}`;
        try {
          const written = await writeFile(ask, part, bytes(ask));
          await name(ask, part, `${folder}/${names.at(-1) ?? ''}`);
          return written;
        } catch (error) {
          const isFull =
            statusOf(error) === STATUS.failure && ((await ask.freeBytes(folder)) ?? Infinity) < ROOM_BYTES_MIN;
          await ask.remove(part).catch(() => undefined);
          throw isFull ? storageFull(error) : error;
        }
      },
      () => false,
    );
  }

  private async *readWith(
    ask: SftpRequests,
    path: string,
    { start = 0, end }: { readonly start?: number; readonly end?: number },
  ): AsyncIterable<Buffer> {
    const target = await this.inside(ask, filePathNames(path));
    if (target === undefined || !(await ask.lstat(target))?.isFile()) throw fileNotFound();
    const handle = await ask.open(target, 'r');
    const coming: Promise<Buffer>[] = [];
    try {
      const last = Math.min(end ?? Infinity, (await ask.fstat(handle)).size);
      let requestedTo = start;
      const fill = (): void => {
        for (; requestedTo < last && coming.length < PACKETS_AT_ONCE; requestedTo += PACKET_BYTES) {
          const one = readFully(ask, handle, requestedTo, Math.min(PACKET_BYTES, last - requestedTo));
          one.catch(() => undefined);
          coming.push(one);
        }
      };
      fill();
      while (coming.length > 0) {
        yield (await coming.shift()) ?? Buffer.alloc(0);
        fill();
      }
    } finally {
      await Promise.allSettled(coming);
      await ask.close(handle).catch(() => undefined);
    }
  }

  /**
   * Returns the location's folder as the server resolves it with links followed: links above it are the server's own.
   */
  private async root(ask: SftpRequests): Promise<string> {
    const root = await ask.realPath(this.folder);
    if (root === undefined) throw locationUnavailable(this.name, `has no folder ${this.folder}`);
    return root === '/' ? '' : root;
  }

  /** Returns where a path is on the server; undefined if it does not exist or a link leads elsewhere. */
  private async inside(ask: SftpRequests, names: readonly string[]): Promise<string | undefined> {
    const target = `${await this.root(ask)}${names.map((name) => `/${name}`).join('')}`;
    return (await ask.realPath(target === '' ? '/' : target)) === (target === '' ? '/' : target) ? target : undefined;
  }

  /** Returns a folder of the location, creating it if missing. */
  private async ensureFolder(ask: SftpRequests, names: readonly string[]): Promise<string> {
    const root = await this.root(ask);
    for (let depth = 1; depth <= names.length; depth++) {
      const path = `${root}${names
        .slice(0, depth)
        .map((name) => `/${name}`)
        .join('')}`;
      if ((await ask.lstat(path)) === undefined)
        await ask.makeFolder(path).catch(async (error: unknown) => {
          // Another writer created it meanwhile.
          if (!(await ask.lstat(path))) throw error;
        });
      if (!(await ask.lstat(path))?.isDirectory())
        throw locationUnavailable(this.name, 'has something other than a folder at this path');
    }
    return `${root}${names.map((name) => `/${name}`).join('')}`;
  }

  private async withConnection<T>(
    work: (ask: SftpRequests) => Promise<T>,
    mayRepeat: () => boolean = () => true,
  ): Promise<T> {
    try {
      return await this.connections.run((line) => work(new SftpRequests(line, this.milliseconds)), mayRepeat);
    } catch (error) {
      const status = statusOf(error);
      // An error thrown by the caller's own stream is passed on.
      if (
        error instanceof PlatformError ||
        (typeof status !== 'number' && status !== 'ETIMEDOUT' && !isConnectionLost(error))
      )
        throw error;
      if (status === STATUS.permissionDenied) throw locationUnavailable(this.name, 'refuses access to its user', error);
      throw locationUnavailable(this.name, failureText(status, error), error);
    }
  }
}

/** Returns what went wrong, as the end of a sentence about the location. */
function failureText(status: unknown, error: unknown): string {
  if (status === 'ETIMEDOUT') return 'stopped answering';
  return isConnectionLost(error) ? 'lost the connection' : `refuses (status ${String(status)})`;
}

/** Gives a written part its final name. */
type NamePart = (ask: SftpRequests, part: string, target: string) => Promise<void>;

/** Gives a part its final name unless the name exists. */
function renameToNew(path: string): NamePart {
  return async (ask, part, target) => {
    if (await ask.lstat(target)) throw alreadyExists(path);
    await ask.rename(part, target).catch(async (error: unknown) => {
      // The protocol has no specific status for this.
      throw statusOf(error) === STATUS.failure && (await ask.lstat(target)) ? alreadyExists(path) : error;
    });
  };
}

/** Writes a new file, with many packets in flight; resolves when the server reports that it is on its disk. */
async function writeFile(ask: SftpRequests, path: string, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile> {
  const handle = await ask.open(path, 'wx', { mode: PRIVATE_FILE });
  const passed = new ContentDigest();
  const going = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const packet of fixedSizePieces(bytes, PACKET_BYTES)) {
      const one = ask
        .write(handle, packet, passed.size)
        .catch((error: unknown) => void (failure ??= { error }))
        .finally(() => going.delete(one));
      going.add(one);
      passed.add(packet);
      if (going.size >= PACKETS_AT_ONCE) await Promise.race(going);
      if (failure) break;
    }
    await Promise.all(going);
    if (failure) throw failure.error;
    await ask.sync(handle);
    return passed.written();
  } finally {
    await Promise.all(going);
    await ask.close(handle).catch(() => undefined);
  }
}

/** Reads a number of bytes from a position: a server may return fewer per request. */
async function readFully(ask: SftpRequests, handle: Buffer, position: number, length: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let got = 0; got < length;) {
    const part = await ask.read(handle, position + got, length - got);
    if (part.length === 0) throw fileNotFound();
    parts.push(part);
    got += part.length;
  }
  return parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts);
}

async function removeParts(ask: SftpRequests, folder: string, before: string, depth: number): Promise<number> {
  let removed = 0;
  for (const { filename, attrs } of (await ask.entries(folder === '' ? '/' : folder)) ?? []) {
    const path = `${folder}/${filename}`;
    if (attrs.isDirectory() && depth > 0 && isPlainName(filename))
      removed += await removeParts(ask, path, before, depth - 1);
    if (!isPartName(filename) || !attrs.isFile() || new Date(attrs.mtime * 1_000).toISOString() >= before) continue;
    await ask.remove(path).catch(() => undefined);
    removed++;
  }
  return removed;
}

/** Hands chunks, one at a time, from work that holds a connection to their reader. */
class PieceHandoff<T> implements AsyncIterable<T> {
  private readonly held: T[] = [];
  private isEnded = false;
  private isStopped = false;
  private failure: { readonly error: unknown } | undefined;
  private changed = Promise.withResolvers<undefined>();

  /** Resolves once the chunk is taken; false if the reader has disconnected. */
  async give(piece: T): Promise<boolean> {
    this.held.push(piece);
    this.wake();
    while (this.held.length > 0 && !this.isStopped) await this.changed.promise;
    return !this.isStopped;
  }

  end(): void {
    this.isEnded = true;
    this.wake();
  }

  fail(error: unknown): void {
    this.failure = { error };
    this.end();
  }

  stop(): void {
    this.isStopped = true;
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for (;;) {
      const piece = this.held.shift();
      if (piece !== undefined) {
        this.wake();
        yield piece;
      } else if (this.failure) throw this.failure.error;
      else if (this.isEnded) return;
      else await this.changed.promise;
    }
  }

  private wake(): void {
    const { resolve } = this.changed;
    this.changed = Promise.withResolvers<undefined>();
    resolve(undefined);
  }
}
