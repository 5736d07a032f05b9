import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readDueTexts } from './lib/text/read-texts.ts';
import { requestTexts } from './lib/text/text-rows.ts';

export const operation = defineOperation({
  module: 'attachment',
  name: 'ReadText',
  method: 'POST',
  summary:
    'Extracts the text of documents that are due, so that searches find them; the platform calls it in the ' +
    'background. With ID, extracts that of these documents first, including those that could not be read before.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: f.idList({ doc: 'Documents to read although they failed, or although AttachmentTextOnSave is off.' }) },
  transactions: 'own',
  returns: { Documents: required(f.integer({ doc: 'Number of documents that this call worked on.' })) },
  answerName: 'Attachment',
  errors: ['NOT_FOUND'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID }) => {
  if (ID && ID.length > 0)
    await ctx.inTransaction((own) => own.actingAs('System', (system) => requestTexts(system.db, ID)));
  const Documents = await ctx.actingAs('System', readDueTexts);
  return item('Attachment', operation.returns, { Documents });
});
