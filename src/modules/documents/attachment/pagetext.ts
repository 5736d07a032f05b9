import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { readPageText } from './lib/text/page-text.ts';
import { assertServed, servedErrors } from './lib/scan/scan-gate.ts';

const answerFields = {
  AttachmentID: required(f.id({ doc: 'The document.' })),
  PageNumber: required(f.integer({ doc: 'The page, or the section of a file without pages.' })),
  Body: f.body({ doc: 'Its text; empty until it is read.' }),
  Boxes: f.body({
    doc:
      'Where its words are: index of the first character, left, top, right and bottom in thousandths of the width ' +
      'and height of the page, separated by commas; words by semicolons. Empty for files without pages.',
  }),
};

export const operation = defineOperation({
  module: 'attachment',
  name: 'PageText',
  method: 'GET',
  summary: 'Returns the text of a page of a document, and where its words are, for a viewer in which text is selected.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  // It shows what is in the file.
  permission: 'AttachmentDownload',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The document.' })),
    PageNumber: required(f.integer({ doc: 'The page, from 1.' })),
  },
  returns: answerFields,
  answerName: 'Attachment',
  errors: ['NOT_FOUND', ...servedErrors],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID, PageNumber }) => {
  assertServed(ctx.settings, namedRow(ctx, ctx.record));
  const { body, boxes } = await readPageText(ctx, ID, PageNumber);
  return item('Attachment', answerFields, { AttachmentID: ID, PageNumber, Body: body, Boxes: boxes });
});
