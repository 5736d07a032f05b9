import type { Context } from '../../../../kernel/door/context.ts';
import { discardStaged } from '../../../../kernel/documents/discard-staged.ts';
import { findTemplate } from '../../../../kernel/records/save/template.ts';
import type { DocumentParent } from './document-data.ts';
import { requireDocumentType } from './document-type.ts';
import { generateInTransaction } from './generate-document.ts';

/** A document of a type to generate on a record. */
export interface WithinGeneration {
  /** The name of the document type. */
  readonly typeName: string;
  /** The parameter or column that names it, for errors. */
  readonly field: string;
  readonly parent: DocumentParent;
}

/**
 * Generates a document in the transaction of the caller and saves it on a record; if the transaction does not commit,
 * there is no document. Returns its id. The caller has checked that the record is visible, and that the document type
 * comes from configuration.
 *
 * @throws BAD_PARAMETER for an unknown document type; STATE_REFUSES, UNKNOWN_PROVIDER, BAD_TEMPLATE as the generator
 */
export async function generateWithin(ctx: Context, { typeName, field, parent }: WithinGeneration): Promise<number> {
  const record = ctx.registry.recordType('AttachmentTemplate');
  const { id } = await findTemplate(ctx, record, { name: typeName, parentClass: parent.record.name, field });
  const type = await requireDocumentType(ctx, id, field);
  const staged = await generateInTransaction(ctx, { type, parent, documentIds: [], values: {} }, async (file) => {
    const name = `${type.name.replace(/[/\\\p{Cc}]/gu, '_')}.${file.extension}`;
    const { token } = await ctx.documents.stage(file.bytes(), {
      fileName: name,
      ...(type.location === null ? {} : { location: type.location }),
    });
    return { name, token };
  });
  try {
    const { row } = await ctx.call('attachment/save', {
      AttachmentTemplateID: type.id,
      FileName: staged.name,
      Staged: staged.token,
      Object: parent.record.name,
      ObjectID: parent.id,
    });
    return row.AttachmentID;
  } finally {
    await discardStaged(ctx, [staged]);
  }
}
