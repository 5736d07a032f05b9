import { f, required } from '../../../kernel/declare/field.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { documentDownload } from './lib/document-download.ts';
import { servedErrors } from './lib/scan/scan-gate.ts';

export const operation = defineOperation({
  module: 'attachment',
  name: 'Download',
  method: 'GET',
  summary:
    "Sends a document's file as a download; over HTTP also in parts (Range). A file that is stored " +
    'encrypted requires the permission UnmaskSSN, and its download is written to the security log.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The document.' })),
    Version: f.integer({ doc: 'An earlier version of the file, by its number; by default the present one.' }),
  },
  returns: 'content',
  errors: ['NO_PERMISSION', 'NOT_FOUND', 'UNAVAILABLE', ...servedErrors],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { Version }) =>
  documentDownload(ctx, namedRow(ctx, ctx.record), { version: Version, disposition: 'attachment' }),
);
