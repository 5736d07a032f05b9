import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';

export const operation = defineOperation({
  module: 'importfiletemplate',
  name: 'DetectTemplate',
  method: 'GET',
  summary: 'Returns every import type whose engine recognizes the document.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: { AttachmentID: required(f.id({ doc: 'The document.', to: 'Attachment' })) },
  returns: 'list',
  rows: {
    ImportFileTemplateID: f.id({ doc: 'The template.' }),
    ImportFileTemplate: f.text({ doc: 'Its name.', max: 100 }),
    ImportEngine: f.text({ doc: 'Its engine.', max: 100 }),
  },
  errors: ['NOT_FOUND'],
  source: '1-core §4',
});

export const run = handle(operation, (ctx, { AttachmentID }) => ctx.call('importfile/detect', { AttachmentID }));
