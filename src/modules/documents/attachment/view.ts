import { f, required } from '../../../kernel/declare/field.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { inlineType } from './lib/file-content.ts';
import { documentDownload } from './lib/document-download.ts';
import { servedErrors } from './lib/scan/scan-gate.ts';

export const operation = defineOperation({
  module: 'attachment',
  name: 'View',
  method: 'GET',
  summary:
    "Sends a document's file for display in a browser: PDF, images and text. Text that could run " +
    'scripts, such as HTML and XML, is sent as plain text; anything that cannot be displayed safely is ' +
    'sent as a download.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  // It returns the same bytes as a download.
  permission: 'AttachmentDownload',
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

export const run = handle(operation, async (ctx, { Version }) => {
  const file = await documentDownload(ctx, namedRow(ctx, ctx.record), { version: Version, disposition: 'inline' });
  const shown = inlineType(file.mime);
  return shown === undefined ? { ...file, disposition: 'attachment' } : { ...file, mime: shown };
});
