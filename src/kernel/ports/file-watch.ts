import type { Context } from '../door/context.ts';
import { PlatformError } from '../door/errors.ts';
import { f, required } from '../declare/field.ts';
import type { ParameterFields } from '../declare/field-types.ts';

/** A file that a watch has found, complete and not processed before. */
export interface WatchedFile {
  readonly location: string;
  readonly path: string;
  /** Its name without the folder. */
  readonly fileName: string;
  /** Names the file in `attachment/save`, as `Staged`: the document refers to it where it is. */
  readonly token: string;
  readonly size: number;
  /** SHA-256 of its content, hexadecimal. */
  readonly hash: string;
}

/** The records created for a file. */
export interface FileRecords {
  readonly attachmentId: number;
  readonly importFileId?: number;
}

/**
 * Processes the files that a watch finds. Each step is done once for a file, however often the watch is interrupted.
 */
export interface FileHandler {
  /** Creates the records of a file, in a transaction that also marks it as processed. */
  begin(own: Context, file: WatchedFile): Promise<FileRecords>;
  /**
   * Runs once the file is in its final place. `note` marks this as done, in a transaction: what is queued in the same
   * transaction is queued once. After an interruption before that, it runs again.
   */
  follow?(ctx: Context, taken: FileRecords, note: (own: Context) => Promise<void>): Promise<void>;
}

/** A watch as its caller requests it. */
export interface FileWatchRequest {
  /** The watching operation; only the same operation resumes what it began. */
  readonly kind: string;
  readonly location: string;
  readonly path: string;
  readonly pattern: string;
  readonly depth: number;
  /**
   * Where each file is copied to; undefined if it stays. `remove`: delete it from where it was found. `seal`: seal it,
   * if the target is the platform's own storage.
   */
  readonly target?: {
    readonly location: string;
    readonly pathUrl?: string;
    readonly remove: boolean;
    readonly seal: boolean;
  };
  /** A method signature that is called once, with the new documents as `ID`. */
  readonly statement?: string;
}

/** The result of one poll of a location. */
export interface FileWatchOutcome {
  /** Number of matching files. */
  readonly found: number;
  readonly taken: readonly FileRecords[];
  /** Number of files that may still be being written, or that another watch is processing. */
  readonly waiting: number;
  /** Number of files that failed. Each is reported as an alert and tried again by the next watch. */
  readonly failed: number;
  /** Number of files left for the next watch because this one reached its limit. */
  readonly left: number;
}

/**
 * The port to files arriving in storage locations. Each content of each path is processed once, by whichever watch is
 * first.
 */
export interface FileWatch {
  /**
   * Polls once: resumes what was interrupted, then processes new files. The call must have no transaction of its own.
   */
  run(ctx: Context, request: FileWatchRequest, taking: FileHandler): Promise<FileWatchOutcome>;
}

/**
 * Refuses a firm's user: storage locations belong to the installation. Call it first, so that nothing else is revealed.
 */
export function assertMayWatch({ user }: Pick<Context, 'user'>): void {
  if (!user.universal)
    throw new PlatformError('NO_PERMISSION', {
      field: 'FileObject',
      message: 'FileObject: storage locations are for users with universal access.',
    });
}

/** Parameters of every watching operation. */
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

/** Results of every watching operation. */
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

/** Returns the watch that an operation's parameters describe. */
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

/** Returns the outcome as a result row. */
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
