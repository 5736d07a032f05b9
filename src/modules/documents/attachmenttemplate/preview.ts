import { f, required } from '../../../kernel/declare/field.ts';
import type { ContentAnswer } from '../../../kernel/door/answer.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertMethodValues } from '../lib/generation/method-values.ts';
import { requireDocumentType } from '../lib/generation/document-type.ts';
import { PDF_MIME, pdfOfPreview, previewDocument } from '../lib/generation/preview-document.ts';

export const operation = defineOperation({
  module: 'attachmenttemplate',
  name: 'Preview',
  method: 'GET',
  summary: 'Generates the document of a document type for a record, and returns it without saving it.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: ['ID', 'DocumentID', { object: 'Object', id: 'ObjectID' }],
  params: {
    ID: required(f.id({ doc: 'The document type.' })),
    Object: f.text({ doc: 'The record type of the record.', max: 60 }),
    ObjectID: f.id({ doc: 'The record whose data fill in the document.' }),
    DocumentID: f.idList({ doc: 'The documents to combine, for types that combine documents.', to: 'Attachment' }),
    Format: f.choice(['Original', 'Pdf'], {
      doc: 'Pdf converts the document for display in a browser; by default it is returned as it would be saved.',
      default: 'Original',
    }),
  },
  free: 'any',
  transactions: 'own',
  checkQueued: async (ctx, { ID }, values) =>
    assertMethodValues(await requireDocumentType(ctx, Number(ID), 'ID'), values),
  returns: 'content',
  errors: [
    'NOT_FOUND',
    'MISSING_PARAMETER',
    'BAD_PARAMETER',
    'STATE_REFUSES',
    'UNKNOWN_PROVIDER',
    'BAD_TEMPLATE',
    'TOO_LARGE',
    'CONVERTER_UNAVAILABLE',
    'UNREADABLE_DOCUMENT',
    'TIMED_OUT',
  ],
  source: '1-core §2',
});

export const run = handle(
  operation,
  async (ctx, { ID, Object: className, ObjectID, DocumentID, Format }, values): Promise<ContentAnswer> => {
    const source = { typeId: ID, className, id: ObjectID, documentIds: DocumentID ?? [], values };
    const file = await previewDocument(ctx, source);
    const shown = Format === 'Pdf' && file.mime !== PDF_MIME ? await pdfOfPreview(ctx, file) : file;
    return { kind: 'content', disposition: 'inline', ...shown };
  },
);
