import type { Context } from '../door/context.ts';
import { PlatformError } from '../door/errors.ts';
import { f, required } from '../declare/field.ts';
import type { ParameterFields } from '../declare/field-types.ts';

/** A file that a watch has found, whole and not taken before. */
export interface WatchedFile {
  readonly location: string;
  readonly path: string;
  /** Its plain name. */
  readonly fileName: string;
  /** Stands for the file in `attachment/save`, as `Staged`: the document points at it where it lies. */
  readonly token: string;
  readonly size: number;
  /** SHA-256 of its content, hexadecimal. */
  readonly hash: string;
}

/** The records that a file became. */
export interface FileRecords {
  readonly attachmentId: number;
  readonly importFileId?: number;
}

/** What becomes of the files that a watch finds. Each part is done once for a file, however often the watch is cut off. */
export interface FileHandler {
  /** Makes the records of a file, in a transaction that also notes that it is taken. */
  begin(own: Context, file: WatchedFile): Promise<FileRecords>;
  /**
   * What follows once the file is where it belongs. `note` notes, in a transaction, that it has been done: what is queued in
   * the same one is queued once. Where this is cut off before, it is done again.
   */
  follow?(ctx: Context, taken: FileRecords, note: (own: Context) => Promise<void>): Promise<void>;
}

/** A watch, as its caller describes it. */
export interface FileWatchRequest {
  /** The operation that watches: what it began, it alone finishes. */
  readonly kind: string;
  readonly location: string;
  readonly path: string;
  readonly pattern: string;
  readonly depth: number;
  /** Where each file is copied to; undefined where it stays. `remove`: it is removed from where it was found. `seal`: sealed, where the place is the platform's own. */
  readonly target?: {
    readonly location: string;
    readonly pathUrl?: string;
    readonly remove: boolean;
    readonly seal: boolean;
  };
  /** A method signature that is called once with the new documents as `ID`. */
  readonly statement?: string;
}

/** What a look at a location came to. */
export interface FileWatchOutcome {
  /** Files that the watch is for. */
  readonly found: number;
  readonly taken: readonly FileRecords[];
  /** Files that may still be being written, or that another watch works on. */
  readonly waiting: number;
  /** Files that failed; they are tried again by the next watch. Each is told as an alert. */
  readonly failed: number;
  /** Files that are left for the next watch, because this one has taken as many as it may. */
  readonly left: number;
}

/** The port to files that arrive in storage locations: each content of each path is taken once, by whichever watch is first. */
export interface FileWatch {
  /** Looks once: goes on with what was cut off, then takes what is new. The call has no transaction of its own. */
  run(ctx: Context, request: FileWatchRequest, taking: FileHandler): Promise<FileWatchOutcome>;
}

/** Refuses a firm's user: storage locations are the installation's. Asked first, so that nothing else is told. */
export function assertMayWatch({ user }: Pick<Context, 'user'>): void {
  if (!user.universal)
    throw new PlatformError('NO_PERMISSION', {
      field: 'FileObject',
      message: 'FileObject: storage locations are for users with universal access.',
    });
}

/** What every operation that watches takes. */
export const watchParameters = {
  FileObject: required(f.text({ doc: 'The storage location to look into, by its name.', max: 100 })),
  Path: f.text({ doc: 'The folder to look into.', max: 1000, exact: true, default: '/' }),
  Pattern: f.text({ doc: 'A mask of file names: `*.csv`; several have `;` between them.', max: 500, default: '*' }),
  Depth: f.integer({ doc: 'Levels of folders below it that are looked into too.', default: 0 }),
  TransferTo: f.text({
    doc: 'A storage location to which each file is copied; its document then points there.',
    max: 100,
  }),
  MoveTo: f.text({ doc: 'The same, and the file is removed from where it was found.', max: 100 }),
  ToPath: f.text({
    doc: 'The path there, with `{Guid}`, `{Year}`, `{Month}`, `{Uri.FileName}`, `{Uri.Extension}` and columns of the document filled in; one that ends in `/` is a folder.',
    max: 1000,
    exact: true,
  }),
  Statement: f.text({
    doc: 'A method signature that is called once with the new documents as ID; a bare name is one of Attachment.',
    max: 2000,
    exact: true,
  }),
} as const satisfies ParameterFields;

/** What every operation that watches answers. */
export const watchAnswer = {
  Found: required(f.integer({ doc: 'Files that the watch is for.' })),
  Taken: required(f.integer({ doc: 'Files that were taken now, or finished after a break.' })),
  Waiting: required(f.integer({ doc: 'Files that may still be being written, or that another watch works on.' })),
  Failed: required(
    f.integer({ doc: 'Files that failed; each is told as an alert, and is tried again by the next watch.' }),
  ),
  Left: required(
    f.integer({ doc: 'Files that are left for the next watch, because this one has taken as many as it may.' }),
  ),
  AttachmentIDs: f.text({ doc: 'The documents of the files that were taken, comma-separated.' }),
} as const satisfies ParameterFields;

/** The watch that an operation's parameters describe. */
export function watchRequest(
  kind: string,
  params: {
    readonly FileObject: string;
    readonly Path: string;
    readonly Pattern: string;
    readonly Depth: number;
    readonly TransferTo?: string | null;
    readonly MoveTo?: string | null;
    readonly ToPath?: string | null;
    readonly Statement?: string | null;
  },
  seal: boolean,
): FileWatchRequest {
  const { FileObject, Path, Pattern, Depth, TransferTo, MoveTo, ToPath, Statement } = params;
  const to = MoveTo ?? TransferTo ?? undefined;
  return {
    kind,
    location: FileObject,
    path: Path,
    pattern: Pattern,
    depth: Depth,
    ...(to === undefined
      ? {}
      : {
          target: {
            location: to,
            remove: typeof MoveTo === 'string',
            seal,
            ...(typeof ToPath === 'string' ? { pathUrl: ToPath } : {}),
          },
        }),
    ...(typeof Statement === 'string' ? { statement: Statement } : {}),
  };
}

/** The outcome as an answer's row. */
export function watchRow({
  found,
  taken,
  waiting,
  failed,
  left,
}: FileWatchOutcome): Readonly<Record<keyof typeof watchAnswer, number | string | null>> {
  return {
    Found: found,
    Taken: taken.length,
    Waiting: waiting,
    Failed: failed,
    Left: left,
    AttachmentIDs: taken.length === 0 ? null : taken.map(({ attachmentId }) => attachmentId).join(','),
  };
}
