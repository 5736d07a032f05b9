import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { openUploads, uploadFields } from './lib/upload-rows.ts';

const rows = {
  upload_name: required(f.text({ doc: 'The upload; uploadchunk takes it as X-File-GUID.', max: 36 })),
  FileName: required(f.personal({ doc: "The file's name.", max: 255 })),
  FileSize: required(f.integer({ doc: 'The size of the whole file in bytes.' })),
  Received: required(f.integer({ doc: 'Bytes received; the next chunk starts at this offset.' })),
  Object: f.text({ doc: 'The record type of the record that the document will belong to.', max: 60 }),
  ObjectID: f.text({ doc: 'That record, as the first chunk named it.', max: 60 }),
  UpdatedDate: required(f.timestamp({ doc: 'When the last chunk arrived.' })),
};

export const operation = defineOperation({
  module: 'attachment',
  name: 'Uploads',
  method: 'GET',
  summary: "Lists the caller's unfinished uploads, the newest first. `attachment/uploadchunk` continues one.",
  effect: 'read',
  idempotent: true,
  access: 'permission',
  // Who may upload may ask what is missing.
  permission: 'AttachmentUploadChunk',
  params: {},
  returns: 'list',
  rows,
  answerName: 'Upload',
  errors: [],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx) => {
  const uploads = await openUploads(ctx);
  return list(
    'Upload',
    rows,
    uploads.map((upload) => {
      const fields = uploadFields(ctx, upload);
      const of = (name: string): string | null => {
        const value = Object.entries(fields).find(([key]) => key.toLowerCase() === name)?.[1];
        return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
      };
      return {
        upload_name: upload.guid,
        FileName: upload.fileName,
        FileSize: upload.size,
        Received: upload.received,
        Object: of('object'),
        ObjectID: of('objectid'),
        UpdatedDate: upload.updated,
      };
    }),
  );
});
