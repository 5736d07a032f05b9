import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parentPort } from 'node:worker_threads';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../private-modes.ts';
import { codeOf, LINK_ATTEMPTS_MAX } from './folders.ts';

/**
 * Files and folders that are synced at the same time, with one of the threads that all asynchronous file operations of
 * the process share: by default it has four.
 */
const SYNCS_MAX = 2;

const syncOpened = promisify(fsync);

/** A file to be written. `target` is its absolute path. */
export interface FileToWrite {
  readonly target: string;
  readonly bytes: Uint8Array;
  /** The content is unique, so that it gets no name by which equal content finds it. */
  readonly isUnique: boolean;
}

/** Files to be written below a location's root. */
export interface WriteTask {
  readonly id: number;
  readonly root: string;
  readonly files: readonly FileToWrite[];
}

/** A written file. */
export interface WrittenPart {
  readonly size: number;
  readonly hash: string;
}

/** What the thread answers. */
export type WriteReply =
  | { readonly id: number; readonly written: readonly WrittenPart[] }
  | { readonly id: number; readonly code: string; readonly message: string };

/** A file with the name of its content. */
interface HashedFile extends FileToWrite {
  readonly hash: string;
}

/** A file that is on disk without its path. */
interface Part extends HashedFile {
  readonly path: string;
}

/** What a task has changed: the paths that it added, and the folders that have new names. */
interface Changes {
  readonly paths: string[];
  readonly folders: Set<string>;
}

/**
 * Writes files and returns when all are on disk. The calls block, which is why they run in a thread: started one by one
 * from the main thread, they took three times as much processor time. Equal content is stored once, as `Contents` does.
 */
async function writeAll({ root, files }: WriteTask): Promise<readonly WrittenPart[]> {
  const changes: Changes = { paths: [], folders: new Set() };
  try {
    const hashed = files.map((file) => ({ ...file, hash: createHash('sha256').update(file.bytes).digest('hex') }));
    const first = new Map(hashed.toReversed().map((file) => [file.hash, file]));
    const isRepeated = (file: HashedFile): boolean => !file.isUnique && first.get(file.hash) !== file;
    for (const repeated of [false, true]) {
      const some = hashed.filter((file) => isRepeated(file) === repeated);
      await writeNew(
        root,
        some.filter((file) => file.isUnique || !linkKnown(root, file, changes)),
        changes,
      );
    }
    await syncFolders([...changes.folders]);
    return hashed.map(({ bytes, hash }) => ({ size: bytes.length, hash }));
  } catch (error) {
    for (const path of changes.paths) removeFile(path);
    throw error;
  }
}

/** Writes files whose content is not stored yet. */
async function writeNew(root: string, files: readonly HashedFile[], changes: Changes): Promise<void> {
  const parts = await writeParts(root, files);
  try {
    for (const part of parts) placePart(root, part, changes);
  } finally {
    for (const { path } of parts) rmSync(path, { force: true });
  }
}

/** Gives a file the path of equal content that is stored already. Returns whether there is some. */
function linkKnown(root: string, { target, bytes, hash }: HashedFile, changes: Changes): boolean {
  const known = contentPath(root, hash);
  try {
    if (statSync(known, { throwIfNoEntry: false })?.size !== bytes.length || !readFileSync(known).equals(bytes))
      return false;
    // A path that no record refers to yet must not look as old as the content that it shares.
    const now = timeOfFolder(root);
    utimesSync(known, now, now);
    linkInto(known, target, changes);
    return true;
  } catch (error) {
    // It lost its last path just now, or has as many as the file system allows.
    if (['ENOENT', 'EMLINK'].includes(codeOf(error))) return false;
    throw error;
  }
}

/** Returns the time that a file written now has. */
function timeOfFolder(root: string): Date {
  const path = join(root, '.parts', randomUUID());
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
  closeSync(openSync(path, 'wx', PRIVATE_FILE));
  try {
    return statSync(path).mtime;
  } finally {
    rmSync(path, { force: true });
  }
}

/** Writes and syncs files under temporary names. */
async function writeParts(root: string, files: readonly HashedFile[]): Promise<readonly Part[]> {
  const folder = join(root, '.parts');
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const opened: { readonly part: Part; readonly file: number }[] = [];
  try {
    for (const each of files) {
      const path = join(folder, randomUUID());
      opened.push({ part: { ...each, path }, file: writePart(path, each.bytes) });
    }
    await syncAll(opened.map(({ file }) => file));
  } catch (error) {
    for (const { part } of opened) rmSync(part.path, { force: true });
    throw error;
  } finally {
    for (const { file } of opened) closeSync(file);
  }
  return opened.map(({ part }) => part);
}

/**
 * Writes a file and returns it open, to be synced. It is truncated first because ext4 then begins to write its bytes to
 * the disk when it is closed (`auto_da_alloc`), not when it is synced: syncing 100 files took a third to half as long.
 */
function writePart(path: string, bytes: Uint8Array): number {
  const file = openSync(path, 'wx', PRIVATE_FILE);
  let synced: number | undefined;
  try {
    synced = openSync(path, 'r');
    writeSync(file, bytes.subarray(0, 1));
    ftruncateSync(file, 0);
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, at);
    return synced;
  } catch (error) {
    if (synced !== undefined) closeSync(synced);
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Gives a file its path, and its content a name, which replaces what had the name before. */
function placePart(root: string, { path, target, hash, isUnique }: Part, changes: Changes): void {
  linkInto(path, target, changes);
  if (isUnique) return;
  const known = contentPath(root, hash);
  try {
    mkdirSync(dirname(known), { recursive: true, mode: PRIVATE_FOLDER });
    // The temporary name is not needed any more. A rename between two links to one file does nothing and leaves both.
    renameSync(path, known);
  } catch (error) {
    // Without the name, equal content is stored again.
    if (!['ENOENT', 'ENOTDIR', 'ENOSPC', 'EDQUOT'].includes(codeOf(error))) throw error;
  }
}

function contentPath(root: string, hash: string): string {
  return join(root, '.contents', hash.slice(0, 2), hash);
}

/** Links a file under another name. */
function linkInto(from: string, target: string, { paths, folders }: Changes): void {
  for (let attempt = 1; ; attempt++) {
    try {
      const first = mkdirSync(dirname(target), { recursive: true, mode: PRIVATE_FOLDER });
      linkSync(from, target);
      paths.push(target);
      for (let folder = dirname(target); ; folder = dirname(folder)) {
        folders.add(folder);
        // A new folder is a new name in its parent.
        if (first === undefined || folder.length < first.length) return;
      }
    } catch (error) {
      // Deleting the folder's last file removed it in between.
      if (codeOf(error) !== 'ENOENT' || attempt >= LINK_ATTEMPTS_MAX || !existsSync(from)) throw error;
    }
  }
}

async function syncFolders(folders: readonly string[]): Promise<void> {
  const opened: number[] = [];
  try {
    for (const folder of folders) opened.push(openSync(folder, 'r'));
    await syncAll(opened);
  } finally {
    for (const folder of opened) closeSync(folder);
  }
}

/** Syncs open files and folders. The disk is flushed once for those that are synced at the same time. */
async function syncAll(opened: readonly number[]): Promise<void> {
  const waiting = [...opened];
  const syncNext = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await syncOpened(next);
  };
  // All must have ended before the files are closed.
  const ended = await Promise.allSettled(Array.from({ length: SYNCS_MAX }, syncNext));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}

/** Removes a file with the folder that was created for it, as far as that is possible. */
function removeFile(path: string): void {
  try {
    unlinkSync(path);
    rmdirSync(dirname(path));
  } catch {
    // What is left is swept later.
  }
}

async function replyTo(task: WriteTask): Promise<void> {
  let reply: WriteReply;
  try {
    reply = { id: task.id, written: await writeAll(task) };
  } catch (error) {
    reply = { id: task.id, code: codeOf(error), message: error instanceof Error ? error.message : 'unknown' };
  }
  parentPort?.postMessage(reply);
}

parentPort?.on('message', (task: WriteTask) => void replyTo(task));
