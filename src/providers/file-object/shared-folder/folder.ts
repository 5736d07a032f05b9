import { constants } from 'node:fs';
import { lstat, mkdir, open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
/** Linux names what an open folder holds by the folder itself, whatever becomes of its path. */
const byHandle = process.platform === 'linux';

/** An open folder. What is done with a name in it is done there, even where somebody puts a link in the place of its path. */
export class Folder {
  readonly handle: FileHandle;
  private readonly path: string;

  private constructor(handle: FileHandle, path: string) {
    this.handle = handle;
    this.path = path;
  }

  /** Opens the folder of `names` below a root, link by none: a name that is a link is like one that is missing. */
  static async open(root: string, names: readonly string[], make = false): Promise<Folder> {
    if (make) await mkdir(root, { recursive: true });
    let folder = new Folder(await open(root, O_RDONLY | O_DIRECTORY), root);
    for (const name of names) {
      const next = await folder.enter(name, make).finally(() => folder.close());
      folder = next;
    }
    return folder;
  }

  /** A folder in it. */
  async enter(name: string, make = false): Promise<Folder> {
    const path = this.at(name);
    if (make)
      await mkdir(path).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      });
    // Elsewhere than on Linux a link is looked for and not followed, which leaves a moment in between.
    if (!byHandle && (await lstat(path)).isSymbolicLink()) throw Object.assign(new Error('a link'), { code: 'ELOOP' });
    return new Folder(await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), join(this.path, name));
  }

  /** Where a name in it is reached. */
  at(name: string): string {
    return byHandle ? `/proc/self/fd/${this.handle.fd}/${name}` : join(this.path, name);
  }

  /** Where the folder itself is reached. */
  get here(): string {
    return byHandle ? `/proc/self/fd/${this.handle.fd}/.` : this.path;
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}
