import { recordItem } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { sendDraft } from './lib/send-draft.ts';
import { draftParameters, messageFields } from './lib/message-parameters.ts';
import { saveDraft } from './lib/save-draft.ts';

const saveEmailParameters = {
  ...draftParameters,
  Provider: f.text({ doc: "The mail server; by default the template's, or the first one.", max: 100 }),
};

export const operation = defineOperation({
  module: 'message',
  name: 'SaveEmail',
  method: 'GET',
  summary: 'Saves a message as message/save does, and sends it to its recipients.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'AttachmentID',
  params: saveEmailParameters,
  free: 'fields',
  queuedFields: (_ctx, rest) => Promise.resolve(messageFields(saveEmailParameters, rest)),
  returns: 'item',
  errors: [
    'NOT_FOUND',
    'VERSION_CONFLICT',
    'DUPLICATE_KEY',
    'MISSING_PARAMETER',
    'NO_PERMISSION',
    'BAD_PARAMETER',
    'STATE_REFUSES',
    'TOO_LARGE',
    'UNKNOWN_PROVIDER',
  ],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params, fields) => {
  const { row } = await saveDraft(ctx, params, fields);
  await sendDraft(ctx, row, { provider: params.Provider });
  return recordItem(ctx.record, await readRecord(ctx.db, ctx.record, row.MessageID));
});
