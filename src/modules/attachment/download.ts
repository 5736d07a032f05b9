import type { FileObject } from '../../contracts/file-object.ts';
import { PlatformError } from '../../kernel/errors.ts';
import { f, required } from '../../kernel/field.ts';
import { defineOperation, handle } from '../../kernel/operation.ts';
import { readRecord } from '../../kernel/records/read.ts';
import { openStream } from '../../kernel/seal-stream.ts';
import { FILE_OBJECT, FILE_PURPOSE } from './lib/stored-documents.ts';

export const operation = defineOperation({
  module: 'attachment',
  name: 'Download',
  method: 'GET',
  summary: 'Sends a document\'s file, to be saved.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The document.' })) },
  returns: 'content',
  errors: ['NOT_FOUND'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const row = await readRecord(ctx.db, ctx.record, ID);
  if (typeof row['FilePath'] !== 'string' || typeof row['FileObject'] !== 'string') throw new PlatformError('NOT_FOUND', { field: 'ID', message: `Attachment ${ID} has no file.` });
  const files = ctx.providers.get<FileObject>(FILE_OBJECT, row['FileObject']);
  if (!(await files.stat(row['FilePath']))) throw new PlatformError('UNAVAILABLE', { message: 'The document\'s file is not in its storage.' });
  const stored = files.read(row['FilePath']);
  return {
    kind: 'content',
    mime: String(row['MimeType'] ?? 'application/octet-stream'),
    fileName: String(row['FileName'] ?? row['Attachment'] ?? 'file'),
    disposition: 'attachment',
    ...(typeof row['FileSize'] === 'number' ? { length: row['FileSize'] } : {}),
    bytes: row['Sealed'] === true ? openStream(ctx.cipher, FILE_PURPOSE, stored) : stored,
  };
});
