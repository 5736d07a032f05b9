import { FILE_OBJECT } from '../../../../contracts/file-object.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { callSignature } from '../../../../kernel/door/signature.ts';
import { readAll } from '../../../../kernel/parameters/body-parameters.ts';
import type { FileHandler, WatchedFile } from '../../../../kernel/ports/file-watch.ts';
import { decodeText, isText } from '../../../../lib/readers/decode-text.ts';
import { plainBody } from '../../../../lib/text-search/words.ts';

/** Largest text file. */
const TEXT_BYTES_MAX = 5 * 1024 * 1024;

/** What the messages of watched files are. */
export interface WatchedTexts {
  readonly object: string | undefined;
  readonly objectId: number | undefined;
  readonly templateId: number | undefined;
  /** A method signature that is called for each message. */
  readonly statement: string | undefined;
}

/** Returns the handler that makes a message of each text file, with the file as its document. */
export function messageOfFile({ object, objectId, templateId, statement }: WatchedTexts): FileHandler {
  return {
    async begin(own, file) {
      const message = await own.call('message/save', {
        Message: file.fileName,
        BodyText: await textOf(own, file),
        ...(object === undefined || objectId === undefined ? {} : { Object: object, ObjectID: objectId }),
        ...(templateId === undefined ? {} : { MessageTemplateID: templateId }),
      });
      const document = await own.call('attachment/save', {
        Object: 'Message',
        ObjectID: message.row.MessageID,
        FileName: file.fileName,
        Staged: file.token,
      });
      return { attachmentId: document.row.AttachmentID };
    },
    async follow(ctx, { attachmentId }, note) {
      await ctx.inTransaction(async (own) => {
        await note(own);
        if (statement !== undefined) await callStatement(own, statement, attachmentId);
      });
    },
  };
}

async function callStatement(own: Context, statement: string, attachmentId: number): Promise<void> {
  const [document] = await own.db.query<{ id: number }>(
    "select objectid as id from attachment where attachmentid = $1::bigint and object = 'Message'",
    [attachmentId],
  );
  // The message was deleted since: nothing is left to do.
  if (!document) return;
  const { id } = document;
  const use = { field: 'Statement', module: 'message', more: { ID: id } };
  await callSignature(own, statement, use, (name) => (/^(?:message)?id$/i.test(name) ? id : undefined));
}

async function textOf(own: Context, { location, path, fileName, size }: WatchedFile): Promise<string> {
  if (size > TEXT_BYTES_MAX)
    throw new PlatformError('TOO_LARGE', {
      message: `"${fileName}" has ${size} bytes; text files of at most ${TEXT_BYTES_MAX} become messages.`,
    });
  const bytes = await readAll(own.providers.get(FILE_OBJECT, location).read(path), TEXT_BYTES_MAX);
  if (!isText(bytes))
    throw new PlatformError('UNREADABLE_DOCUMENT', {
      message: `"${fileName}" is not a text file; expected plain text.`,
    });
  return plainBody(decodeText(bytes));
}
