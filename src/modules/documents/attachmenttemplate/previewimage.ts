import { f, required } from '../../../kernel/declare/field.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { imageOfBytes } from '../attachment/lib/page-image.ts';
import type { ContentAnswer } from '../../../kernel/door/answer.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertMethodValues } from '../lib/generation/method-values.ts';
import { requireDocumentType } from '../lib/generation/document-type.ts';
import { pdfOfPreview, previewDocument } from '../lib/generation/preview-document.ts';

export const operation = defineOperation({
  module: 'attachmenttemplate',
  name: 'PreviewImage',
  method: 'GET',
  summary:
    'Generates the document of a document type for a record, and returns a page of it as a WebP image, without ' +
    'saving it. A Word or HTML document is converted to PDF first.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  // It shows what a preview does.
  permission: 'AttachmentTemplatePreview',
  names: ['ID', { object: 'Object', id: 'ObjectID' }],
  params: {
    ID: required(f.id({ doc: 'The document type.' })),
    Object: f.text({ doc: 'The record type of the record.', max: 60 }),
    ObjectID: f.id({ doc: 'The record whose data fill in the document.' }),
    PageNumber: f.integer({ doc: 'The page, from 1; by default the first.' }),
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

/** Letters, which are converted to have pages. */
const LETTERS: ReadonlySet<string> = new Set([
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'text/html',
]);
/** Width in pixels. */
const WIDTH = 900;

export const run = handle(
  operation,
  async (ctx, { ID, Object: className, ObjectID, PageNumber }, values): Promise<ContentAnswer> => {
    const page = PageNumber ?? 1;
    if (page < 1) throw bad('PageNumber', 'a page, from 1');
    const made = await previewDocument(ctx, { typeId: ID, className, id: ObjectID, documentIds: [], values });
    const file = LETTERS.has(made.mime.split(';')[0] ?? '') ? await pdfOfPreview(ctx, made) : made;
    const bytes = await imageOfBytes(ctx, file, { page, width: WIDTH });
    return { kind: 'content', mime: 'image/webp', disposition: 'inline', bytes };
  },
);
