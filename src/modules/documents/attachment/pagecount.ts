import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { documentAsVersion } from './lib/document-versions.ts';
import { countPages } from './lib/page-image.ts';
import { servedErrors } from './lib/scan/scan-gate.ts';

const answerFields = {
  AttachmentID: required(f.id({ doc: 'The document.' })),
  PageCount: required(f.integer({ doc: 'Its pages, or the sections of a file without pages.' })),
};

export const operation = defineOperation({
  module: 'attachment',
  name: 'PageCount',
  method: 'GET',
  summary: 'Returns how many pages a document has. Its file is opened if its text has not been read yet.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  // It reads the file.
  permission: 'AttachmentDownload',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The document.' })),
    Version: f.integer({ doc: 'An earlier version of the file, by its number; by default the present one.' }),
  },
  transactions: 'own',
  returns: answerFields,
  answerName: 'Attachment',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'UNAVAILABLE', ...servedErrors],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { Version }) => {
  const document = await documentAsVersion(ctx, namedRow(ctx, ctx.record), Version);
  return item('Attachment', answerFields, {
    AttachmentID: document.AttachmentID,
    PageCount: await countPages(ctx, document),
  });
});
