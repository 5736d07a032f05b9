import { FILE_OBJECT } from '../../../contracts/file-object.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { renditionOf, TARGETS } from './lib/convert/rendition-of.ts';
import { documentDownload } from './lib/document-download.ts';
import { renditionName } from './lib/document-row.ts';
import { inlineType } from './lib/file-content.ts';
import { servedErrors } from './lib/scan/scan-gate.ts';

export const operation = defineOperation({
  module: 'attachment',
  name: 'Convert',
  method: 'GET',
  summary:
    'Sends a document in another format, by default as PDF: office documents, HTML, mail, text and images. Linked ' +
    'files are not loaded, and macros and scripts are not run. The same content is converted once.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  // It returns the same content as a download.
  permission: 'AttachmentDownload',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The document.' })),
    To: f.choice(['Pdf', 'Html', 'Text'], { doc: 'The format; Html and Text for letters only.', default: 'Pdf' }),
  },
  transactions: 'own',
  returns: 'content',
  errors: [
    'NOT_FOUND',
    'STATE_REFUSES',
    'UNREADABLE_DOCUMENT',
    'CONVERTER_UNAVAILABLE',
    'TOO_LARGE',
    'TIMED_OUT',
    'UNAVAILABLE',
    ...servedErrors,
  ],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID, To }) => {
  const row = await readRecord(ctx.db, ctx.record, ID);
  if (row.MimeType === TARGETS[To]) return documentDownload(ctx, row, { disposition: 'inline' });
  const { mime, extension, size, hash, fileObject, path } = await renditionOf(ctx, row, TARGETS[To]);
  const files = ctx.providers.get(FILE_OBJECT, fileObject);
  return {
    kind: 'content',
    mime: inlineType(mime) ?? mime,
    fileName: renditionName(row, extension),
    disposition: 'inline',
    length: size,
    tag: hash,
    bytes: files.read(path, { reuse: true }),
    part: (start, end) => files.read(path, { start, end, reuse: true }),
  };
});
