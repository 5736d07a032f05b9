import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { assertHashed } from './lib/file-hashes.ts';
import { duplicatesOf } from './lib/duplicates.ts';

/** Most documents to compare with. */
const COMPARED_MAX = 1_000;

const rows = {
  AttachmentID: required(f.id({ doc: 'The document with the same content.', to: 'Attachment' })),
  Attachment: f.text({ doc: 'Its name.' }),
  FileName: f.personal({ doc: 'The file name.' }),
  Object: f.text({ doc: 'The record type of the record that it belongs to.' }),
  ObjectID: f.id({ doc: 'The record that it belongs to.' }),
  FileSize: f.integer({ label: 'Size in bytes', doc: 'The size in bytes.' }),
  CreatedDate: required(f.timestamp({ doc: 'When it was added.' })),
};

export const operation = defineOperation({
  module: 'attachment',
  name: 'GetDuplicates',
  method: 'GET',
  summary:
    'Returns the documents whose files have the same content as that of a document, the newest first, at most 1,000. ' +
    'Only documents that the caller can see are compared.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: ['ID', 'CompareID'],
  params: {
    ID: required(f.id({ doc: 'The document.' })),
    CompareID: f.idList({ doc: 'The documents to compare with; by default all.', max: COMPARED_MAX, to: 'Attachment' }),
  },
  returns: 'list',
  answerName: 'Attachment',
  rows,
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID, CompareID }) => {
  const row = await readRecord(ctx.db, ctx.record, ID);
  assertHashed(row);
  return list('Attachment', rows, await duplicatesOf(ctx, row, CompareID ?? undefined));
});
