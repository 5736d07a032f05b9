import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { unzipDocument } from './lib/unzip/unzip-document.ts';
import { servedErrors } from './lib/scan/scan-gate.ts';

const rows = {
  AttachmentID: required(f.id({ doc: 'The document.', to: 'Attachment' })),
  Attachment: required(f.text({ doc: 'Its name: the path within the archive.' })),
  FileName: required(f.personal({ doc: 'The file name.' })),
  Added: required(f.boolean({ doc: 'Whether this call added it; false if an earlier one did.' })),
};

export const operation = defineOperation({
  module: 'attachment',
  name: 'Unzip',
  method: 'GET',
  summary:
    "Creates a document on the archive's record for each file in a zip archive, or none if any of them cannot be " +
    'unpacked safely. Archives within the archive become documents, which can be unzipped in turn.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The archive.' })) },
  transactions: 'own',
  returns: 'list',
  answerName: 'Attachment',
  rows,
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'UNAVAILABLE', ...servedErrors],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx) =>
  list('Attachment', rows, await unzipDocument(ctx, namedRow(ctx, ctx.record))),
);
