import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
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
import { parentPort } from 'node:worker_threads';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../private-modes.ts';
import { codeOf, LINK_ATTEMPTS_MAX } from './folders.ts';

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
function writeAll({ root, files }: WriteTask): WrittenPart[] {
  const changes: Changes = { paths: [], folders: new Set() };
  try {
    const hashed = files.map((file) => ({ ...file, hash: createHash('sha256').update(file.bytes).digest('hex') }));
    const first = new Map(hashed.toReversed().map((file) => [file.hash, file]));
    const isRepeated = (file: HashedFile): boolean => !file.isUnique && first.get(file.hash) !== file;
    for (const repeated of [false, true]) {
      const some = hashed.filter((file) => isRepeated(file) === repeated);
      writeNew(
        root,
        some.filter((file) => file.isUnique || !linkKnown(root, file, changes)),
        changes,
      );
    }
    for (const folder of changes.folders) syncPath(folder);
    return hashed.map(({ bytes, hash }) => ({ size: bytes.length, hash }));
  } catch (error) {
    for (const path of changes.paths) removeFile(path);
    throw error;
  }
}

/** Writes files whose content is not stored yet. */
function writeNew(root: string, files: readonly HashedFile[], changes: Changes): void {
  const parts = writeParts(root, files);
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

/** Writes and syncs files under temporary names. The first sync also writes most of the others. */
function writeParts(root: string, files: readonly HashedFile[]): Part[] {
  const folder = join(root, '.parts');
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const opened: { readonly part: Part; readonly file: number }[] = [];
  try {
    for (const each of files) {
      const path = join(folder, randomUUID());
      opened.push({ part: { ...each, path }, file: openSync(path, 'wx', PRIVATE_FILE) });
      const file = opened.at(-1)?.file ?? 0;
      for (let at = 0; at < each.bytes.length;) at += writeSync(file, each.bytes, at);
    }
    for (const { file } of opened) fsyncSync(file);
  } catch (error) {
    for (const { part } of opened) rmSync(part.path, { force: true });
    throw error;
  } finally {
    for (const { file } of opened) closeSync(file);
  }
  return opened.map(({ part }) => part);
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

function syncPath(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
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

parentPort?.on('message', (task: WriteTask) => {
  let reply: WriteReply;
  try {
    reply = { id: task.id, written: writeAll(task) };
  } catch (error) {
    reply = { id: task.id, code: codeOf(error), message: error instanceof Error ? error.message : 'unknown' };
  }
  parentPort?.postMessage(reply);
});
