import type { Context } from '../kernel/door/context.ts';
import { PlatformError } from '../kernel/door/errors.ts';
import { f, required } from '../kernel/declare/field.ts';
import type { ParameterFields } from '../kernel/declare/field-types.ts';
import type { FileWatchOutcome, FileWatchRequest } from '../kernel/ports/file-watch.ts';

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
  FileObject: required(f.text({ doc: 'The storage location to watch, by name.', max: 100 })),
  Path: f.text({ doc: 'The folder to watch.', max: 1000, exact: true, default: '/' }),
  Pattern: f.text({ doc: 'File name patterns, separated by `;`, such as `*.csv`.', max: 500, default: '*' }),
  Depth: f.integer({ doc: 'Levels of subfolders to include.', default: 0 }),
  TransferTo: f.text({
    doc: 'A storage location to copy each file to; its document then refers to it there.',
    max: 100,
  }),
  MoveTo: f.text({ doc: 'Like TransferTo, and the file is removed from where it was found.', max: 100 }),
  ToPath: f.text({
    doc:
      'The target path, with `{Guid}`, `{Year}`, `{Month}`, `{Uri.FileName}`, `{Uri.Extension}` and columns ' +
      'of the document filled in; a path that ends in `/` is a folder.',
    max: 1000,
    exact: true,
  }),
  ExpectedBy: f.text({
    doc:
      'Times by which a file must have come each time, as a schedule: `Daily @ 7am`. The first watch after a time ' +
      'reports to the error log that none has.',
    max: 200,
  }),
  Statement: f.text({
    doc: 'A method signature called once with the new documents as ID; a bare name is an operation of Attachment.',
    max: 2000,
    exact: true,
  }),
} as const satisfies ParameterFields;

/** Results of every watching operation. */
export const watchAnswer = {
  Found: required(f.integer({ doc: 'Files that match.' })),
  Taken: required(f.integer({ doc: 'Files processed now, or finished after an interruption.' })),
  Waiting: required(f.integer({ doc: 'Files that may still be being written, or that another watch is processing.' })),
  Failed: required(
    f.integer({ doc: 'Files that failed; each is reported as an alert and tried again by the next watch.' }),
  ),
  Left: required(f.integer({ doc: 'Files left for the next watch because this one reached its limit.' })),
  AttachmentIDs: f.text({ doc: 'Documents of the processed files, comma-separated.' }),
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
    readonly ExpectedBy?: string | null;
    readonly Statement?: string | null;
  },
  seal: boolean,
): FileWatchRequest {
  const { FileObject, Path, Pattern, Depth, TransferTo, MoveTo, ToPath, ExpectedBy, Statement } = params;
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
    ...(typeof ExpectedBy === 'string' ? { expectedBy: ExpectedBy } : {}),
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
