import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { findInDocument } from './lib/text/find-in-document.ts';
import { assertServed, servedErrors } from './lib/scan/scan-gate.ts';

const rows = {
  AttachmentID: required(f.id({ doc: 'The document.' })),
  PageNumber: required(f.integer({ doc: 'The page, or the section of a file without pages.' })),
  HitNumber: required(f.integer({ doc: 'Number of the hit within the document, from 1.' })),
  Words: required(f.personal({ doc: 'The words as they are written.' })),
  Snippet: required(f.personal({ doc: 'The text around them, with the hits in <mark>; HTML without other markup.' })),
  Boxes: f.personal({
    doc:
      'Where the words are, for each line: left, top, right and bottom in thousandths of the width and height of the ' +
      'page, separated by commas; lines by semicolons. Empty for files without pages.',
  }),
};

export const operation = defineOperation({
  module: 'attachment',
  name: 'FindText',
  method: 'GET',
  summary: 'Returns where a document has the words of a full-text search, page by page, for marking them in a viewer.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  // It shows the text of the file.
  permission: 'AttachmentDownload',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The document.' })),
    FullText: required(f.text({ doc: 'As in attachment/search.', max: 200 })),
    PageNumber: f.integer({ doc: 'Only this page. Default: all pages, up to 1,000 hits.' }),
  },
  returns: 'list',
  rows,
  errors: ['NOT_FOUND', ...servedErrors, 'BAD_PARAMETER'],
  source: 'checklist DOC-13',
});

export const run = handle(operation, async (ctx, { ID, FullText, PageNumber }) => {
  assertServed(ctx.settings, namedRow(ctx, ctx.record));
  const hits = await findInDocument(ctx, { id: ID, text: FullText, page: PageNumber ?? undefined });
  return list('Attachment', rows, hits);
});
