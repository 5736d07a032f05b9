import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { requireReading, requireSecureFile } from '../lib/secure/secure-message.ts';

export const operation = defineOperation({
  module: 'securelink',
  name: 'File',
  method: 'POST',
  summary:
    "Sends a document of a secure link's message as a download, as it was when the link was sent. Each reading is " +
    'recorded.',
  effect: 'write',
  idempotent: true,
  access: 'anonymous',
  params: {
    AttachmentID: required(f.id({ doc: 'The document, as securelink/read lists it.', to: 'Attachment' })),
    Token: f.secret({ doc: 'The part of the mailed link after the last slash.', max: 200 }),
    Ticket: f.secret({ doc: 'The Ticket of securelink/read; not needed by users who reach the message.', max: 400 }),
  },
  transactions: 'own',
  returns: 'content',
  errors: ['NO_PERMISSION', 'NOT_FOUND', 'TOO_MANY'],
  source: 'decisions, SecureDelivery',
});

export const run = handle(operation, async (ctx, { AttachmentID, Token, Ticket }) => {
  const reading = await requireReading(ctx, { token: Token, ticket: Ticket });
  const version = await requireSecureFile(ctx, reading, AttachmentID);
  return ctx.actingAs('System', (system) => system.call('attachment/download', { ID: AttachmentID, Version: version }));
});
