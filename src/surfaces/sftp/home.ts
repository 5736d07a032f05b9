import type { Stats } from 'node:fs';
import { lstat, mkdir, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { denied, refused, SftpFailure, STATUS_CODE } from './failure.ts';

/** Longest path below a home in bytes, and most folders in it. */
const PATH_BYTES_MAX = 1_000;
const PATH_DEPTH_MAX = 16;
const NAME_BYTES_MAX = 255;
/** Most files and folders of one home; the usage count stops there. */
const ENTRIES_MAX = 10_000;

/** Characters forbidden in file names: control characters, bidirectional overrides, and the mark of invalid UTF-8. */
const FORBIDDEN_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufffd\\]/;

/** What a home holds in bytes and entries. */
export interface HomeUsage {
  readonly bytes: number;
  readonly entries: number;
}

/** The home directory of an account: the only part of the file system that its sessions see, as `/`. */
export class Home {
  readonly accountId: number;
  /** The folder, with all links on the way resolved. */
  private readonly root: string;

  private constructor(accountId: number, root: string) {
    this.accountId = accountId;
    this.root = root;
  }

  /** Opens the home of an account; creates it if missing. */
  static async open(folder: string, accountId: number): Promise<Home> {
    const root = join(folder, String(accountId), 'home');
    await mkdir(root, { recursive: true, mode: 0o700 });
    return new Home(accountId, await realpath(root));
  }

  /** Returns the normalized path below the home: absolute, without `.` and `..`, which stop at `/`. */
  path(sent: string): string {
    const path = posix.resolve('/', sent);
    if (Buffer.byteLength(path) > PATH_BYTES_MAX) throw refused('The path is too long');
    const names = path.split('/').slice(1);
    if (names.length > PATH_DEPTH_MAX) throw refused('The path has too many folders');
    if (names.some((name) => Buffer.byteLength(name) > NAME_BYTES_MAX)) throw refused('The name is too long');
    if (FORBIDDEN_CHARACTERS.test(path) || !path.isWellFormed())
      throw refused('The name contains characters that are not allowed');
    return path;
  }

  /**
   * Returns the location of a path on disk. Its folders are resolved as they are, so that a link planted in the home
   * leads nowhere. The last name is not resolved: whoever opens it must not follow a link there.
   */
  async locate(path: string): Promise<string> {
    if (path === '/') return this.root;
    const folder = await realpath(join(this.root, dirname(path)));
    // The texts must be equal: a place below the home that is reached through a link is refused too.
    if (folder !== join(this.root, dirname(path)).replace(/\/$/, ''))
      throw new SftpFailure(STATUS_CODE.NO_SUCH_FILE, 'No such file or folder');
    return join(folder, basename(path));
  }

  /** Returns the stats of a file or folder. Anything else (a link, a device) does not exist for clients. */
  async stat(path: string): Promise<Stats> {
    const found = await lstat(await this.locate(path));
    if (!found.isFile() && !found.isDirectory())
      throw new SftpFailure(STATUS_CODE.NO_SUCH_FILE, 'No such file or folder');
    return found;
  }

  /** Lists the files and folders in a folder. */
  async list(path: string): Promise<readonly { readonly name: string; readonly stats: Stats }[]> {
    const folder = await this.locate(path);
    if (!(await this.stat(path)).isDirectory()) throw new SftpFailure(STATUS_CODE.NO_SUCH_FILE, 'No such folder');
    const names = (await readdir(folder)).slice(0, ENTRIES_MAX).sort();
    const found = await Promise.all(
      names.map(async (name) => ({ name, stats: await lstat(join(folder, name)).catch(() => undefined) })),
    );
    return found.flatMap(({ name, stats }) => (stats?.isFile() || stats?.isDirectory() ? [{ name, stats }] : []));
  }

  /** Returns how full the home is. */
  async usage(): Promise<HomeUsage> {
    let bytes = 0;
    let entries = 0;
    const folders = [this.root];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
        if (++entries > ENTRIES_MAX) return { bytes, entries };
        const path = join(folder, entry.name);
        if (entry.isDirectory()) folders.push(path);
        else bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
      }
    }
    return { bytes, entries };
  }

  /** Throws if the home has no room for another file or folder. */
  async assertRoomForEntry(): Promise<void> {
    if ((await this.usage()).entries >= ENTRIES_MAX) throw refused('The home folder contains too many files');
  }
}

/** Refuses to write, rename or remove the home itself. */
export function assertNotHome(path: string): void {
  if (path === '/') throw denied('The home itself stays as it is');
}

/** Returns where a file is stored that was taken out of a home to be imported. */
export function takenPath(folder: string, accountId: number, fileId: number): string {
  return join(folder, String(accountId), 'taken', String(fileId));
}
