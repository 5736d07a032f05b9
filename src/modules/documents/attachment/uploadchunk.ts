import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { finishUpload } from './lib/finish-upload.ts';
import { beginUpload, continueUpload, type Chunk } from './lib/upload.ts';

const answerFields = {
  finish: required(f.boolean({ doc: 'Whether the file is complete and has become a document.' })),
  upload_name: required(f.text({ doc: 'The upload: the next chunk carries it as X-File-GUID.', max: 36 })),
  AttachmentID: f.id({ doc: 'The document, once it is finished.', to: 'Attachment' }),
};

export const operation = defineOperation({
  module: 'attachment',
  name: 'UploadChunk',
  method: 'POST',
  summary:
    "Takes a file in chunks of at most 500 KB (512,000 bytes), each the body of a call, and makes a document of it with the last one. The first chunk names file and size and, like the last one, may carry the document's fields (Object, ObjectID, Description and so on); its answer names the upload, which each later chunk carries.",
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {
    FileName: f.personal({ doc: "The file's name, without a path; required with the first chunk.", max: 255 }),
    FileSize: f.integer({ doc: 'The size of the whole file in bytes; required with the first chunk.' }),
    FileGUID: f.text({
      doc: 'The upload that a later chunk belongs to: upload_name of the answer before. Absent on the first.',
      max: 36,
    }),
    FileOffset: f.integer({
      doc: 'Where the chunk begins. With it a chunk that is sent again, because its answer was lost, is recognised and not appended twice.',
    }),
    FileHash: f.text({
      doc: 'SHA-256 of the whole file, hexadecimal; where the bytes have another, nothing is saved.',
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
  errors: ['BAD_PARAMETER', 'NOT_FOUND', 'CONCURRENT_CHANGE', 'TOO_LARGE', 'TOO_MANY', 'UNAVAILABLE'],
  source: '1-core §4, §8',
});

export const run = handle(operation, async (ctx, { FileName, FileSize, FileGUID, FileOffset, FileHash }, fields) => {
  const hash = FileHash?.toLowerCase();
  if (hash !== undefined && !/^[0-9a-f]{64}$/.test(hash)) throw bad('FileHash', 'a SHA-256 of 64 hexadecimal digits');
  if ((FileOffset ?? 0) < 0) throw bad('FileOffset', 'how many bytes of the file come before the chunk');
  const chunk: Chunk = {
    fileName: FileName ?? undefined,
    size: FileSize ?? undefined,
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
