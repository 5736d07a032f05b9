import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { finishUpload } from './lib/finish-upload.ts';
import { beginUpload, continueUpload, type Chunk } from './lib/upload.ts';

const answerFields = {
  finish: required(f.boolean({ doc: 'Whether the file is complete and has become a document.' })),
  upload_name: required(f.text({ doc: 'The upload; send it with the next chunk as X-File-GUID.', max: 36 })),
  AttachmentID: f.id({ doc: 'The document, once the upload is finished.', to: 'Attachment' }),
};

export const operation = defineOperation({
  module: 'attachment',
  name: 'UploadChunk',
  method: 'POST',
  summary:
    'Uploads a file in chunks of at most 500 KB (512,000 bytes), each the body of one call, and creates ' +
    'a document with the last one. The first chunk gives the file name and size. It and the last one may ' +
    'carry fields of the document (Object, ObjectID, Description and so on). The first response names ' +
    'the upload; send that name with each later chunk.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {
    FileName: f.personal({ doc: 'The file name, without a path; required with the first chunk.', max: 255 }),
    // Sizes beyond the largest integer are refused by the setting, not by their type.
    FileSize: f.decimal({ doc: 'The file size in bytes, a whole number; required with the first chunk.' }),
    FileGUID: f.text({
      doc: 'The upload that a later chunk belongs to: upload_name of the previous response. Absent on the first chunk.',
      max: 36,
    }),
    FileOffset: f.integer({
      doc:
        'The offset of the chunk in the file. With it, a chunk that is sent again after a lost response is ' +
        'recognized and not appended twice.',
    }),
    FileHash: f.text({
      doc: 'SHA-256 of the whole file, hexadecimal. If the received bytes differ, nothing is saved.',
      max: 64,
      exact: true,
    }),
  },
  headers: {
    'X-File-Name': 'FileName',
    'X-File-Size': 'FileSize',
    'X-File-GUID': 'FileGUID',
    'X-File-Offset': 'FileOffset',
    'X-File-Hash': 'FileHash',
  },
  free: 'fields',
  body: 'raw',
  transactions: 'own',
  returns: answerFields,
  answerName: 'Upload',
  errors: [
    'BAD_PARAMETER',
    'NOT_FOUND',
    'CONCURRENT_CHANGE',
    'TOO_LARGE',
    'TOO_MANY',
    'UNAVAILABLE',
    'DOCUMENT_INFECTED',
  ],
  source: '1-core §4, §8',
});

export const run = handle(operation, async (ctx, { FileName, FileSize, FileGUID, FileOffset, FileHash }, fields) => {
  const hash = FileHash?.toLowerCase();
  if (hash !== undefined && !/^[0-9a-f]{64}$/.test(hash)) throw bad('FileHash', 'a SHA-256 of 64 hexadecimal digits');
  if ((FileOffset ?? 0) < 0) throw bad('FileOffset', 'the offset of the chunk in the file, in bytes');
  const chunk: Chunk = {
    fileName: FileName ?? undefined,
    size: fileSize(FileSize),
    guid: FileGUID?.toLowerCase(),
    offset: FileOffset ?? undefined,
    hash,
    fields,
  };
  const upload =
    chunk.guid === undefined ? await beginUpload(ctx, chunk) : await continueUpload(ctx, chunk.guid, chunk);
  const isComplete = upload.received === upload.size;
  const id = isComplete ? await finishUpload(ctx, upload, fields, hash) : null;
  return item('Upload', answerFields, { finish: isComplete, upload_name: upload.guid, AttachmentID: id });
});

function fileSize(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined) return undefined;
  const size = Number(text);
  if (!Number.isSafeInteger(size)) throw bad('FileSize', 'the size of the whole file in bytes, a whole number');
  return size;
}
