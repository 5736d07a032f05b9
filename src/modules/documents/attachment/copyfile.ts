import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { transferFiles, transferParameters, transferRows } from './lib/transfer/transfer-files.ts';
import { servedErrors } from './lib/scan/scan-gate.ts';

export const operation = defineOperation({
  module: 'attachment',
  name: 'CopyFile',
  method: 'GET',
  summary:
    'Copies the files of documents to a storage location; the documents are unchanged. An existing file ' +
    'with the same content counts as the copy.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: {
    ...transferParameters,
  },
  transactions: 'own',
  returns: 'list',
  rows: transferRows,
  errors: [
    'NOT_FOUND',
    'BAD_PARAMETER',
    'DUPLICATE_KEY',
    'STATE_REFUSES',
    'UNKNOWN_PROVIDER',
    'UNAVAILABLE',
    'CONCURRENT_CHANGE',
    ...servedErrors,
  ],
  source: '1-core §4',
});

export const run = handle(operation, (ctx, { ID, FileObject, PathURL }) =>
  transferFiles(ctx, ID, { location: FileObject, pathUrl: PathURL, repoint: false, remove: false, seal: false }),
);
