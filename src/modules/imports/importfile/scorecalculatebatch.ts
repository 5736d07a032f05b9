import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { fileAnswer, fileFields } from './lib/file-answer.ts';
import { queueUploadedBatch, uploadedParameters } from './lib/uploaded-batch.ts';

export const operation = defineOperation({
  module: 'importfile',
  name: 'ScoreCalculateBatch',
  method: 'GET',
  summary:
    'Calculates a score for each row of an uploaded file. The columns are the parameters of ' +
    'score/calculate. Queued; each row is a separate call.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'AttachmentID',
  reach: 'row',
  params: uploadedParameters,
  returns: fileFields,
  answerName: 'ImportFile',
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'BAD_PARAMETER', 'STATE_REFUSES', 'UNKNOWN_PROVIDER', 'UNKNOWN_OPERATION'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, sent) => {
  const { importFileId, name } = await queueUploadedBatch(ctx, sent, {
    template: 'ScoreCalculateBatch',
    call: 'Score/Calculate',
  });
  return fileAnswer(name, importFileId, 'Queued');
});
