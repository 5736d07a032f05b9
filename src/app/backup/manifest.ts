import { createHash } from 'node:crypto';

/** The name of the manifest in a backup. */
export const MANIFEST = 'manifest.jsonl';

/** What a backup says of itself. */
export interface BackupHead {
  readonly format: 1;
  /** `cluster`: the files of the embedded server. `dump`: what pg_dump wrote of a database of the operator's own. */
  readonly kind: 'cluster' | 'dump';
  /** Of Casewright, and of the PostgreSQL that it ran on. */
  readonly version: string;
  readonly postgres: string;
  /** Everything that was answered before this instant is in it. */
  readonly begun: string;
  /** The database stands as it was at this instant. */
  readonly taken: string;
  /** The ids of the secret keys without which it cannot be used; they tell nothing of the keys. */
  readonly keys: readonly string[];
}

/** A file of a backup, or a folder, or a further name of a file that is in it already. */
export type BackupEntry =
  | { readonly path: string; readonly size: number; readonly sha256: string }
  | { readonly path: string; readonly folder: true }
  | { readonly path: string; readonly same: string };

/** A manifest that was read and is whole. */
export interface Manifest {
  readonly head: BackupHead;
  readonly entries: readonly BackupEntry[];
}

/** Writes a manifest line by line: the head, what is in the backup, and a hash of it all, without which it is not whole. */
export function manifestWriter(head: BackupHead): {
  line(entry: BackupEntry): string;
  readonly first: string;
  last(): string;
} {
  const hash = createHash('sha256');
  const written = (value: unknown): string => {
    const text = `${JSON.stringify(value)}\n`;
    hash.update(text);
    return text;
  };
  const first = written(head);
  return { first, line: (entry) => written(entry), last: () => `${JSON.stringify({ end: hash.digest('hex') })}\n` };
}

/** Reads a manifest; fails where it is cut off or was changed. */
export function readManifest(text: string): Manifest {
  const end = text.lastIndexOf('{"end":');
  const body = text.slice(0, Math.max(end, 0));
  const said = end < 0 ? undefined : parse<{ end: string }>(text.slice(end))?.end;
  if (said === undefined || said !== createHash('sha256').update(body).digest('hex'))
    throw new Error(`${MANIFEST} is cut off or was changed: this is no whole backup`);
  const [head, ...entries] = body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parse<unknown>(line));
  const { format } = head as Partial<BackupHead>;
  if (format !== 1)
    throw new Error(
      `the backup has the format ${String(format)}, which this version of Casewright does not know; restore it with the version that made it`,
    );
  return { head: head as BackupHead, entries: entries as BackupEntry[] };
}

function parse<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
