import { list } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { openSource } from './lib/open-import-file.ts';
import { detectedFields, detectTemplates } from './lib/detect-templates.ts';

export const operation = defineOperation({
  module: 'importfile',
  name: 'Detect',
  method: 'GET',
  summary: 'Returns every import type whose engine recognizes a document, as importfiletemplate/detecttemplate does.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'AttachmentID',
  reach: 'row',
  params: { AttachmentID: required(f.id({ doc: 'The document.', to: 'Attachment' })) },
  returns: 'list',
  answerName: 'ImportFileTemplate',
  rows: detectedFields,
  errors: ['NOT_FOUND'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx) => {
  return list(
    'ImportFileTemplate',
    detectedFields,
    await detectTemplates(
      ctx,
      await openSource(ctx, namedRow(ctx, ctx.registry.recordType('Attachment'), 'AttachmentID'), ''),
    ),
  );
});
