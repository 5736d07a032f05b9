import { recordItem } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { generateAndSave } from '../lib/generation/generate-and-save.ts';
import { readTarget } from '../lib/generation/generation-target.ts';
import { plainFileName } from './lib/file-content.ts';
import { servedErrors } from './lib/scan/scan-gate.ts';

export const operation = defineOperation({
  module: 'attachment',
  name: 'Generate',
  method: 'GET',
  summary:
    'Generates a document from the data of its document type and saves it on a record. The data are the result of ' +
    "the type's Method or, without one, the record's summary. Undeclared parameters are values for the Method.",
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: ['ID', { object: 'Object', id: 'ObjectID' }],
  params: {
    ID: f.idList({ doc: 'The documents to combine, for types that combine documents.' }),
    Template: f.text({ doc: 'The document type, by name.', max: 100 }),
    TemplateID: f.id({ doc: 'The document type.', to: 'AttachmentTemplate' }),
    Object: f.text({ doc: 'The record type of the record.', max: 60 }),
    ObjectID: f.id({ doc: 'The record that the document is saved on.' }),
    FileName: f.personal({ doc: "The file's name; by default the document type's name.", max: 255 }),
  },
  free: 'any',
  transactions: 'own',
  checkQueued: async (ctx, params, values) => {
    await readTarget(ctx, params, values);
  },
  returns: 'item',
  errors: [
    'NOT_FOUND',
    'MISSING_PARAMETER',
    'BAD_PARAMETER',
    'STATE_REFUSES',
    'UNKNOWN_PARAMETER',
    'UNKNOWN_PROVIDER',
    'BAD_TEMPLATE',
    'TOO_LARGE',
    'CONVERTER_UNAVAILABLE',
    ...servedErrors,
  ],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params, values) => {
  const { type, parent } = await ctx.inTransaction((own) => readTarget(own, params, values));
  const fileName = sentFileName(params.FileName);
  return generateAndSave(ctx, { type, parent, documentIds: params.ID ?? [], values, fileName }, async (own, row) =>
    recordItem(own.record, row),
  );
});

function sentFileName(sent: string | null | undefined): string | undefined {
  if (sent === null || sent === undefined) return undefined;
  const name = plainFileName(sent);
  if (name === undefined) throw bad('FileName', 'a file name without a path');
  return name;
}
