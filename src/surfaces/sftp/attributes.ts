import type { Stats } from 'node:fs';
import type { Attributes, FileEntry } from 'ssh2';

const FOLDER = 0o040700;
const FILE = 0o100600;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Returns the attributes shown to clients. Owners and permissions on the server are not revealed. */
export function attributesOf(stats: Stats): Attributes {
  return {
    mode: stats.isDirectory() ? FOLDER : FILE,
    uid: 0,
    gid: 0,
    size: stats.isDirectory() ? 0 : stats.size,
    atime: seconds(stats.atimeMs),
    mtime: seconds(stats.mtimeMs),
  };
}

/** Returns one line of a directory listing. */
export function entryOf(name: string, stats: Stats): FileEntry {
  const attrs = attributesOf(stats);
  const at = stats.mtime;
  const month = months[at.getUTCMonth()] ?? '';
  const day = `${month} ${String(at.getUTCDate()).padStart(2)} ${String(at.getUTCFullYear()).padStart(5)}`;
  const mode = stats.isDirectory() ? 'drwx------' : '-rw-------';
  return {
    filename: name,
    longname: `${mode}    1 sftp     sftp     ${String(attrs.size).padStart(12)} ${day} ${name}`,
    attrs,
  };
}

function seconds(milliseconds: number): number {
  return Math.max(0, Math.min(0xffff_ffff, Math.floor(milliseconds / 1_000)));
}
