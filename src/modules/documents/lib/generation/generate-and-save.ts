import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { discardStaged } from '../../../../kernel/documents/discard-staged.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { StoredDocument } from '../../attachment/attachment.record.ts';
import { generateDocument } from './generate-document.ts';
import type { GenerationTarget } from './generation-target.ts';

/** A document to generate and save. */
export interface SavedGeneration extends GenerationTarget {
  readonly documentIds: readonly number[];
  readonly values: Parameters;
  /** The file's name; by default the document type's name. */
  readonly fileName?: string | undefined;
}

/**
 * Generates a document and saves it on its record. `use` runs in the transaction of the save. The caller has checked
 * that the record is visible. Throws what `generateDocument` throws.
 */
export async function generateAndSave<T>(
  ctx: Context,
  { type, parent, documentIds, values, fileName }: SavedGeneration,
  use: (own: Context, document: StoredDocument) => Promise<T>,
): Promise<T> {
  const staged = await generateDocument(ctx, { type, parent, documentIds, values }, async (file) => {
    const name = fileName ?? `${type.name.replace(/[/\\\p{Cc}]/gu, '_')}.${file.extension}`;
    const { token } = await ctx.documents.stage(file.bytes(), {
      fileName: name,
      ...(type.location === null ? {} : { location: type.location }),
    });
    return { name, token };
  });
  try {
    return await ctx.inTransaction(async (own) => {
      const { row } = await own.call('attachment/save', {
        AttachmentTemplateID: type.id,
        FileName: staged.name,
        Staged: staged.token,
        Object: parent.record.name,
        ObjectID: parent.id,
      });
      return use(own, row);
    });
  } finally {
    await discardStaged(ctx, [staged]);
  }
}
