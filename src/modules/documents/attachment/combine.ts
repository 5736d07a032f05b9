import { f, required } from '../../../kernel/declare/field.ts';
import type { ContentAnswer } from '../../../kernel/door/answer.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { generateDocument } from '../lib/generation/generate-document.ts';
import { servedErrors } from './lib/scan/scan-gate.ts';

/** Most documents that are combined. */
const DOCUMENTS_MAX = 500;

export const operation = defineOperation({
  module: 'attachment',
  name: 'Combine',
  method: 'GET',
  summary: 'Returns several documents as one file: a zip file of them, or one PDF file of their pages in this order.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  // It returns the same bytes as downloads.
  permission: 'AttachmentDownload',
  names: 'ID',
  params: {
    ID: required(f.idList({ doc: 'The documents, in order.', max: DOCUMENTS_MAX })),
    As: f.text({ doc: 'The kind of file; by default a zip file.', choices: ['Zip', 'Pdf'] }),
  },
  transactions: 'own',
  returns: 'content',
  errors: ['NOT_FOUND', 'NO_PERMISSION', 'BAD_PARAMETER', 'UNAVAILABLE', 'TOO_LARGE', 'STATE_REFUSES', ...servedErrors],
  source: 'checklist DOC-04',
});

export const run = handle(operation, async (ctx, { ID, As }): Promise<ContentAnswer> => {
  const generator = As === 'Pdf' ? 'MergedPdfGenerator' : 'ZipGenerator';
  const type = { id: 0, name: 'Documents', appliesTo: null, method: '', generator, location: null, options: '' };
  return generateDocument(ctx, { type, parent: undefined, documentIds: ID, values: {} }, async (file) => ({
    kind: 'content',
    mime: file.mime,
    fileName: `documents.${file.extension}`,
    disposition: 'attachment',
    bytes: file.bytes(),
  }));
});
