import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { list } from '../../../kernel/door/answer.ts';
import { dataDocument } from '../lib/generation/document-data.ts';
import { templateProblems } from '../lib/generation/check-template.ts';
import { requireDocumentType, templateFile } from '../lib/generation/document-type.ts';

const rows = {
  Problem: required(f.text({ doc: 'What was found and what was expected, as one sentence.' })),
  Place: f.text({ doc: 'Where it is in the template: `header 1, paragraph 3`, `line 12`.' }),
  Tag: f.text({ doc: 'The tag as written.' }),
  Similar: f.text({ doc: 'Names that exist, the most similar first, separated by blanks.' }),
  Warning: required(f.boolean({ doc: 'Whether the template can be used nevertheless.' })),
};

export const operation = defineOperation({
  module: 'attachmenttemplate',
  name: 'Check',
  method: 'GET',
  summary:
    'Returns what is wrong with the template of a document type, in the order of the template: tags that cannot be ' +
    'read, sections that do not end, and fields that the data do not have.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  // Its author's tool: it reads files as templates, which takes memory and time.
  permission: 'AttachmentTemplateSave',
  names: ['ID', 'DocumentID'],
  params: {
    ID: required(f.id({ doc: 'The document type.' })),
    DocumentID: f.id({ doc: 'A document to check instead of the template that is in use.', to: 'Attachment' }),
  },
  returns: 'list',
  rows,
  answerName: 'Problem',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'UNKNOWN_PROVIDER', 'BAD_TEMPLATE', 'TOO_LARGE'],
  source: '1-core §2',
});

export const run = handle(operation, async (ctx, { ID, DocumentID }) => {
  const type = await requireDocumentType(ctx, ID, 'ID');
  const file = await (DocumentID === undefined || DocumentID === null
    ? ctx.inTransaction((own) => templateFile(own, ID))
    : dataDocument(ctx, DocumentID));
  const found = file === undefined ? [] : await templateProblems(ctx, type, file);
  return list(
    'Problem',
    rows,
    found.map(({ text, place, tag, similar = [], warning }) => ({
      Problem: text,
      Place: place ?? null,
      Tag: tag ?? null,
      Similar: similar.length === 0 ? null : similar.join(' '),
      Warning: warning === true,
    })),
  );
});
