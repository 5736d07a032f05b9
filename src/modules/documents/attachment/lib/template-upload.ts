import type { Context } from '../../../../kernel/door/context.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import { assertTemplate } from '../../lib/generation/check-template.ts';
import { requireDocumentType } from '../../lib/generation/document-type.ts';
import type { attachment } from '../attachment.record.ts';
import { textTypeOf, UNKNOWN_TYPE } from './file-content.ts';
import type { StagedFile } from './stored-documents.ts';

/** Checks a file that becomes the template of a document type, before it is stored. Throws BAD_TEMPLATE. */
export async function assertFitsTemplate(
  ctx: Context,
  { Object: className, ObjectID: id }: Values<typeof attachment>,
  staged: StagedFile,
  fileName = 'file',
): Promise<void> {
  if (className !== 'AttachmentTemplate' || typeof id !== 'number') return;
  const content = await ctx.documents.content({
    FilePath: staged.path,
    FileObject: staged.fileObject,
    FileSize: staged.size,
    FileName: fileName,
    MimeType: stagedType(staged, fileName),
    Sealed: staged.sealed,
  });
  await assertTemplate(ctx, await requireDocumentType(ctx, id, 'ObjectID'), content);
}

/** Returns the media type of a staged file. Its name may not have been known when it was staged. */
export function stagedType({ mime }: StagedFile, fileName: string): string {
  return mime === UNKNOWN_TYPE ? (textTypeOf(fileName) ?? UNKNOWN_TYPE) : mime;
}
