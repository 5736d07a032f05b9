import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { usesOfLinks } from '../lib/secure/link-uses.ts';

const rows = {
  SecureLinkID: required(f.id({ doc: 'The link.' })),
  MessageRecipientID: required(f.id({ doc: 'The recipient.', to: 'MessageRecipient' })),
  Address: f.personal({ doc: 'The address that it was sent to.' }),
  ExpiryDate: f.timestamp({ doc: 'When it stops working.' }),
  RevokedDate: f.timestamp({ doc: 'When it was revoked.' }),
  ReadDate: f.timestamp({ doc: 'When it was used; empty for a link that has not been used.' }),
  What: f.choice(['Code', 'Refused', 'Message', 'File'], {
    doc: 'A one-time code was mailed, a wrong one was entered, the message was read, or a document.',
  }),
  Detail: f.personal({ doc: 'The name of the document.' }),
  PersonID: f.id({ doc: 'The user, if one was signed in.', to: 'Person' }),
  NetworkAddress: f.personal({ doc: 'The network address of the reader.' }),
};

export const operation = defineOperation({
  module: 'securelink',
  name: 'Reads',
  method: 'GET',
  summary: 'Lists the secure links of a message with each use of them: who read what, and when. Newest first.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'MessageSelect',
  names: 'MessageID',
  params: { MessageID: required(f.id({ doc: 'The message.', to: 'Message' })) },
  returns: 'list',
  answerName: 'SecureLinkRead',
  rows,
  errors: ['NOT_FOUND'],
  source: 'decisions, SecureDelivery',
});

export const run = handle(operation, async (ctx, { MessageID }) =>
  list('SecureLinkRead', rows, await usesOfLinks(ctx.db, MessageID)),
);
