/** The data of documents, for messages that merge the same data, and the documents that these use and attach. */
import type { FileContent } from '../../../contracts/file-content.ts';
import type { Context } from '../../../kernel/door/context.ts';
import type { DocumentRow } from '../../../kernel/ports/documents.ts';

export { dataShape } from '../lib/generation/data-shape.ts';
export { generateWithin } from '../lib/generation/generate-within.ts';
export { dataDocument } from '../lib/generation/document-data.ts';

/**
 * Returns the content of a document that configuration names, whoever uses the configuration; undefined without one.
 * The caller has checked that the name comes from stored configuration.
 */
export async function configuredDocument(ctx: Context, id: number): Promise<FileContent | undefined> {
  const [row] = await ctx.configuration.db.query<DocumentRow>(
    `select filename as "FileName", filepath as "FilePath", fileobject as "FileObject", filesize as "FileSize",
       mimetype as "MimeType", sealed as "Sealed", scanstate as "ScanState"
     from attachment where attachmentid = $1::bigint and filepath is not null`,
    [id],
  );
  return row && ctx.documents.content(row);
}
