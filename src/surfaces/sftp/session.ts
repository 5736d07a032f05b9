import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, rename, rmdir, unlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { close, fstat, ftruncate, open } from 'node:fs';
import type { Attributes, FileEntry, SFTPWrapper } from 'ssh2';
import ssh2 from 'ssh2';
import { loggableMessage } from '../../kernel/database/database-error.ts';
import type { Log } from '../../kernel/ports/log.ts';
import type { SftpAccounts } from '../../contracts/sftp-accounts.ts';
import { attributesOf, entryOf } from './attributes.ts';
import { asFailure, denied, refused, STATUS_CODE } from './failure.ts';
import type { FileRows } from './file-rows.ts';
import { assertNotHome, type Home } from './home.ts';
import { OpenFile } from './open-file.ts';

const { OPEN_MODE } = ssh2.utils.sftp;
const openFile = promisify(open);
const closeFile = promisify(close);
const statFile = promisify(fstat);
const truncateFile = promisify(ftruncate);

/** Most open files and folders of one session. */
const HANDLES_MAX = 64;
/** Most pending requests of one session. */
const REQUESTS_MAX = 1_024;
/** Names per response to a directory listing. */
const NAMES_MAX = 100;
/** Most unsent responses; a client that asks and never reads is disconnected. */
const UNSENT_ANSWERS_MAX = 256;

/** What a session depends on. */
export interface SessionParts {
  readonly home: Home;
  readonly rows: FileRows;
  readonly accounts: SftpAccounts;
  readonly log: Log;
  /** Whether the sign-in is still valid; ends the connection if not. */
  isSignInValid(): Promise<boolean> | true;
  /** Resets the idle timer. */
  resetIdleTimer(): void;
  /** Counts bytes waiting for the disk; reading pauses when a client sends more than the disk takes. */
  countPendingBytes(bytes: number): void;
  /** Counts bytes of files that were received. Throws if its user may send no more. */
  countReceived(bytes: number): Promise<void> | undefined;
  /** Ends the connection because the client broke a limit. */
  end(why: string): void;
}

interface Listing {
  readonly entries: readonly FileEntry[];
  at: number;
}

/** One sFTP session: runs its client's requests in the account's home. */
export class Session {
  private readonly sftp: SFTPWrapper;
  private readonly parts: SessionParts;
  private readonly files = new Map<string, OpenFile>();
  private readonly listings = new Map<string, Listing>();
  /** Requests that name files run in order. */
  private last: Promise<void> = Promise.resolve();
  private requestsInFlight = 0;
  /** Number of handles being opened. */
  private opening = 0;
  private isDisposed = false;

  constructor(sftp: SFTPWrapper, parts: SessionParts) {
    this.sftp = sftp;
    this.parts = parts;
    sftp.on('error', () => this.dispose());
    // Without a reply to the end of its input, OpenSSH's client waits for ever for the end of ours.
    sftp.on('end', () => endGracefully(sftp));
    sftp.on('close', () => this.dispose());
    this.listenForFiles();
    this.listenForFolders();
  }

  /** Releases everything; files being written stay incomplete. */
  dispose(): void {
    if (this.isDisposed) return;
    this.isDisposed = true;
    this.listings.clear();
    void this.last.then(async () => {
      for (const file of this.files.values()) await file.close().catch(() => undefined);
      this.files.clear();
    });
  }

  private listenForFiles(): void {
    const { sftp } = this;
    sftp.on('OPEN', (id, path, flags) => this.inOrder(id, async () => sftp.handle(id, await this.open(path, flags))));
    sftp.on('CLOSE', (id, handle) =>
      this.inOrder(id, async () => {
        await this.close(handle);
        sftp.status(id, STATUS_CODE.OK);
      }),
    );
    sftp.on('READ', (id, handle, offset, length) =>
      this.concurrently(id, async () => {
        const bytes = await this.file(handle).read(offset, length);
        if (bytes.length === 0) sftp.status(id, STATUS_CODE.EOF);
        else this.answer(() => sftp.data(id, bytes));
      }),
    );
    sftp.on('WRITE', (id, handle, offset, data) => {
      this.concurrently(id, async () => {
        const file = this.file(handle);
        this.parts.countPendingBytes(data.length);
        // Counted after the write has its place: those of a file opened to append are in order of arrival.
        const written = file.write(offset, data).finally(() => this.parts.countPendingBytes(-data.length));
        await Promise.all([written, this.parts.countReceived(data.length)]).catch((error: unknown) => {
          file.markFailed();
          throw error;
        });
        sftp.status(id, STATUS_CODE.OK);
      });
    });
    sftp.on('FSTAT', (id, handle) =>
      this.concurrently(id, async () => sftp.attrs(id, attributesOf(await this.file(handle).stat()))),
    );
    sftp.on('FSETSTAT', (id, handle, attributes) =>
      this.inOrder(id, async () => {
        const size = sizeOf(attributes);
        if (size !== undefined) await this.file(handle).truncate(size);
        sftp.status(id, STATUS_CODE.OK);
      }),
    );
  }

  private listenForFolders(): void {
    const {
      sftp,
      parts: { home },
    } = this;
    const done = (id: number, run: () => Promise<unknown>): void =>
      this.inOrder(id, async () => {
        await run();
        sftp.status(id, STATUS_CODE.OK);
      });
    const stat = (id: number, path: string): void =>
      this.inOrder(id, async () => sftp.attrs(id, attributesOf(await home.stat(home.path(path)))));
    sftp.on('STAT', stat);
    sftp.on('LSTAT', stat);
    sftp.on('REALPATH', (id, path) =>
      this.inOrder(id, async () => {
        const filename = home.path(path);
        sftp.name(id, [{ filename, longname: filename, attrs: {} as Attributes }]);
      }),
    );
    sftp.on('OPENDIR', (id, path) =>
      this.inOrder(id, async () => {
        const handle = this.newHandle();
        const entries = (await home.list(home.path(path))).map(({ name, stats }) => entryOf(name, stats));
        this.listings.set(handle.toString('hex'), { entries, at: 0 });
        sftp.handle(id, handle);
      }),
    );
    sftp.on('READDIR', (id, handle) => this.inOrder(id, () => this.nextNames(id, handle)));
    sftp.on('MKDIR', (id, path) => done(id, () => this.makeFolder(home.path(path))));
    sftp.on('RMDIR', (id, path) => done(id, () => this.removeFolder(home.path(path))));
    sftp.on('REMOVE', (id, path) => done(id, () => this.remove(home.path(path))));
    sftp.on('RENAME', (id, from, to) => done(id, () => this.rename(home.path(from), home.path(to))));
    // Permissions and times are the server's own; that a client sets them must not fail its upload.
    sftp.on('SETSTAT', (id, path, attributes) =>
      done(id, async () => {
        if (sizeOf(attributes) !== undefined) throw denied('A file is cut by whoever has it open');
        await home.stat(home.path(path));
      }),
    );
    for (const link of ['SYMLINK', 'READLINK'] as const)
      sftp.on(link, (id: number) => sftp.status(id, STATUS_CODE.PERMISSION_DENIED, 'There are no links here'));
  }

  /** Runs requests that name files one after the other, as clients expect that do not wait for responses. */
  private inOrder(id: number, run: () => Promise<void> | void): void {
    if (!this.admit()) return;
    this.last = this.last.then(() => this.runRequest(id, run)).finally(() => this.requestsInFlight--);
  }

  /** Runs a read or write at once: each carries its offset, so order does not matter. */
  private concurrently(id: number, run: () => Promise<void>): void {
    if (this.admit()) void this.runRequest(id, run).finally(() => this.requestsInFlight--);
  }

  private admit(): boolean {
    if (this.isDisposed) return false;
    if (this.requestsInFlight >= REQUESTS_MAX) {
      this.parts.end('too many requests at once');
      return false;
    }
    this.requestsInFlight++;
    this.parts.resetIdleTimer();
    return true;
  }

  private async runRequest(id: number, run: () => Promise<void> | void): Promise<void> {
    try {
      if (this.isDisposed) return;
      const stands = this.parts.isSignInValid();
      if (stands !== true && !(await stands)) throw denied('The sign-in has ended');
      await run();
    } catch (error) {
      this.fail(id, error);
    }
  }

  private fail(id: number, error: unknown): void {
    // The client is gone.
    if (this.isDisposed) return;
    const { log, home } = this.parts;
    const failure = asFailure(error);
    if (!failure) log.error('sftp request failed', { accountId: home.accountId, error: loggableMessage(error) });
    try {
      this.sftp.status(
        id,
        failure?.code ?? STATUS_CODE.FAILURE,
        failure?.message ?? 'Unexpected error; the details are in the error log of the server',
      );
    } catch {
      this.parts.end('it cannot be answered');
    }
  }

  /** Sends a response that may be large; ends the connection if too many are unsent. */
  private answer(send: () => void): void {
    send();
    const { _buffer: pending } = this.sftp as unknown as SftpInternals;
    if ((pending?.length ?? 0) > UNSENT_ANSWERS_MAX) this.parts.end('answers are not taken');
  }

  private newHandle(): Buffer {
    if (this.files.size + this.listings.size + this.opening >= HANDLES_MAX) throw refused('Too many files are open');
    return Buffer.from(randomUUID().replaceAll('-', ''), 'hex');
  }

  private file(handle: Buffer): OpenFile {
    const file = this.files.get(handle.toString('hex'));
    if (!file) throw refused('There is no such handle');
    return file;
  }

  private async open(sent: string, flags: number): Promise<Buffer> {
    const { home } = this.parts;
    const handle = this.newHandle();
    const path = home.path(sent);
    assertNotHome(path);
    this.opening++;
    try {
      const writes = (flags & (OPEN_MODE.WRITE | OPEN_MODE.APPEND)) !== 0;
      this.files.set(
        handle.toString('hex'),
        writes ? await this.openToWrite(path, flags) : await this.openToRead(path),
      );
    } finally {
      this.opening--;
    }
    return handle;
  }

  private async openToRead(path: string): Promise<OpenFile> {
    // Opening a planted pipe would block the thread.
    const fd = await openFile(
      await this.parts.home.locate(path),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    return this.closeOnFailure(
      fd,
      async () => new OpenFile(fd, { size: await plainSize(fd), appends: false, canRead: true }),
    );
  }

  private async openToWrite(path: string, flags: number): Promise<OpenFile> {
    const { home, rows, accounts } = this.parts;
    const place = await home.locate(path);
    const creates = (flags & OPEN_MODE.CREAT) !== 0;
    if (creates) await home.assertRoomForEntry();
    const canRead = (flags & OPEN_MODE.READ) !== 0;
    const appends = (flags & OPEN_MODE.APPEND) !== 0;
    const system =
      (canRead ? constants.O_RDWR : constants.O_WRONLY) |
      constants.O_NOFOLLOW |
      constants.O_NONBLOCK |
      (appends ? constants.O_APPEND : 0) |
      (creates ? constants.O_CREAT : 0) |
      ((flags & OPEN_MODE.EXCL) !== 0 && creates ? constants.O_EXCL : 0);
    const {
      opened: fd,
      fileId,
      opening,
    } = await rows.open(home.accountId, path, async () => {
      const made = await openFile(place, system, 0o600);
      // Truncated in the transaction: if that fails, nothing was opened.
      return this.closeOnFailure(made, async () => {
        await plainSize(made);
        if ((flags & OPEN_MODE.TRUNC) !== 0) await truncateFile(made, 0);
        return made;
      });
    });
    const limits = accounts.limits();
    const room = {
      fileBytesMax: limits.fileBytesMax,
      bytesLeft: async () => Math.max(0, limits.homeBytesMax - (await home.usage()).bytes),
    };
    return this.closeOnFailure(
      fd,
      async () => new OpenFile(fd, { size: await plainSize(fd), appends, canRead, upload: { fileId, opening, room } }),
    );
  }

  /** Runs a function on an open file and closes the file if it fails. */
  private async closeOnFailure<T>(fd: number, make: () => Promise<T>): Promise<T> {
    try {
      return await make();
    } catch (error) {
      await closeFile(fd);
      throw error;
    }
  }

  private async close(handle: Buffer): Promise<void> {
    const key = handle.toString('hex');
    if (this.listings.delete(key)) return;
    const file = this.file(handle);
    this.files.delete(key);
    const size = await file.close();
    if (!file.upload) return;
    if (size === undefined) throw refused('The file is not complete');
    const { rows, accounts } = this.parts;
    await rows.complete(file.upload, size, accounts.limits().quietMilliseconds);
  }

  private nextNames(id: number, handle: Buffer): void {
    const listing = this.listings.get(handle.toString('hex'));
    if (!listing) throw refused('There is no such handle');
    const names = listing.entries.slice(listing.at, listing.at + NAMES_MAX);
    listing.at += names.length;
    if (names.length === 0) this.sftp.status(id, STATUS_CODE.EOF);
    else this.answer(() => this.sftp.name(id, [...names]));
  }

  private async makeFolder(path: string): Promise<void> {
    const { home } = this.parts;
    assertNotHome(path);
    await home.assertRoomForEntry();
    await mkdir(await home.locate(path), { mode: 0o700 });
  }

  private async removeFolder(path: string): Promise<void> {
    assertNotHome(path);
    await this.parts.home.stat(path);
    await rmdir(await this.parts.home.locate(path));
  }

  private async remove(path: string): Promise<void> {
    const { home, rows } = this.parts;
    assertNotHome(path);
    if ((await home.stat(path)).isDirectory()) throw refused('This is a folder');
    const place = await home.locate(path);
    await rows.remove(home.accountId, path, () => unlink(place));
  }

  /** Renames, replacing a file of that name: clients' protocol version has no other way to replace one. */
  private async rename(from: string, to: string): Promise<void> {
    const { home, rows, accounts } = this.parts;
    assertNotHome(from);
    assertNotHome(to);
    await home.stat(from);
    const [place, target] = await Promise.all([home.locate(from), home.locate(to)]);
    await rows.rename(home.accountId, { from, to }, accounts.limits().quietMilliseconds, () => rename(place, target));
  }
}

/** Members of the library's object that its types omit. */
interface SftpInternals {
  readonly _buffer?: readonly unknown[];
  readonly _protocol?: { exitStatus?(channel: number, status: number): void };
  readonly outgoing?: { readonly id: number };
}

/** Closes the channel with exit status 0, which `scp` requires. */
function endGracefully(sftp: SFTPWrapper): void {
  const { _protocol: protocol, outgoing } = sftp as unknown as SftpInternals;
  if (outgoing) protocol?.exitStatus?.(outgoing.id, 0);
  sftp.end();
}

/** Returns the size of an open file; refuses anything but a regular file. */
async function plainSize(fd: number): Promise<number> {
  const stats = await statFile(fd);
  if (!stats.isFile()) throw refused('This is no file');
  return stats.size;
}

/** Returns the size that a client sets, or undefined. */
function sizeOf(attributes: Attributes): number | undefined {
  const { size } = attributes as Partial<Attributes>;
  return typeof size === 'number' ? size : undefined;
}
