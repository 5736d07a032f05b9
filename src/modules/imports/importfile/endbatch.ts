import { f, required } from '../../../kernel/declare/field.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { endBatch } from './lib/batch.ts';
import { fileAnswer, fileFields, submissionName } from './lib/file-answer.ts';

export const operation = defineOperation({
  module: 'importfile',
  name: 'EndBatch',
  method: 'POST',
  summary:
    'Ends a batch whose rows are all finished, or of which too many have failed. Queued by the platform ' +
    'after the last row. Has no effect on a batch that is still running.',
  effect: 'write',
  idempotent: true,
  access: 'signed-in',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The import file.' })) },
  returns: fileFields,
  answerName: 'ImportFile',
  errors: ['NOT_FOUND'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const file = namedRow(ctx, ctx.record);
  await endBatch(ctx, ID);
  const now = await readRecord(ctx.db, ctx.record, ID);
  return fileAnswer(submissionName(file), ID, String(now.Status));
});
