import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { requireUpload as requiredUpload } from './lib/upload.ts';

const answerFields = {
  finish: required(f.boolean({ doc: 'Whether the file has become a document.' })),
  upload_name: required(f.text({ doc: 'The upload.', max: 36 })),
  FileName: required(f.personal({ doc: "The file's name.", max: 255 })),
  FileSize: required(f.integer({ doc: 'The size of the whole file in bytes.' })),
  Received: required(f.integer({ doc: 'Bytes received; the next chunk starts at this offset.' })),
  AttachmentID: f.id({ doc: 'The document, once the upload is finished.', to: 'Attachment' }),
};

export const operation = defineOperation({
  module: 'attachment',
  name: 'UploadStatus',
  method: 'GET',
  summary: "Returns how much of one of the caller's uploads has arrived, so that it can resume after an interruption.",
  effect: 'read',
  idempotent: true,
  access: 'permission',
  // Who may upload may ask how far it got.
  permission: 'AttachmentUploadChunk',
  params: { Upload: required(f.text({ doc: 'The upload: the upload_name that uploadchunk returned.', max: 36 })) },
  returns: answerFields,
  answerName: 'Upload',
  errors: ['NOT_FOUND'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { Upload }) => {
  const upload = await requiredUpload(ctx, Upload);
  return item('Upload', answerFields, {
    finish: upload.isFinished,
    upload_name: upload.guid,
    FileName: upload.fileName,
    FileSize: upload.size,
    Received: upload.received,
    AttachmentID: upload.attachmentId,
  });
});
