import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import type { PageCall } from '../page-call.ts';

/** A file of all documents that a bulk change generated. */
export interface CombinedDownload {
  readonly href: string;
  /** The name of the document type that combines them. */
  readonly text: string;
}

/** The generators that combine documents, in the order of the links. */
const COMBINING: readonly string[] = ['MergedPdfGenerator', 'ZipGenerator'];

/**
 * Returns a link for each document type that can combine the documents of a bulk change; none if it generated no
 * documents. `results`: all of its rows.
 */
export async function combinedDownloads(
  call: PageCall,
  { Signature }: Pick<RowNamed<'BulkRun'>, 'Signature'>,
  results: readonly Pick<RowNamed<'ImportFileQueue'>, 'Status' | 'Result'>[],
): Promise<readonly CombinedDownload[]> {
  const ids = generatedDocuments({ Signature }, results);
  if (ids.length === 0 || !call.may('attachmenttemplate/preview') || !call.may('attachmenttemplate/search')) return [];
  const found = await Promise.all(
    COMBINING.map((AttachmentService) =>
      call.call('attachmenttemplate/search', { AttachmentService, RecordCount: 'false', DisplaySize: 5 }),
    ),
  );
  return found.flatMap(({ answer }) =>
    answer.rows.map(({ AttachmentTemplateID, AttachmentTemplate }) => ({
      href: `/api/attachmenttemplate/preview?ID=${AttachmentTemplateID}&DocumentID=${ids.join(',')}`,
      text: AttachmentTemplate ?? 'one file',
    })),
  );
}

/** Returns the documents that a bulk change generated; none if it did something else. `results`: all of its rows. */
export function generatedDocuments(
  { Signature }: Pick<RowNamed<'BulkRun'>, 'Signature'>,
  results: readonly Pick<RowNamed<'ImportFileQueue'>, 'Status' | 'Result'>[],
): readonly number[] {
  if (!/^attachment\/generate\?/i.test(Signature ?? '')) return [];
  return results.flatMap(({ Status, Result }) => (Status === 'Complete' && Result !== null ? [Result] : []));
}
