import { constants } from 'node:fs';
import { lstat, mkdir, open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { PRIVATE_FOLDER } from '../private-modes.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
/** On Linux, the entries of an open folder are addressed through its descriptor, whatever happens to its path. */
const byHandle = process.platform === 'linux';

/** An open folder. Operations on a name apply to this folder even if somebody replaces its path by a link. */
export class Folder {
  readonly handle: FileHandle;
  private readonly path: string;

  private constructor(handle: FileHandle, path: string) {
    this.handle = handle;
    this.path = path;
  }

  /** Opens the folder of `names` below a root, refusing links: a name that is a link counts as missing. */
  static async open(root: string, names: readonly string[], make = false): Promise<Folder> {
    if (make) await mkdir(root, { recursive: true, mode: PRIVATE_FOLDER });
    let folder = new Folder(await open(root, O_RDONLY | O_DIRECTORY), root);
    for (const name of names) {
      const parent = folder;
      try {
        folder = await parent.enter(name, make);
      } finally {
        await parent.close();
      }
    }
    return folder;
  }

  /** Opens a subfolder. */
  async enter(name: string, make = false): Promise<Folder> {
    const path = this.at(name);
    if (make)
      await mkdir(path, { mode: PRIVATE_FOLDER }).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      });
    // On systems other than Linux a link is checked for and then not followed, which leaves a short race.
    if (!byHandle && (await lstat(path)).isSymbolicLink()) throw Object.assign(new Error('a link'), { code: 'ELOOP' });
    return new Folder(await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), join(this.path, name));
  }

  /** Returns the path that reaches a name in the folder. */
  at(name: string): string {
    return byHandle ? `/proc/self/fd/${this.handle.fd}/${name}` : join(this.path, name);
  }

  /** Returns the path that reaches the folder itself. */
  get here(): string {
    return byHandle ? `/proc/self/fd/${this.handle.fd}/.` : this.path;
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}
