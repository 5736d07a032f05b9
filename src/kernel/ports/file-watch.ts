import type { Context } from '../door/context.ts';

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
  /** Times by which a file must have come, as a schedule; reported to operators if none has. */
  readonly expectedBy?: string;
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
