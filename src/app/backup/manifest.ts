import { createHash } from 'node:crypto';

/** Name of the manifest in a backup. */
export const MANIFEST = 'manifest.jsonl';

/** The head of a backup's manifest. */
export interface BackupHead {
  readonly format: 1;
  /** `cluster`: the files of the embedded server. `dump`: pg_dump's output of the operator's own database. */
  readonly kind: 'cluster' | 'dump';
  /** Versions of Casewright, and of the PostgreSQL that it ran on. */
  readonly version: string;
  readonly postgres: string;
  /** Everything answered before this instant is in it. */
  readonly begun: string;
  /** The instant that the database copy shows. */
  readonly taken: string;
  /** Ids of the secret keys that are needed to use it; they reveal nothing about the keys. */
  readonly keys: readonly string[];
}

/** A file of a backup, a folder, or another name of a file that it already contains. */
export type BackupEntry =
  | { readonly path: string; readonly size: number; readonly sha256: string }
  | { readonly path: string; readonly folder: true }
  | { readonly path: string; readonly same: string };

/** A complete manifest. */
export interface Manifest {
  readonly head: BackupHead;
  readonly entries: readonly BackupEntry[];
}

/** Writes a manifest line by line: the head, the entries, and a hash of it all, without which it is incomplete. */
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

/** Parses a manifest. Throws if it is truncated or was changed. */
export function readManifest(text: string): Manifest {
  const end = text.lastIndexOf('{"end":');
  const body = text.slice(0, Math.max(end, 0));
  const hash = end < 0 ? undefined : (parse(text.slice(end)) as { readonly end: string } | undefined)?.end;
  if (hash === undefined || hash !== createHash('sha256').update(body).digest('hex'))
    throw new Error(`${MANIFEST} is truncated or was changed: the backup is incomplete; use another backup`);
  const [head, ...entries] = body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parse(line));
  const { format } = head as Partial<BackupHead>;
  if (format !== 1)
    throw new Error(
      `the backup has format ${String(format)}, which this version of Casewright cannot read; restore it with ` +
        'the version that created it',
    );
  return { head: head as BackupHead, entries: entries as BackupEntry[] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
