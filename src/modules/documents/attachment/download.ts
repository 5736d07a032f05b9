import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { documentDownload } from './lib/document-download.ts';

export const operation = defineOperation({
  module: 'attachment',
  name: 'Download',
  method: 'GET',
  summary:
    "Sends a document's file, to be saved; over HTTP in parts too (Range). One that is kept sealed takes the permission UnmaskSSN, and is written to the security log.",
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The document.' })) },
  returns: 'content',
  errors: ['NO_PERMISSION', 'NOT_FOUND', 'UNAVAILABLE'],
  source: '1-core §4',
});

export const run = handle(operation, (ctx, { ID }) => documentDownload(ctx, ID, 'attachment'));
