import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { partsOf, requireUpload } from './lib/upload.ts';
import { deleteUpload } from './lib/upload-rows.ts';

const answerFields = {
  upload_name: required(f.text({ doc: 'The upload.', max: 36 })),
  discarded: required(f.boolean({ doc: 'Whether it was removed; false if it has become a document meanwhile.' })),
};

export const operation = defineOperation({
  module: 'attachment',
  name: 'DiscardUpload',
  method: 'POST',
  summary: "Removes one of the caller's unfinished uploads with the bytes that have arrived.",
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'AttachmentUploadChunk',
  params: { Upload: required(f.text({ doc: 'The upload: the upload_name that uploadchunk returned.', max: 36 })) },
  returns: answerFields,
  answerName: 'Upload',
  errors: ['NOT_FOUND'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { Upload }) => {
  const upload = await requireUpload(ctx, Upload);
  const discarded = await deleteUpload(ctx, upload.guid);
  // Bytes without a row are swept if this fails.
  if (discarded) await partsOf(ctx, upload).delete(upload.guid);
  return item('Upload', answerFields, { upload_name: upload.guid, discarded });
});
