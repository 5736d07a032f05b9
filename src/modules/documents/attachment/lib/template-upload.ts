import type { Context } from '../../../../kernel/door/context.ts';
import type { CheckedSave } from '../../../../kernel/declare/reaction.ts';
import { columnsAfter } from '../../../../kernel/declare/values.ts';
import type { DocumentRow } from '../../../../kernel/ports/documents.ts';
import { readColumns } from '../../../../kernel/records/search/read.ts';
import { assertTemplate } from '../../lib/generation/check-template.ts';
import { requireDocumentType } from '../../lib/generation/document-type.ts';
import { attachment } from '../attachment.record.ts';
import { textTypeOf, UNKNOWN_TYPE } from './file-content.ts';
import type { StagedFile } from './stored-documents.ts';

const TYPE = 'AttachmentTemplate';
const columns = [
  'Object',
  'ObjectID',
  'FilePath',
  'FileObject',
  'FileSize',
  'FileName',
  'MimeType',
  'Sealed',
  'ScanState',
] as const;

/** Whether a save can give a document type another template: it stores a file, or moves a document. */
export function mayChangeTemplate({ values, id }: Pick<CheckedSave<typeof attachment>, 'values' | 'id'>): boolean {
  const { Object: className, ObjectID: parentId, FilePath: path } = values;
  if (className !== undefined) return className === TYPE;
  return id !== undefined && (path !== undefined || parentId !== undefined);
}

/**
 * Checks the file that a document will have after a save, if the document then belongs to a document type: it becomes
 * the type's template. Throws BAD_TEMPLATE.
 */
export async function assertSavedTemplate(
  ctx: Context,
  { values, id }: Pick<CheckedSave<typeof attachment>, 'values' | 'id'>,
): Promise<void> {
  const stored = id === undefined ? undefined : await readColumns(ctx.db, attachment, id, columns);
  const after = columnsAfter(values, stored);
  await assertTemplateFile(ctx, {
    Object: after.Object ?? null,
    ObjectID: after.ObjectID ?? null,
    FilePath: after.FilePath ?? null,
    FileObject: after.FileObject ?? null,
    FileSize: after.FileSize ?? null,
    FileName: after.FileName ?? null,
    MimeType: after.MimeType ?? null,
    Sealed: after.Sealed ?? null,
    ScanState: after.ScanState ?? null,
  });
}

/** Throws BAD_TEMPLATE unless a document that belongs to a document type can be its template. */
export async function assertTemplateFile(
  ctx: Context,
  { Object: className, ObjectID: id, ...file }: DocumentRow & { Object: string | null; ObjectID: number | null },
): Promise<void> {
  if (className !== TYPE || id === null || file.FilePath === null) return;
  await assertTemplate(ctx, await requireDocumentType(ctx, id, 'ObjectID'), await ctx.documents.content(file));
}

/** Returns the media type of a staged file. Its name may not have been known when it was staged. */
export function stagedType({ mime }: StagedFile, fileName: string): string {
  return mime === UNKNOWN_TYPE ? (textTypeOf(fileName) ?? UNKNOWN_TYPE) : mime;
}
