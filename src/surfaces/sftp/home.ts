import type { Stats } from 'node:fs';
import { lstat, mkdir, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { denied, refused, SftpFailure, STATUS_CODE } from './failure.ts';

/** The longest path below a home, in bytes, and the most folders in it. */
const PATH_BYTES_MAX = 1_000;
const PATH_DEPTH_MAX = 16;
const NAME_BYTES_MAX = 255;
/** Files and folders of one home: as many are looked at to see how full it is. */
const ENTRIES_MAX = 10_000;

/** What no name of a file holds: control characters, signs that turn the direction of writing, and what was no UTF-8. */
const FORBIDDEN_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufffd\\]/;

/** What a home holds. */
export interface HomeUsage {
  readonly bytes: number;
  readonly entries: number;
}

/** The home of one account: the only part of the file system that its sessions know, as `/`. */
export class Home {
  readonly accountId: number;
  /** The folder itself, with all links on the way to it resolved. */
  private readonly root: string;

  private constructor(accountId: number, root: string) {
    this.accountId = accountId;
    this.root = root;
  }

  /** Opens the home of an account, and makes it where it is not there yet. */
  static async open(folder: string, accountId: number): Promise<Home> {
    const root = join(folder, String(accountId), 'home');
    await mkdir(root, { recursive: true, mode: 0o700 });
    return new Home(accountId, await realpath(root));
  }

  /** The path below the home that a client means: absolute, without `.` and `..`, which end at `/`. */
  path(sent: string): string {
    const path = posix.resolve('/', sent);
    if (Buffer.byteLength(path) > PATH_BYTES_MAX) throw refused('The path is too long');
    const names = path.split('/').slice(1);
    if (names.length > PATH_DEPTH_MAX) throw refused('The path has too many folders');
    if (names.some((name) => Buffer.byteLength(name) > NAME_BYTES_MAX)) throw refused('The name is too long');
    if (FORBIDDEN_CHARACTERS.test(path) || !path.isWellFormed())
      throw refused('The name holds characters that are not allowed');
    return path;
  }

  /**
   * Where a path lies. The folders on the way are looked at as they are: a link that somebody planted in the home leads nowhere. The
   * last name is left alone, so whoever opens it must not follow a link there.
   */
  async locate(path: string): Promise<string> {
    if (path === '/') return this.root;
    const folder = await realpath(join(this.root, dirname(path)));
    // The same text again: what lies below the home but is reached over a link is refused too.
    if (folder !== join(this.root, dirname(path)).replace(/\/$/, ''))
      throw new SftpFailure(STATUS_CODE.NO_SUCH_FILE, 'No such file or folder');
    return join(folder, basename(path));
  }

  /** What stands at a path: a file or folder. Anything else (a link, a device) is not there for clients. */
  async stat(path: string): Promise<Stats> {
    const found = await lstat(await this.locate(path));
    if (!found.isFile() && !found.isDirectory())
      throw new SftpFailure(STATUS_CODE.NO_SUCH_FILE, 'No such file or folder');
    return found;
  }

  /** The files and folders in a folder. */
  async list(path: string): Promise<readonly { readonly name: string; readonly stats: Stats }[]> {
    const folder = await this.locate(path);
    if (!(await this.stat(path)).isDirectory()) throw new SftpFailure(STATUS_CODE.NO_SUCH_FILE, 'No such folder');
    const names = (await readdir(folder)).slice(0, ENTRIES_MAX).sort();
    const found = await Promise.all(
      names.map(async (name) => ({ name, stats: await lstat(join(folder, name)).catch(() => undefined) })),
    );
    return found.flatMap(({ name, stats }) => (stats?.isFile() || stats?.isDirectory() ? [{ name, stats }] : []));
  }

  /** How full the home is. */
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

  /** Refuses one more file or folder in a home that has too many. */
  async assertRoomForEntry(): Promise<void> {
    if ((await this.usage()).entries >= ENTRIES_MAX) throw refused('The home holds too many files');
  }
}

/** The folder itself is neither written, renamed nor removed. */
export function assertNotHome(path: string): void {
  if (path === '/') throw denied('The home itself stays as it is');
}

/** Where a file lies that was taken out of a home to be imported. */
export function takenPath(folder: string, accountId: number, fileId: number): string {
  return join(folder, String(accountId), 'taken', String(fileId));
}
