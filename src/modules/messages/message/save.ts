import { recordItem } from '../../../kernel/door/answer.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { draftParameters, messageFields } from './lib/message-parameters.ts';
import { saveDraft } from './lib/save-draft.ts';

export const operation = defineOperation({
  module: 'message',
  name: 'Save',
  method: 'POST',
  summary:
    'Saves a message and sends nothing. With addresses it becomes a draft, which message/send sends; addresses of ' +
    'one kind replace those that the draft has.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'AttachmentID',
  params: draftParameters,
  free: 'fields',
  queuedFields: (_ctx, rest) => Promise.resolve(messageFields(draftParameters, rest)),
  returns: 'item',
  errors: ['NOT_FOUND', 'VERSION_CONFLICT', 'DUPLICATE_KEY', 'BAD_PARAMETER', 'STATE_REFUSES'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params, fields) => {
  const { row } = await saveDraft(ctx, params, fields);
  return recordItem(ctx.record, row);
});
