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
  summary: 'Sends a document\'s file, to be saved. One that is kept sealed takes the permission UnmaskSSN, and is written to the security log.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The document.' })) },
  returns: 'content',
  errors: ['NO_PERMISSION', 'NOT_FOUND', 'UNAVAILABLE'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const row = await readRecord(ctx.db, ctx.record, ID);
  if (typeof row['FilePath'] !== 'string' || typeof row['FileObject'] !== 'string') throw new PlatformError('NOT_FOUND', { field: 'ID', message: `Attachment ${ID} has no file.` });
  // What is sealed is what senders sent, with protected numbers in the clear: whoever takes it out unmasks them.
  if (row['Sealed'] === true) {
    if (!ctx.user.permissions.has('UnmaskSSN')) throw new PlatformError('NO_PERMISSION', { message: `Attachment ${ID} is kept sealed, since protected numbers may stand in it; it takes the permission UnmaskSSN.` });
    await ctx.security({ event: 'SealedDownloaded', object: 'Attachment', objectId: ID });
  }
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
