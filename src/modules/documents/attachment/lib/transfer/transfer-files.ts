import { FILE_OBJECT } from '../../../../../contracts/file-object.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { f, required } from '../../../../../kernel/declare/field.ts';
import { list, type ListAnswer } from '../../../../../kernel/door/answer.ts';
import { DEFAULT_PATH_URL } from '../path-url.ts';
import type { attachment } from '../../attachment.record.ts';
import { transferDocument, type FileTransfer } from './transfer-document.ts';

/** Parameters of the three operations on documents' files. */
export const transferParameters = {
  ID: required(f.idList({ doc: 'The documents.' })),
  FileObject: required(f.text({ doc: 'The name of the target storage location.', max: 100 })),
  PathURL: f.text({
    doc:
      'The target path. `{Guid}`, `{Year}`, `{Month}`, `{Uri.FileName}`, `{Uri.Extension}`, `{Object}`, ' +
      '`{ObjectID}` and the columns of the document are filled in. A path that ends in `/` is a folder. `{Guid}` is ' +
      'the same when the call is repeated.',
    max: 1000,
    exact: true,
    default: DEFAULT_PATH_URL,
  }),
};

/** Answer row of each document. */
export const transferRows = {
  AttachmentID: required(f.id({ doc: 'The document.', to: 'Attachment' })),
  FileObject: required(f.text({ doc: 'The storage location of the copy.' })),
  FilePath: required(f.personal({ doc: 'The path of the copy.' })),
};

/**
 * Copies the files of documents, one after the other. A failure becomes a warning and the rest continue; if all fail,
 * the call fails.
 */
export async function transferFiles(
  ctx: Context<typeof attachment>,
  ids: readonly number[],
  transfer: FileTransfer,
): Promise<ListAnswer> {
  if (!ctx.user.universal)
    throw new PlatformError('NO_PERMISSION', {
      field: 'FileObject',
      message: 'FileObject: only users with universal access can use storage locations.',
    });
  // An unknown location fails the whole call.
  ctx.providers.get(FILE_OBJECT, transfer.location);
  const rows: { AttachmentID: number; FileObject: string; FilePath: string }[] = [];
  let first: PlatformError | undefined;
  for (const id of ids) {
    try {
      const { location, path } = await transferDocument(ctx, id, transfer);
      rows.push({ AttachmentID: id, FileObject: location, FilePath: path });
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      first ??= error;
      if (ids.length > 1) ctx.alert({ code: error.code, id, text: error.message });
    }
  }
  if (first && rows.length === 0) throw first;
  return list('Attachment', transferRows, rows);
}
