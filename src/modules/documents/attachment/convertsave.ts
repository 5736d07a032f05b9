import { list } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { saveConverted } from './lib/convert/save-converted.ts';
import { TARGETS } from './lib/convert/rendition-of.ts';
import { servedErrors } from './lib/scan/scan-gate.ts';

/** Most documents of one call. */
const DOCUMENTS_MAX = 1_000;

const rows = {
  AttachmentID: required(f.id({ doc: 'The document in the new format.' })),
  SourceID: required(f.id({ doc: 'The document that was converted.', to: 'Attachment' })),
  FileName: required(f.personal({ doc: 'Its file name.' })),
};

export const operation = defineOperation({
  module: 'attachment',
  name: 'ConvertSave',
  method: 'GET',
  summary:
    'Saves documents in another format, by default as PDF, on the same records, or as new versions of the same ' +
    'documents. One that cannot be converted is skipped with a warning. A repeated call saves nothing twice.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'AttachmentSave',
  names: 'ID',
  params: {
    ID: required(f.idList({ doc: 'The documents.', max: DOCUMENTS_MAX })),
    To: f.choice(['Pdf', 'Html', 'Text'], { doc: 'The format; Html and Text for letters only.', default: 'Pdf' }),
    Replace: f.boolean({
      doc: 'Whether the result replaces the file of the document, which stays as an earlier version.',
      default: false,
    }),
  },
  transactions: 'own',
  returns: 'list',
  rows,
  errors: [
    'NOT_FOUND',
    'STATE_REFUSES',
    'UNREADABLE_DOCUMENT',
    'CONVERTER_UNAVAILABLE',
    'TOO_LARGE',
    'TIMED_OUT',
    'UNAVAILABLE',
    'CONCURRENT_CHANGE',
    ...servedErrors,
  ],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID, To, Replace }) => {
  const saved = [];
  let first: PlatformError | undefined;
  for (const id of new Set(ID)) {
    try {
      const { documentId, fileName } = await saveConverted(ctx, id, { mime: TARGETS[To], replace: Replace });
      saved.push({ AttachmentID: documentId, SourceID: id, FileName: fileName });
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      first ??= error;
      if (ID.length > 1) ctx.alert({ code: error.code, id, text: error.message });
    }
  }
  if (first && saved.length === 0) throw first;
  return list('Attachment', rows, saved);
});
